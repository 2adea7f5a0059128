import type { TraceStage } from '@arbiter/contract/deciding/decision-trace';
import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { reasonText, stageName } from '@arbiter/contract/explanation/texts';
import { useState } from 'react';
import { boot } from '../../../data/boot.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { rankMethods } from '../../../messages/decisions/score.ts';
import { addresses } from '../../../route/addresses.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import type { Format } from '../../../ui/format.ts';
import { Section } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useTrace } from '../calls.ts';
import { JsonBlock } from './json-block.tsx';
import { NoStage } from './no-stage.tsx';

export interface TraceTabProps {
  readonly explanation: Explanation;
  readonly record: DecisionRecord;
}

/** Every stage with counts and duration, and the stored trace below. */
export function TraceTab({ explanation, record }: TraceTabProps) {
  const format = useFormat();
  const { source, stages, summary } = explanation;
  if (stages.length === 0) return source === 'record' ? <NoTrace /> : <NoStage record={record} />;
  return (
    <div className="flex flex-col gap-4">
      {source === 'trace' ? null : <p className="text-dense text-soft">{whyNoTrace(format)}</p>}
      <StageTable stages={stages} />
      {summary.warnings.length === 0 ? null : (
        <Section title={t.warnings}>
          <ul className="list-disc ps-4">
            {summary.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Section>
      )}
      {source === 'trace' && record.traceId !== null ? <RawTrace id={record.traceId} /> : null}
    </div>
  );
}

/** The stored trace as JSON, loaded when it's opened. */
function RawTrace({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, failure, refresh } = useTrace(isOpen ? id : null);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-control py-1 text-accent-ink">{t.rawTrace}</summary>
      {failure !== null ? (
        <FailurePanel operation={decisionOperations.getTrace} failure={failure} retry={refresh} />
      ) : data === undefined ? (
        isOpen && <Skeleton className="h-40 w-full" />
      ) : (
        <JsonBlock value={data} label={t.rawTrace} />
      )}
    </details>
  );
}

function StageTable({ stages }: Pick<Explanation, 'stages'>) {
  return (
    <Section title={t.traceTitle} flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section aria-label={t.traceTitle} tabIndex={0} className="overflow-x-auto">
        <table className="w-full text-dense sm:min-w-160">
          <StageHeader />
          <tbody>
            {stages.map((row) => (
              <StageRow key={`${row.stage} ${row.nodeId} ${row.candidates}`} row={row} />
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

function StageHeader() {
  return (
    <thead>
      <tr className="border-b border-line text-caption text-soft">
        <th scope="col" className="px-4 py-1.5 text-start font-medium">
          {t.stageColumns.stage}
        </th>
        <th scope="col" className="px-2 text-start font-medium max-sm:hidden">
          {t.stageColumns.node}
        </th>
        <th scope="col" className="px-2 text-end font-medium">
          {t.stageColumns.in}
        </th>
        <th scope="col" className="px-2 text-end font-medium">
          {t.stageColumns.out}
        </th>
        <th scope="col" className="px-2 text-start font-medium max-sm:hidden">
          {t.stageColumns.reasons}
        </th>
        <th scope="col" className="px-2 text-start font-medium max-sm:hidden">
          {t.stageColumns.method}
        </th>
        <th scope="col" className="px-4 text-end font-medium">
          {t.stageColumns.time}
        </th>
      </tr>
    </thead>
  );
}

function StageRow({ row }: { readonly row: TraceStage }) {
  const format = useFormat();
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="px-4 py-1.5 text-start font-normal sm:whitespace-nowrap">
        {stageName(row.stage)}
        <span className="block text-caption text-soft sm:hidden">
          {row.nodeId === null ? null : <span className="block font-mono">{row.nodeId}</span>}
          <Why row={row} />
          {row.method === null ? null : <span className="block">{methodName(row.method)}</span>}
        </span>
      </th>
      <td className="px-2 font-mono text-caption text-soft max-sm:hidden">{row.nodeId ?? ''}</td>
      <td className="px-2 text-end">{format.number(row.candidates)}</td>
      <td className="px-2 text-end">{row.skipped ? t.skipped : format.number(row.passed)}</td>
      <td className="px-2 text-soft max-sm:hidden">
        <Why row={row} />
      </td>
      <td className="px-2 text-soft max-sm:hidden">{row.method === null ? '' : methodName(row.method)}</td>
      <td className="px-4 text-end whitespace-nowrap text-soft max-sm:ps-2">
        {row.durationMs === null ? '' : format.duration(row.durationMs)}
      </td>
    </tr>
  );
}

const methodName = (method: string): string => rankMethods[method] ?? method;

/** Drop reasons and warnings of a stage. */
function Why({ row: { dropped, warnings } }: { readonly row: TraceStage }) {
  const format = useFormat();
  return (
    <>
      {Object.entries(dropped)
        .map(([reason, count]) => `${reasonText(reason).title} ${format.number(count)}`)
        .join(', ')}
      {warnings.length === 0 ? null : <span className="block text-warn">{warnings.join(', ')}</span>}
    </>
  );
}

/** Why a decision has no trace, according to the settings. */
function whyNoTrace(format: Format): string {
  const block = boot();
  if (!block.authenticated) return t.traceNone;
  const { decisionTraceEnabled, decisionTraceSampleRate } = block.settings;
  if (!decisionTraceEnabled) return `${t.traceOff} ${t.traceOnIsAdmin}`;
  return decisionTraceSampleRate < 1 ? t.traceSampled(format.percent(decisionTraceSampleRate)) : t.traceNone;
}

function NoTrace() {
  const format = useFormat();
  return (
    <Empty title={t.traceNone} actions={<ButtonLink to={addresses.settings()}>{t.traceOnIsAdmin}</ButtonLink>}>
      {whyNoTrace(format)}
    </Empty>
  );
}
