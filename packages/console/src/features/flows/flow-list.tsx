import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/decision-flows';
import { readFlow } from '../../flow-canvas/index.ts';
import { RecordList } from '../../forms/record-list.tsx';
import { StatusBadge, statusChoice } from '../../forms/status-badge.tsx';
import { nodeName, nodeSummary } from '../../messages/flow-nodes.ts';
import { flowTexts as t } from '../../messages/flows.ts';
import { listTexts } from '../../messages/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';

/** The steps of a flow that tell it from others: what goes in, how it is scored and ranked. */
function sentence({ draftConfig }: DecisionFlow): string {
  const { nodes } = readFlow(draftConfig);
  return ['inventory', 'score', 'rank']
    .flatMap((type) => nodes.filter((node) => node.type === type && node.enabled))
    .map(({ type, config }) => `${nodeName(type)}: ${nodeSummary(type, config)}`)
    .join(' · ');
}

function Moment({ at }: { readonly at: string }) {
  return <span className="text-soft">{useFormat().moment(at)}</span>;
}

const columns: readonly Column<DecisionFlow>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 220 },
  {
    key: 'live',
    header: t.live,
    cell: ({ publishedVersions, isDefault }) => {
      const last = publishedVersions.at(-1);
      return (
        <span className="inline-flex items-center gap-1">
          {last ? <Badge tone="pass">{t.version(last.version)}</Badge> : <Badge tone="draft">{t.notLive}</Badge>}
          {isDefault ? <Badge tone="info">{t.isDefault}</Badge> : null}
        </span>
      );
    },
    width: 150,
    grow: 0,
  },
  {
    key: 'reads',
    header: t.reads,
    cell: (flow) => <span title={sentence(flow)}>{sentence(flow)}</span>,
    width: 320,
    grow: 2,
  },
  { key: 'key', header: t.key, cell: ({ key }) => <code className="text-caption">{key}</code>, width: 200 },
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
    width: 110,
    grow: 0,
  },
  {
    key: 'changed',
    header: listTexts.changed,
    cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    sortBy: ({ updatedAt }) => updatedAt,
    width: 130,
    grow: 0,
  },
];

/** All decision flows. */
export function FlowList() {
  const [search, change] = useSearch(decisionFlowOperations.list.query);
  return (
    <Page title={t.flows} lead={t.lead}>
      <RecordList
        operation={decisionFlowOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.flows}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.flow(id)}
        filters={search}
        onFilter={change}
        choices={[statusChoice]}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}
