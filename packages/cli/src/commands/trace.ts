import type { DecisionRecord, DroppedOffer, SelectedOffer, DecisionTrace as Trace } from '@arbiter/contract';
import { ApiError, type Client } from '@arbiter/sdk';
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

const digits = (value: number | null, count: number): string => (value === null ? '' : value.toFixed(count));

function reportTrace(call: Call, found: Trace): void {
  const { summary, selectedOffers, dropped } = found;
  const version = found.decisionFlowVersion === null ? '' : ` v${found.decisionFlowVersion}`;
  const group = found.controlGroup ? ', control group' : '';
  call.print(
    `${found.customerId}, flow ${found.decisionFlowKey}${version}, ${selectedOffers.length} of ` +
      `${summary.candidateCount} offers, ${digits(found.totalDurationMs, 1)} ms${group}`,
  );
  const stages = found.pipeline.map((stage) => [
    stage.stage,
    String(stage.candidates),
    String(stage.passed),
    reasonsOf(stage.dropped),
    digits(stage.durationMs, 2),
  ]);
  print(call, ['stage', 'in', 'out', 'dropped by', 'ms'], stages);
  printSelected(call, selectedOffers);
  if (dropped.length > 0) {
    const rows = dropped
      .slice(0, droppedShown)
      .map(({ offerName, stage, reason, detail }) => [offerName, stage, reason, inShort(detail)]);
    print(call, ['dropped', 'stage', 'reason', 'detail'], rows);
    const more = dropped.length - droppedShown;
    if (more > 0) call.print(`${more} more were dropped. Use --json to see them.`);
  }
  for (const warning of summary.warnings) call.print(`Warning: ${warning}`);
  call.print('');
  call.print(`Trace ${found.id}, request ${found.requestId}`);
}

function reportRecord(call: Call, record: DecisionRecord): void {
  const version = record.flow.version === null ? '' : ` v${record.flow.version}`;
  const customer = record.customerId ?? 'an erased customer';
  call.print(`${customer}, flow ${record.flow.key}${version}, decided at ${record.decidedAt}`);
  call.print('No trace was stored. From the sealed record:');
  const { result } = record;
  if (result !== null) {
    printSelected(call, result.items);
    if (result.items.length === 0) call.print(`No offer was shown: ${result.emptyReason ?? ''}`);
  }
  call.print(`Recommendation ${record.recommendationId}, request ${record.requestId}`);
}

type Shown = Pick<SelectedOffer, 'rank' | 'offerId' | 'score' | 'selection'> &
  Partial<Pick<SelectedOffer, 'offerName'>>;

function printSelected(call: Call, selected: readonly Shown[]): void {
  if (selected.length === 0) return;
  const rows = selected.map(({ rank, offerId, offerName, score, selection: { probability, method, explored } }) => {
    const way = `${method}${explored ? ', explored' : ''}`;
    return [String(rank), offerName ?? offerId, digits(score, 4), digits(probability, 4), way];
  });
  print(call, ['rank', 'offer', 'score', 'probability', 'method'], rows);
}

const reasonsOf = (dropped: Readonly<Record<string, number>>): string =>
  Object.entries(dropped)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');

/** Formats a detail on one line: JSON, truncated. */
function inShort(detail: DroppedOffer['detail']): string {
  if (detail === null) return '';
  const text = JSON.stringify(detail);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function print(call: Call, header: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  call.print('');
  for (const line of tableLines(header, rows)) call.print(line);
}
