import type { Operations } from '@arbiter/contract';
import { ApiError, type CallBody, type Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

type Trace = CallBody<Operations['decisionTraces.get']>;
type DecisionRecord = CallBody<Operations['decisions.get']>;

/** Maximum number of dropped offers in the output; `--json` has up to 500. */
const droppedShown = 20;

export const trace: Command = {
  name: 'trace',
  summary: 'show how a decision was made, stage by stage',
  help: `Show how a decision was made: how many offers passed each stage of the flow, what was shown with which probability, and
why the others were dropped.

Usage: arbiter trace <id> [flags]

Accepts a trace ID, a request ID or a recommendation ID. Traces are stored for a share of decisions (settings
decisionTraceEnabled and decisionTraceSampleRate). For a decision without a trace, shows the sealed record.

${connectionHelp}

Example:
  arbiter trace 01a2029b-ab27-746e-9a7a-e14694d7b707`,
  options: connectionOptions,
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('expects one ID');
    return overHttp<Trace | DecisionRecord>(call, (client) => find(client, id), {
      report: (found) => (isRecord(found) ? reportRecord(call, found) : reportTrace(call, found)),
    });
  },
};

/** Finds a trace by its ID, or through the record of a request or recommendation. */
async function find(client: Client, id: string): Promise<Trace | DecisionRecord> {
  try {
    return await client.decisionTraces.get({ params: { id } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  const record = await client.decisions.get({ params: { id } });
  if (record.traceId === null) return record;
  try {
    return await client.decisionTraces.get({ params: { id: record.traceId } });
  } catch (error) {
    // Traces have a shorter retention than records.
    if (error instanceof ApiError && error.status === 404) return record;
    throw error;
  }
}

const isRecord = (found: Trace | DecisionRecord): found is DecisionRecord => 'inputsState' in found;

type Row = Readonly<Record<string, unknown>>;

const rowOf = (value: unknown): Row => (typeof value === 'object' && value !== null ? { ...value } : {});
const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.map(rowOf) : []);
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
const digits = (value: unknown, count: number): string => (typeof value === 'number' ? value.toFixed(count) : '');

function reportTrace(call: Call, body: Trace): void {
  const found = rowOf(body);
  const summary = rowOf(found.summary);
  const selected = rowsOf(found.selectedOffers);
  const version = found.decisionFlowVersion === null ? '' : ` v${textOf(found.decisionFlowVersion)}`;
  const group = found.controlGroup === true ? ', control group' : '';
  call.print(
    `${textOf(found.customerId)}, flow ${textOf(found.decisionFlowKey)}${version}, ${selected.length} of ` +
      `${textOf(summary.candidateCount)} offers, ${digits(found.totalDurationMs, 1)} ms${group}`,
  );
  const stages = rowsOf(found.pipeline).map((stage) => [
    textOf(stage.stage),
    textOf(stage.candidates),
    textOf(stage.passed),
    reasonsOf(stage.dropped),
    digits(stage.durationMs, 2),
  ]);
  print(call, ['stage', 'in', 'out', 'dropped by', 'ms'], stages);
  printSelected(call, selected);
  const dropped = rowsOf(found.dropped);
  if (dropped.length > 0) {
    const rows = dropped
      .slice(0, droppedShown)
      .map(({ offerName, stage, reason, detail }) => [
        textOf(offerName),
        textOf(stage),
        textOf(reason),
        inShort(detail),
      ]);
    print(call, ['dropped', 'stage', 'reason', 'detail'], rows);
    const more = dropped.length - droppedShown;
    if (more > 0) call.print(`${more} more were dropped. Use --json to see them.`);
  }
  for (const warning of Array.isArray(summary.warnings) ? summary.warnings : [])
    call.print(`Warning: ${textOf(warning)}`);
  call.print('');
  call.print(`Trace ${textOf(found.traceId ?? found.id)}, request ${textOf(found.requestId)}`);
}

function reportRecord(call: Call, record: DecisionRecord): void {
  const version = record.flow.version === null ? '' : ` v${record.flow.version}`;
  const customer = record.customerId ?? 'an erased customer';
  call.print(`${customer}, flow ${record.flow.key}${version}, decided at ${record.decidedAt}`);
  call.print('No trace was stored. From the sealed record:');
  const { items, emptyReason } = rowOf(record.result);
  const shown = rowsOf(items);
  printSelected(call, shown);
  if (shown.length === 0 && record.result !== null) call.print(`No offer was shown: ${textOf(emptyReason)}`);
  call.print(`Recommendation ${record.recommendationId}, request ${record.requestId}`);
}

function printSelected(call: Call, selected: readonly Row[]): void {
  if (selected.length === 0) return;
  const rows = selected.map(({ rank, offerId, offerName, score, selection }) => {
    const { probability, method, explored } = rowOf(selection);
    const way = `${textOf(method)}${explored === true ? ', explored' : ''}`;
    return [textOf(rank), textOf(offerName ?? offerId), digits(score, 4), digits(probability, 4), way];
  });
  print(call, ['rank', 'offer', 'score', 'probability', 'method'], rows);
}

const reasonsOf = (dropped: unknown): string =>
  Object.entries(rowOf(dropped))
    .map(([reason, count]) => `${reason} ${textOf(count)}`)
    .join(', ');

/** Formats a detail on one line; objects as JSON, truncated. */
function inShort(detail: unknown): string {
  if (detail === null || detail === undefined) return '';
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function print(call: Call, header: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  call.print('');
  for (const line of tableLines(header, rows)) call.print(line);
}
