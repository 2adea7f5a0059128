import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { type BodyOf, useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { SelectField } from '../../ui/field.tsx';
import type { Format } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';

import { RestoreVersion } from './restore-version.tsx';
import { VersionDifference } from './version-difference.tsx';

type Version = BodyOf<typeof decisionFlowOperations.versions>['versions'][number];

export interface FlowVersionsProps {
  readonly flow: DecisionFlow;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onCompare: (change: { from?: string; to?: string }) => void;
}

/** The published versions, and the differences between any two of them or the draft. */
export function FlowVersions({ flow, from, to, onCompare }: FlowVersionsProps) {
  const columns = versionColumns(useFormat(), flow);
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
            columns={columns}
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
        <VersionDifference id={flow.id} from={left} to={right} />
      </Section>
    </div>
  );
}

const versionColumns = (format: Format, flow: DecisionFlow): readonly Column<Version>[] => [
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
  {
    key: 'restore',
    header: t.restore,
    cell: ({ version }) => <RestoreVersion flow={flow} version={version} />,
    text: null,
    width: 110,
    grow: 0,
  },
];
