import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { readFlow } from '../../flow-canvas/index.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { changedColumn, keyColumn, nameColumn, statusColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { nodeName, nodeSummary } from '../../messages/flows/flow-nodes.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { EnsureBase } from './ensure-base.tsx';

/** The characteristic steps of a flow: its candidates, score and ranking. */
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
  return (
    <RecordList
      kind="decisionFlow"
      operation={decisionFlowOperations.list}
      lead={t.lead}
      actions={
        <>
          <EnsureBase />
          <CreateLink kind="decisionFlow" operation={decisionFlowOperations.create} />
        </>
      }
      columns={columns}
      choices={[statusChoice]}
      empty={{ title: t.empty, text: t.emptyText, next: <EnsureBase /> }}
    />
  );
}
