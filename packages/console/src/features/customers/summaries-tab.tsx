import {
  type InteractionSummary,
  interactionListOperations,
  periodTypes,
} from '@arbiter/contract/deciding/interaction-lists';
import { useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { useChannelNames } from '../../forms/limits/use-channel-names.ts';
import { ListTools } from '../../forms/list-tools.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { Empty } from '../../ui/empty.tsx';
import { SelectField } from '../../ui/field.tsx';
import type { Format } from '../../ui/format.ts';
import { Metric } from '../../ui/metric.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';

type SummaryRow = InteractionSummary & { readonly offerName: string | null };

const sums = ['impressions', 'positive', 'negative', 'neutral', 'converts', 'totalValue'] as const;

export interface SummariesTabProps {
  readonly customerId: string;
  readonly period: string;
  readonly onPeriod: (period: string) => void;
}

/** Contacts and outcomes of the customer by offer and period. */
export function SummariesTab({ customerId, period, onPeriod }: SummariesTabProps) {
  const format = useFormat();
  const channels = useChannelNames();
  const periodType = periodTypes.find((each) => each === period) ?? 'alltime';
  const answer = useOperation(interactionListOperations.ofCustomer, { params: { customerId }, query: { periodType } });
  const columns = summaryColumns(format, channels, periodType !== 'alltime');
  const look = useListLook(interactionListOperations.ofCustomer.id, columns, { stateIn: 'page' });
  const rows: readonly SummaryRow[] = answer.data?.data ?? [];
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          className="w-48"
          label={t.period}
          value={periodType}
          onChange={(event) => onPeriod(event.target.value)}
          options={periodTypes.map((value) => ({ value, label: t.periods[value] ?? value }))}
        />
        <ListTools
          look={look}
          title={t.tabs.summaries}
          list={{ rows, total: rows.length, complete: true, old: answer.old, loading: answer.loading }}
        />
      </div>
      {answer.data === undefined ? null : <Totals customerId={customerId} totals={answer.data.totals} />}
      <DataTable<SummaryRow>
        label={t.tabs.summaries}
        columns={look.columns}
        sort={look.sort}
        onSort={look.onSort}
        rows={answer.loading ? undefined : rows}
        rowKey={(row) => [row.periodKey, row.offerId, row.creativeId, row.channelId, row.direction].join(' ')}
        rowTo={({ offerId }) => addresses.decisions({ customerId, offerId })}
        complete
        maxHeight="60dvh"
        error={
          answer.failure === null ? undefined : (
            <FailurePanel
              failure={answer.failure}
              operation={interactionListOperations.ofCustomer}
              retry={answer.refresh}
            />
          )
        }
        empty={
          <Empty level={3} title={t.summariesNone}>
            {t.summariesNoneText}
          </Empty>
        }
      />
    </div>
  );
}

interface TotalsProps {
  readonly customerId: string;
  readonly totals: Readonly<Record<(typeof sums)[number], number>>;
}

function Totals({ customerId, totals }: TotalsProps) {
  const format = useFormat();
  return (
    <div className="grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-6">
      {sums.map((sum) => (
        <Metric
          key={sum}
          size="small"
          label={t.sums[sum]}
          value={sum === 'totalValue' ? format.money(totals[sum]) : format.number(totals[sum])}
          drill={{ to: addresses.decisions({ customerId }) }}
        />
      ))}
    </div>
  );
}

const summaryColumns = (
  format: Format,
  channels: ReadonlyMap<string, string>,
  hasPeriods: boolean,
): readonly Column<SummaryRow>[] => [
  {
    key: 'offer',
    header: t.columns.offer,
    width: 180,
    grow: 2,
    cell: ({ offerName }) => offerName ?? '',
    text: ({ offerName, offerId }) => offerName ?? offerId,
  },
  {
    key: 'channel',
    header: t.counterColumns.channel,
    width: 116,
    grow: 0,
    cell: ({ channelId }) => (channelId === null ? '' : (channels.get(channelId) ?? '')),
    text: ({ channelId }) => (channelId === null ? null : (channels.get(channelId) ?? channelId)),
  },
  ...(!hasPeriods
    ? []
    : [
        {
          key: 'period',
          header: t.period,
          width: 110,
          cell: ({ periodKey }: SummaryRow) => periodKey,
          text: ({ periodKey }: SummaryRow) => periodKey,
        },
      ]),
  ...sums.map(
    (sum): Column<SummaryRow> => ({
      key: sum,
      header: t.sums[sum],
      align: 'end',
      width: sum === 'totalValue' ? 116 : sum === 'converts' || sum === 'impressions' ? 102 : 88,
      grow: 0,
      text: (row) => row[sum],
      sortBy: (row) => row[sum],
      cell: (row) => (sum === 'totalValue' ? format.money(row[sum]) : format.number(row[sum])),
    }),
  ),
  {
    key: 'last',
    header: t.summaryColumns.last,
    width: 146,
    grow: 0,
    cell: ({ lastContactAt }) => (lastContactAt === null ? '' : format.moment(lastContactAt)),
    text: ({ lastContactAt }) => lastContactAt,
  },
  {
    key: 'outcome',
    header: t.summaryColumns.lastOutcome,
    width: 120,
    grow: 0,
    cell: ({ lastOutcomeKey }) => lastOutcomeKey?.replaceAll('_', ' ') ?? '',
    text: ({ lastOutcomeKey }) => lastOutcomeKey,
  },
];
