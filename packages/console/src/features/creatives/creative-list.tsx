import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type Creative, creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { useList } from '../../data/use-operation.ts';
import { statusField } from '../../forms/bulk/bulk-fields.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { choiceOf } from '../../forms/list-filters.tsx';
import { countColumn, nameColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { creativeTexts as t } from '../../messages/catalogue/creatives.ts';
import { templateTypeName } from '../../messages/catalogue/type-names.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

/** Impressions, linked to the decisions that showed the offer on the channel. */
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
  nameColumn(220),
  statusColumn,
  {
    key: 'offer',
    header: t.offer,
    cell: ({ offer, offerId }) => <Link to={addresses.offer(offerId)}>{offer?.name ?? t.deleted}</Link>,
    text: ({ offer }) => offer?.name ?? t.deleted,
    sortBy: ({ offer }) => offer?.name ?? null,
    width: 170,
  },
  {
    key: 'channel',
    header: t.channel,
    cell: ({ channel, channelId }) => <Link to={addresses.channel(channelId)}>{channel?.name ?? t.deleted}</Link>,
    text: ({ channel }) => channel?.name ?? t.deleted,
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
        <Link to={addresses.placement(placementId)}>{placement?.name ?? t.deleted}</Link>
      ),
    text: ({ placement, placementId }) => (placementId === null ? t.any : (placement?.name ?? t.deleted)),
    width: 120,
  },
  wordColumn('template', t.template, ({ templateType }) => templateTypeName(templateType), 130),
  countColumn('weight', t.weight, ({ weight }) => weight),
  {
    key: 'shown',
    header: t.shown,
    cell: (creative) => <Shown creative={creative} />,
    text: ({ metrics }) => metrics.impressions,
    sortBy: ({ metrics }) => metrics.impressions,
    align: 'end',
    width: 110,
    grow: 0,
  },
  {
    key: 'ctr',
    header: t.ctr,
    cell: (creative) => <ClickRate creative={creative} />,
    // 0 to 100 in the API. There's no rate without impressions.
    text: ({ metrics }) => (metrics.impressions === 0 ? null : metrics.ctr),
    sortBy: ({ metrics }) => metrics.ctr,
    align: 'end',
    width: 90,
    grow: 0,
  },
];

const bulk = { operations: creativeOperations, fields: [statusField, { name: 'weight' }] };

/** All creatives, or those of an offer, channel or placement. */
export function CreativeList() {
  const channels = useList(channelOperations.list, { query: { limit: 200 } });
  return (
    <RecordList
      kind="creative"
      operation={creativeOperations.list}
      lead={t.lead}
      actions={<CreateLink kind="creative" operation={creativeOperations.create} />}
      columns={columns}
      bulk={bulk}
      choices={[statusChoice, choiceOf('channelId', t.channel, channels.rows)]}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <ButtonLink to={addresses.offers()}>{t.openOffers}</ButtonLink>,
      }}
    />
  );
}
