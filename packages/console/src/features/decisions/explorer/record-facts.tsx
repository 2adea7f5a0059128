import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { Id } from '../../../ui/copy.tsx';
import { Link } from '../../../ui/link.tsx';
import { useFormat } from '../../../ui/provider.tsx';

export interface RecordFactsProps {
  readonly record: DecisionRecord;
  /** Probability of the whole result; null if unknown. */
  readonly slate: number | null;
}

/** Links to the flow version with this decision's node counts. */
export const flowAddress = ({ flow, customerId, recommendationId, inputsState }: DecisionRecord): string =>
  addresses.flow(flow.id, {
    ...(flow.version === null ? {} : { version: String(flow.version) }),
    ...(customerId === null || inputsState !== 'available' ? {} : { customer: customerId, decision: recommendationId }),
  });

/** Details of the record: sources and hashes. */
export function RecordFacts({ record, slate }: RecordFactsProps) {
  const format = useFormat();
  const { flow, flows, customerId } = record;
  const called = flows.slice(1);
  const rows: readonly (readonly [string, React.ReactNode])[] = [
    [
      t.facts.customer,
      customerId === null ? (
        t.erased
      ) : (
        <Link key="c" to={addresses.customer(customerId)}>
          {customerId}
        </Link>
      ),
    ],
    [t.facts.decidedAt, format.instant(record.decidedAt)],
    [t.facts.source, t.sources[record.source] ?? record.source],
    [
      t.facts.flow,
      <Link key="f" to={flowAddress(record)} title={t.flowAtVersion}>
        {t.flowVersion(flow.key, flow.version)}
      </Link>,
    ],
    ...(called.length === 0
      ? []
      : [[t.facts.flows, called.map(({ key, version }) => t.flowVersion(key, version)).join(', ')] as const]),
    [t.facts.configVersion, format.number(record.configVersion)],
    [t.facts.engine, record.engineVersion],
    [t.facts.inputsState, t.inputsStates[record.inputsState] ?? record.inputsState],
    ...(slate === null ? [] : [[t.facts.slate, format.percent(slate, 4)] as const]),
    [t.facts.recommendationId, <Id key="r" id={record.recommendationId} what={t.facts.recommendationId} />],
    [t.facts.requestId, <Id key="q" id={record.requestId} what={t.facts.requestId} />],
    ...(record.traceId === null
      ? []
      : [[t.facts.traceId, <Id key="t" id={record.traceId} what={t.facts.traceId} />] as const]),
    [t.facts.planHash, <Id key="p" id={record.planHash} what={t.facts.planHash} />],
    ...(record.inputsHash === null
      ? []
      : [[t.facts.inputsHash, <Id key="i" id={record.inputsHash} what={t.facts.inputsHash} />] as const]),
    ...(record.resultHash === null
      ? []
      : [[t.facts.resultHash, <Id key="h" id={record.resultHash} what={t.facts.resultHash} />] as const]),
    [t.facts.seed, <Id key="s" id={record.seed} what={t.facts.seed} />],
  ];
  return (
    <dl className="grid gap-x-8 sm:grid-cols-2 lg:grid-cols-3">
      {rows.map(([name, value]) => (
        <div
          key={name}
          className="flex min-h-8 items-center justify-between gap-3 border-b border-line py-1 text-dense"
        >
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 text-end">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
