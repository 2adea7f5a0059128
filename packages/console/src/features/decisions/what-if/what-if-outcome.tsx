import { reasonText } from '@arbiter/contract/explanation/texts';
import type { WhatIf, WhatIfOffer } from '../../../engine-worker/what-if.ts';
import { whatIfTexts as t } from '../../../messages/decisions/what-if.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Link } from '../../../ui/link.tsx';
import { useFormat } from '../../../ui/provider.tsx';

/** The offers with the changed inputs, compared with the record. */
export function WhatIfOutcome({ answer, isChanged }: { readonly answer: WhatIf; readonly isChanged: boolean }) {
  const format = useFormat();
  const { recorded, offers, drops, tookMs } = answer;
  const isSame =
    offers.length === recorded.length && offers.every(({ offerId }, at) => recorded[at]?.offerId === offerId);
  const removedOffers = recorded.filter(({ offerId }) => !offers.some((each) => each.offerId === offerId));
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="font-medium">
        {isChanged ? (isSame ? t.same : t.differs) : t.asRecorded}
      </p>
      {offers.length === 0 ? <p className="text-soft">{t.noOffers}</p> : null}
      <ol className="divide-y divide-line">
        {offers.map((offer) => (
          <OfferLine
            key={offer.offerId}
            offer={offer}
            before={recorded.find(({ offerId }) => offerId === offer.offerId)}
          />
        ))}
        {removedOffers.map(({ offerId, name }) => (
          <li key={offerId} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-soft">
            <Badge tone="block">{t.gone}</Badge>
            <Link to={addresses.offer(offerId)} className="min-w-0 break-words">
              {name}
            </Link>
            <span className="text-dense">
              {reasonOf(drops.find((each) => each.offerId === offerId)?.reason ?? null)}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-caption text-soft">{t.took(format.number(Math.max(1, Math.round(tookMs))))}</p>
    </div>
  );
}

const reasonOf = (reason: string | null): string => (reason === null ? t.outranked : reasonText(reason).title);

interface OfferLineProps {
  readonly offer: WhatIfOffer;
  readonly before: WhatIfOffer | undefined;
}

function OfferLine({ offer: { offerId, name, rank, score }, before }: OfferLineProps) {
  const format = useFormat();
  const change = before === undefined ? null : score - before.score;
  return (
    <li className="grid grid-cols-[2rem_minmax(0,1fr)_auto] items-baseline gap-x-2 py-2">
      <span className="text-faint">#{rank}</span>
      <span className="min-w-0">
        <Link to={addresses.offer(offerId)} className="break-words">
          {name}
        </Link>{' '}
        {before === undefined ? (
          <Badge tone="pass">{t.new}</Badge>
        ) : before.rank === rank ? null : (
          <span className="text-dense text-soft">{t.before(before.rank)}</span>
        )}
      </span>
      <span className="text-dense tabular-nums">
        {format.fixed(score, 3)}
        {change === null || Math.abs(change) < 0.0005 ? null : (
          <span className="text-soft">
            {' '}
            ({change > 0 ? '+' : '−'}
            {format.fixed(Math.abs(change), 3)})
          </span>
        )}
      </span>
    </li>
  );
}
