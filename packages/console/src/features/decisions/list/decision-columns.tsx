import type { DecisionListRow } from '@arbiter/contract/deciding/decision-lists';
import type { DecisionTrace } from '@arbiter/contract/deciding/decision-trace';
import { emptyText } from '@arbiter/contract/explanation/texts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { Column } from '../../../ui/table/table-column.ts';

/** A row from either of the API's two lists. */
export type ListedDecision = Pick<
  DecisionListRow,
  | 'recommendationId'
  | 'customerId'
  | 'source'
  | 'decidedAt'
  | 'flow'
  | 'channelId'
  | 'itemCount'
  | 'emptyReason'
  | 'explored'
> & {
  /** Name of the first offer; null if there's no history. */
  readonly topOffer: string | null;
};

/** Converts a trace to a row. */
export function listedTrace(trace: DecisionTrace): ListedDecision {
  const { selectedOffers: shown, source } = trace;
  const [first] = shown;
  return {
    recommendationId: trace.recommendationId,
    customerId: trace.customerId,
    source: source === 'campaign' || source === 'journey' || source === 'trigger' ? source : 'recommend',
    decidedAt: trace.createdAt,
    flow: { id: trace.decisionFlowId, key: trace.decisionFlowKey, version: trace.decisionFlowVersion },
    channelId: trace.channelId ?? first?.channelId ?? null,
    itemCount: shown.length,
    emptyReason: null,
    explored: shown.some(({ selection }) => selection.explored),
    topOffer: first?.offerName ?? null,
  };
}

/** Columns of the decision list. */
export function decisionColumns(channels: ReadonlyMap<string, string>): readonly Column<ListedDecision>[] {
  return [
    {
      key: 'customer',
      header: t.columns.customer,
      width: 124,
      cell: ({ customerId }) => customerId ?? <span className="text-faint italic">{t.erased}</span>,
      text: ({ customerId }) => customerId ?? t.erased,
    },
    {
      key: 'result',
      header: t.columns.result,
      width: 190,
      grow: 2,
      cell: (row) => <Result row={row} />,
      text: resultText,
    },
    {
      key: 'decidedAt',
      header: t.columns.decidedAt,
      width: 204,
      grow: 0,
      cell: (row) => <When at={row.decidedAt} />,
      text: ({ decidedAt }) => decidedAt,
    },
    {
      key: 'channel',
      header: t.columns.channel,
      width: 110,
      cell: ({ channelId }) => (channelId === null ? t.noChannel : (channels.get(channelId) ?? t.noChannel)),
      text: ({ channelId }) => (channelId === null ? null : (channels.get(channelId) ?? channelId)),
    },
    {
      key: 'flow',
      header: t.columns.flow,
      width: 200,
      grow: 2,
      cell: ({ flow }) => t.flowVersion(flow.key, flow.version),
      text: ({ flow }) => t.flowVersion(flow.key, flow.version),
    },
    {
      key: 'source',
      header: t.columns.source,
      width: 124,
      grow: 0,
      cell: ({ source }) => t.sources[source] ?? source,
      text: ({ source }) => source,
    },
  ];
}

function When({ at }: { readonly at: string }) {
  const format = useFormat();
  return <time dateTime={at}>{format.instant(at)}</time>;
}

/** Summarizes the result: counts every offer, names the first. */
function resultText({ itemCount, emptyReason, explored, topOffer }: ListedDecision): string {
  if (itemCount === 0) return emptyReason === null ? t.nothing : t.nothingBecause(emptyText(emptyReason).title);
  const others = topOffer !== null && itemCount > 1 ? ` +${itemCount - 1}` : '';
  return `${topOffer ?? t.items(itemCount)}${others}${explored ? ` (${t.explored})` : ''}`;
}

function Result({ row }: { readonly row: ListedDecision }) {
  const { itemCount, emptyReason, explored, topOffer } = row;
  if (itemCount === 0) {
    return (
      <Badge tone="block">{emptyReason === null ? t.nothing : t.nothingBecause(emptyText(emptyReason).title)}</Badge>
    );
  }
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate">{topOffer ?? t.items(itemCount)}</span>
      {topOffer !== null && itemCount > 1 ? <span className="text-faint">+{itemCount - 1}</span> : null}
      {explored ? <Badge tone="info">{t.explored}</Badge> : null}
    </span>
  );
}
