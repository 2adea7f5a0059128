import { decisionFlowVersionOperations } from '@arbiter/contract/catalogue/decision-flow-versions';
import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { valueText } from '../../messages/conditions.ts';
import { flowTexts as t } from '../../messages/flows.ts';
import { SelectField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table.tsx';

export interface FlowVersionsProps {
  readonly flow: DecisionFlow;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onCompare: (change: { from?: string; to?: string }) => void;
}

/** The published versions, and what makes any two of them (or the draft) differ. */
export function FlowVersions({ flow, from, to, onCompare }: FlowVersionsProps) {
  const format = useFormat();
  const answer = useOperation(decisionFlowOperations.versions, { query: { id: flow.id } });
  const numbers = flow.publishedVersions.map(({ version }) => String(version));
  const [left, right] = [from ?? numbers.at(-1) ?? 'draft', to ?? 'draft'];
  const options = [
    ...numbers.toReversed().map((value) => ({ value, label: t.version(Number(value)) })),
    { value: 'draft', label: t.asDraft },
  ];
  return (
    <div className="flex flex-col gap-4">
      <Loaded answer={answer} operation={decisionFlowOperations.versions}>
        {({ versions }) => (
          <DataTable
            label={t.versions}
            columns={[
              {
                key: 'version',
                header: t.versions,
                cell: ({ version }) => t.version(version),
                text: ({ version }) => version,
                width: 90,
                grow: 0,
              },
              {
                key: 'at',
                header: t.published,
                cell: ({ publishedAt }) => format.instant(publishedAt),
                text: ({ publishedAt }) => publishedAt,
                width: 190,
                grow: 0,
              },
              {
                key: 'by',
                header: t.by,
                cell: ({ publishedBy }) => publishedBy,
                text: ({ publishedBy }) => publishedBy,
                width: 180,
              },
              {
                key: 'nodes',
                header: t.nodes,
                cell: ({ summary }) => summary.nodeCount,
                text: ({ summary }) => summary.nodeCount,
                align: 'end',
                width: 80,
                grow: 0,
              },
              {
                key: 'notes',
                header: t.notes,
                cell: ({ notes }) => notes ?? '–',
                text: ({ notes }) => notes,
                width: 260,
                grow: 2,
              },
            ]}
            rows={versions}
            rowKey={({ version }) => String(version)}
            complete
            empty={<p className="p-4 text-soft">{t.notLive}</p>}
          />
        )}
      </Loaded>
      <Section
        title={t.difference}
        actions={
          <>
            <SelectField
              label={t.from}
              labelHidden
              className="w-28"
              options={options}
              value={left}
              onChange={(event) => onCompare({ from: event.target.value })}
            />
            <span aria-hidden>→</span>
            <SelectField
              label={t.to}
              labelHidden
              className="w-28"
              options={options}
              value={right}
              onChange={(event) => onCompare({ to: event.target.value })}
            />
          </>
        }
      >
        <Difference id={flow.id} from={left} to={right} />
      </Section>
    </div>
  );
}

function Difference({ id, from, to }: { readonly id: string; readonly from: string; readonly to: string }) {
  const answer = useOperation(decisionFlowVersionOperations.diff, { params: { id }, query: { from, to } });
  return (
    <Loaded answer={answer} operation={decisionFlowVersionOperations.diff}>
      {({ added, removed, moved, changed, flowConfig }) => {
        const lists = [
          ['added', added],
          ['removed', removed],
          ['moved', moved],
        ] as const;
        const values = [
          ...changed.flatMap(({ nodeId, changes }) => changes.map((one) => ({ ...one, where: nodeId }))),
          ...flowConfig.map((one) => ({ ...one, where: t.flowSettings })),
        ];
        if (values.length === 0 && lists.every(([, ids]) => ids.length === 0)) {
          return <p className="text-soft">{t.same}</p>;
        }
        return (
          <dl className="divide-y divide-line text-dense">
            {lists
              .filter(([, ids]) => ids.length > 0)
              .map(([word, ids]) => (
                <div key={word} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_1fr]">
                  <dt className="text-soft">{word}</dt>
                  <dd>{ids.join(', ')}</dd>
                </div>
              ))}
            {values.map(({ where, path, before, after }) => (
              <div key={`${where} ${path}`} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_1fr]">
                <dt className="min-w-0 break-words text-soft">
                  {where} <code className="text-caption">{path}</code>
                </dt>
                <dd className="flex flex-wrap items-center gap-1.5">
                  <del className="rounded-control bg-block-soft px-1 text-ink decoration-block">
                    {valueText(before)}
                  </del>
                  <span aria-hidden className="text-faint">
                    →
                  </span>
                  <ins className="rounded-control bg-pass-soft px-1 text-ink no-underline">{valueText(after)}</ins>
                </dd>
              </div>
            ))}
          </dl>
        );
      }}
    </Loaded>
  );
}
