import { droppingGate } from '@arbiter/contract/explanation/offers';
import { reasonText } from '@arbiter/contract/explanation/texts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { Change, OfferDifference, OfferSide } from './differences.ts';

const tones: Readonly<Record<Change, Tone>> = {
  gained: 'pass',
  lost: 'block',
  moved: 'info',
  reason: 'warn',
  rescored: 'neutral',
  same: 'neutral',
};

const changeBadge = (change: Change) => <Badge tone={tones[change]}>{t.changes[change] ?? change}</Badge>;

/** Offers of two decisions with their results before and after. */
export function OfferChanges({
  rows,
  a,
  b,
}: {
  readonly rows: readonly OfferDifference[];
  readonly a?: string;
  readonly b?: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard accessible
    <section aria-label={t.compareOffers} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-dense max-sm:table-fixed sm:min-w-130">
        <thead className={a === undefined ? 'hidden-text' : ''}>
          <tr className="border-b border-line text-caption text-soft">
            <th scope="col" className="py-1 pe-3 text-start font-medium max-sm:w-2/5">
              {t.offer}
            </th>
            <th scope="col" className="py-1 pe-3 text-start font-medium max-sm:hidden">
              {t.change}
            </th>
            <th scope="col" className="py-1 pe-3 text-start font-medium">
              {a}
            </th>
            <th scope="col" className="py-1 text-start font-medium">
              {b}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.offerId} className="border-b border-line last:border-0">
              <th scope="row" className="max-w-60 py-1.5 pe-3 text-start align-baseline font-medium sm:truncate">
                <span dir="auto">{row.name ?? row.offerId}</span>
                <span className="block sm:hidden">{changeBadge(row.change)}</span>
              </th>
              <td className="py-1.5 pe-3 align-baseline max-sm:hidden">{changeBadge(row.change)}</td>
              <td className="py-1.5 pe-3 align-baseline text-soft">
                <Side side={row.a} />
              </td>
              <td className="py-1.5 align-baseline">
                <Side side={row.b} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Why an offer was dropped, including the rule or policy: two contact policies are two reasons. */
function leftBy(reason: string, story: OfferSide['story']): string {
  const name = droppingGate(story)?.name ?? null;
  const { title } = reasonText(reason);
  return name === null ? title : `${title}: ${name}`;
}

function Side({ side }: { readonly side: OfferSide | null }) {
  const format = useFormat();
  if (side === null) return t.notThere;
  const { fate, rank, score, reason } = side;
  const where = rank === null ? (reason === null ? t.fates[fate] : leftBy(reason, side.story)) : t.shownAt(rank);
  if (score === null) return where;
  return (
    <>
      {where}
      <span className="max-sm:hidden"> · </span>
      <span className="max-sm:block">{format.fixed(score, 4)}</span>
    </>
  );
}
