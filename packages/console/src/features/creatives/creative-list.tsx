import { channelOperations } from '@arbiter/contract/channels';
import { type Creative, creativeOperations } from '@arbiter/contract/creatives';
import { offerOperations } from '@arbiter/contract/offers';
import { placementOperations } from '@arbiter/contract/placements';
import { useList, useOperation } from '../../data/use-operation.ts';
import { codeColumn, countColumn, nameColumn, statusColumn } from '../../forms/record-columns.tsx';
import { type Choice, choiceOf, RecordListPage } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { creativeTexts as t } from '../../messages/creatives.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { middleCut } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';

/** Impressions, with the decisions that showed the offer on the channel behind them. */
function Shown({ creative: { offerId, channelId, metrics } }: { readonly creative: Creative }) {
  const format = useFormat();
  return (
    <Link to={addresses.decisions({ offerId, channelId })} title={t.openDecisions}>
      {format.number(metrics.impressions)}
    </Link>
  );
}

function ClickRate({ creative: { metrics } }: { readonly creative: Creative }) {
  const format = useFormat();
  return metrics.impressions === 0 ? <span className="text-faint">–</span> : format.percent(metrics.ctr / 100, 2);
}

const columns: readonly Column<Creative>[] = [
  nameColumn(240),
  statusColumn,
  {
    key: 'offer',
    header: t.offer,
    cell: ({ offer, offerId }) => <Link to={addresses.offer(offerId)}>{offer?.name ?? t.gone}</Link>,
    sortBy: ({ offer }) => offer?.name ?? null,
    width: 200,
  },
  {
    key: 'channel',
    header: t.channel,
    cell: ({ channel, channelId }) => <Link to={addresses.channel(channelId)}>{channel?.name ?? t.gone}</Link>,
    sortBy: ({ channel }) => channel?.name ?? null,
    width: 110,
    grow: 0,
  },
  {
    key: 'placement',
    header: t.placement,
    cell: ({ placement, placementId }) =>
      placementId === null ? (
        <span className="text-soft">{t.any}</span>
      ) : (
        <Link to={addresses.placement(placementId)}>{placement?.name ?? t.gone}</Link>
      ),
    width: 120,
  },
  codeColumn('template', t.template, ({ templateType }) => templateType, 150),
  countColumn('weight', t.weight, ({ weight }) => weight),
  {
    key: 'shown',
    header: t.shown,
    cell: (creative) => <Shown creative={creative} />,
    sortBy: ({ metrics }) => metrics.impressions,
    align: 'end',
    width: 110,
    grow: 0,
  },
  {
    key: 'ctr',
    header: t.ctr,
    cell: (creative) => <ClickRate creative={creative} />,
    sortBy: ({ metrics }) => metrics.ctr,
    align: 'end',
    width: 90,
    grow: 0,
  },
];

/** A filter by a record that another page linked to: it has that one choice, and can be taken off. */
function usePinned(
  operation: typeof offerOperations.get | typeof placementOperations.get,
  key: string,
  label: string,
  id: string | undefined,
): readonly Choice[] {
  const answer = useOperation(operation, { params: { id: id ?? '' } }, { enabled: id !== undefined });
  return id === undefined ? [] : [{ key, label, options: [{ value: id, label: answer.data?.name ?? middleCut(id) }] }];
}

/** All creatives, or those of one offer, channel or placement. */
export function CreativeList() {
  const [search, change] = useSearch(creativeOperations.list.query);
  const list = useList(creativeOperations.list, { query: { limit: 100, ...search } });
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  const byChannel = choiceOf('channelId', t.channel, channels.rows);
  const byOffer = usePinned(offerOperations.get, 'offerId', t.offer, search.offerId);
  const byPlacement = usePinned(placementOperations.get, 'placementId', t.placement, search.placementId);
  return (
    <RecordListPage
      list={list}
      operation={creativeOperations.list}
      title={t.creatives}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.creative}
      filters={search}
      onFilter={change}
      choices={[statusChoice, byChannel, ...byOffer, ...byPlacement]}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <ButtonLink to={addresses.offers()}>{t.openOffers}</ButtonLink>,
      }}
    />
  );
}
