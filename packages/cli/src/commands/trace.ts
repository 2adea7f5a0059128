import {
  type DecisionRecord,
  dropLine,
  type ExplainedItem,
  type Explanation,
  emptyText,
  offersOf,
  reasonText,
  stageName,
} from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

/** Maximum number of dropped offers in the output; `--json` has up to 500. */
const droppedShown = 20;

export const trace: Command = {
  name: 'trace',
  summary: 'show how a decision was made, stage by stage',
  help: `Show how a decision was made: how many offers passed each stage of the flow, what was shown with which probability, and
why the others were dropped.

Usage: arbiter trace <id> [flags]

Accepts a trace ID, a request ID or a recommendation ID. Traces are stored for a share of decisions (settings
decisionTraceEnabled and decisionTraceSampleRate). A decision without a trace is repeated from its sealed record.

${connectionHelp}

Example:
  arbiter trace 01a2029b-ab27-746e-9a7a-e14694d7b707`,
  options: connectionOptions,
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('expects one ID');
    return overHttp(call, (client) => client.decisions.get({ params: { id }, query: { include: 'explanation' } }), {
      report: (record) => report(call, record),
    });
  },
};

function report(call: Call, record: DecisionRecord): void {
  const { explanation = null, flow, customerId, recommendationId, requestId, traceId } = record;
  const version = flow.version === null ? '' : ` v${flow.version}`;
  const customer = customerId ?? 'an erased customer';
  const outcome = explanation === null ? decidedAt(record) : counts(record, explanation);
  call.print(`${customer}, flow ${flow.key}${version}, ${outcome}`);
  if (explanation !== null) printExplanation(call, record, explanation);
  call.print('');
  const isTraced = explanation?.source === 'trace' && traceId !== null;
  call.print(`${isTraced ? `Trace ${traceId}` : `Recommendation ${recommendationId}`}, request ${requestId}`);
}

const decidedAt = (record: DecisionRecord): string => `decided at ${record.decidedAt}`;

function counts(record: DecisionRecord, { items, summary }: Explanation): string {
  const group = record.result?.controlGroup === true ? ', control group' : '';
  const when = summary.durationMs === null ? decidedAt(record) : `${digits(summary.durationMs, 1)} ms`;
  return `${items.length} of ${summary.candidateCount} offers, ${when}${group}`;
}

function printExplanation(call: Call, { result }: DecisionRecord, explanation: Explanation): void {
  const { source, items, summary } = explanation;
  if (source === 'replay') call.print('No trace was stored. Repeated from the sealed record:');
  if (source === 'record') call.print('No trace was stored. From the sealed record:');
  printStages(call, explanation);
  printItems(call, items);
  if (items.length === 0) call.print(`No offer was shown. ${emptyText(result?.emptyReason ?? '').text}`);
  printDropped(call, explanation);
  for (const warning of summary.warnings) call.print(`Warning: ${warning}`);
}

function printStages(call: Call, { stages }: Explanation): void {
  const rows = stages.map(({ stage, candidates, passed, dropped, durationMs }) => [
    stageName(stage),
    String(candidates),
    String(passed),
    reasonsOf(dropped),
    digits(durationMs, 2),
  ]);
  printTable(call, ['stage', 'in', 'out', 'dropped by', 'ms'], rows);
}

function printItems(call: Call, items: readonly ExplainedItem[]): void {
  const rows = items.map(({ rank, offerId, offerName, score, selection }) => [
    String(rank),
    offerName ?? offerId,
    digits(score, 4),
    digits(selection?.probability ?? null, 4),
    `${selection?.method ?? ''}${selection?.explored === true ? ', explored' : ''}`,
  ]);
  printTable(call, ['rank', 'offer', 'score', 'probability', 'method'], rows);
}

const format = { number: String, instant: String };

function printDropped(call: Call, explanation: Explanation): void {
  const dropped = offersOf(explanation).filter((story) => story.dropped !== null);
  const rows = dropped
    .slice(0, droppedShown)
    .map((story) => [
      story.name ?? story.offerId,
      stageName(story.dropped?.stage ?? ''),
      reasonText(story.dropped?.reason ?? '').title,
      dropLine(story, format),
    ]);
  printTable(call, ['dropped', 'stage', 'reason', 'detail'], rows);
  const more = dropped.length - droppedShown;
  if (more > 0) call.print(`${more} more were dropped. Use --json to see them.`);
}

const digits = (value: number | null, count: number): string => (value === null ? '' : value.toFixed(count));

const reasonsOf = (dropped: Readonly<Record<string, number>>): string =>
  Object.entries(dropped)
    .map(([reason, count]) => `${reasonText(reason).title} ${count}`)
    .join(', ');

function printTable(call: Call, header: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  call.print('');
  for (const line of tableLines(header, rows)) call.print(line);
}
