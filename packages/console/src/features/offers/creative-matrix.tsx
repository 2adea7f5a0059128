import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import type { Offer } from '@arbiter/contract/catalogue/offers';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { addresses } from '../../route/addresses.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { type MatrixPlace, matrixOf } from './matrix.ts';

/** The offer's creatives by placement, with the holes. */
export function CreativeMatrix({ offer }: { readonly offer: Offer }) {
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  return (
    <Section
      title={t.matrix}
      flush
      actions={
        <Link to={addresses.creatives({ offerId: offer.id })}>{t.creativesOf(String(offer.creatives.length))}</Link>
      }
    >
      {channels.failure === null ? null : (
        <div className="p-3">
          <FailurePanel failure={channels.failure} operation={channelOperations.list} retry={channels.refresh} />
        </div>
      )}
      {channels.loading ? (
        <div className="p-4">
          <Skeleton />
        </div>
      ) : null}
      {channels.complete && channels.rows.length === 0 ? (
        <Empty title={t.noChannels} level={3} actions={<ButtonLink to={addresses.channels()}>{t.channel}</ButtonLink>}>
          {t.noChannelsText}
        </Empty>
      ) : null}
      {channels.rows.length > 0 ? (
        <Places offerId={offer.id} places={matrixOf(channels.rows, offer.creatives)} />
      ) : null}
      {channels.complete || channels.rows.length === 0 ? null : (
        <div className="p-3">
          <Button onClick={channels.loadMore}>{t.moreChannels}</Button>
        </div>
      )}
    </Section>
  );
}

const cell = 'px-4 py-2 align-baseline';

function Places({ offerId, places }: { readonly offerId: string; readonly places: readonly MatrixPlace[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={t.matrix} className="overflow-x-auto">
      <table className="w-full border-collapse text-dense">
        <thead>
          <tr className="border-b border-line text-start text-caption text-soft">
            <th scope="col" className="px-4 py-2 text-start font-medium">
              {t.channel}
            </th>
            <th scope="col" className="px-4 py-2 text-start font-medium">
              {t.placement}
            </th>
            <th scope="col" className="w-1/2 px-4 py-2 text-start font-medium">
              {t.creatives}
            </th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <tr key={place.key} className="border-b border-line last:border-b-0">
              {place.span > 0 ? (
                <th scope="rowgroup" rowSpan={place.span} className={`${cell} text-start font-medium`}>
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <Link to={addresses.channel(place.channelId)}>{place.channelName}</Link>
                    {place.channelStatus === 'active' ? null : <StatusBadge status={place.channelStatus} />}
                  </span>
                </th>
              ) : null}
              <td className={cell}>
                {place.placement === null ? (
                  <span className="text-soft">{t.anyPlacement}</span>
                ) : (
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <Link to={addresses.placement(place.placement.id)}>{place.placement.name}</Link>
                    {place.placement.status === 'active' ? null : <StatusBadge status={place.placement.status} />}
                  </span>
                )}
              </td>
              <td className={cell}>
                <Creatives offerId={offerId} place={place} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Creatives({ offerId, place }: { readonly offerId: string; readonly place: MatrixPlace }) {
  const format = useFormat();
  const { creatives, covered, channelId, channelName, placement, shares } = place;
  if (creatives.length === 0) {
    return (
      <span className="flex flex-wrap items-center gap-x-3">
        <span className="text-faint">{covered ? t.covered : t.hole}</span>
        {can(creativeOperations.create).allowed ? (
          <Link
            to={addresses.newCreative({ offerId, channelId, placementId: placement?.id })}
            title={t.addCreative(placement?.name ?? channelName)}
          >
            {t.add}
          </Link>
        ) : null}
      </span>
    );
  }
  return (
    <ul className="flex flex-col gap-1.5">
      {creatives.map(({ id, name, status, weight }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <Link to={addresses.creative(id)}>{name}</Link>
          <StatusBadge status={status} />
          <span className="text-caption whitespace-nowrap text-faint">
            {t.weight(String(weight))}
            {shares.size > 1 && shares.has(id) ? ` · ${t.share(format.percent(shares.get(id) ?? 0))}` : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
