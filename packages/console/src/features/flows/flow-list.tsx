import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useList } from '../../data/use-operation.ts';
import { readFlow } from '../../flow-canvas/index.ts';
import { changedColumn, keyColumn, nameColumn, statusColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { nodeName, nodeSummary } from '../../messages/flow-nodes.ts';
import { flowTexts as t } from '../../messages/flows.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table-column.ts';

/** The steps of a flow that tell it from others: what goes in, how it is scored and ranked. */
function sentence({ draftConfig }: DecisionFlow): string {
  const { nodes } = readFlow(draftConfig);
  return ['inventory', 'score', 'rank']
    .flatMap((type) => nodes.filter((node) => node.type === type && node.enabled))
    .map(({ type, config }) => `${nodeName(type)}: ${nodeSummary(type, config)}`)
    .join(' · ');
}

const columns: readonly Column<DecisionFlow>[] = [
  nameColumn(),
  statusColumn,
  {
    key: 'live',
    header: t.live,
    cell: ({ publishedVersions, isDefault }) => {
      const last = publishedVersions.at(-1);
      return (
        <span className="inline-flex items-center gap-1 align-middle">
          {last ? <Badge tone="pass">{t.version(last.version)}</Badge> : <Badge tone="draft">{t.notLive}</Badge>}
          {isDefault ? <Badge tone="info">{t.isDefault}</Badge> : null}
        </span>
      );
    },
    text: ({ publishedVersions, isDefault }) => {
      const last = publishedVersions.at(-1);
      return `${last ? t.version(last.version) : t.notLive}${isDefault ? `, ${t.isDefault}` : ''}`;
    },
    width: 150,
    grow: 0,
  },
  {
    key: 'reads',
    header: t.reads,
    cell: (flow) => <span title={sentence(flow)}>{sentence(flow)}</span>,
    text: sentence,
    width: 320,
    grow: 2,
  },
  keyColumn(200),
  changedColumn,
];

/** All decision flows. */
export function FlowList() {
  const [search, change] = useSearch(decisionFlowOperations.list.query);
  const list = useList(decisionFlowOperations.list, { query: { limit: 100, ...search } });
  return (
    <RecordListPage
      list={list}
      operation={decisionFlowOperations.list}
      title={t.flows}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.flow}
      filters={search}
      onFilter={change}
      choices={[statusChoice]}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
