import { setTimeout as sleep } from 'node:timers/promises';
import type { PipelineProgress, PipelineRunCreated } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** Bad rows to print. The API has more of them. */
const rowsShown = 5;

/** What --json prints: the new run, and its progress unless --no-wait. */
type Outcome = PipelineRunCreated & { readonly progress?: PipelineProgress };

export const pipelinesRun: Command = {
  name: 'pipelines run',
  summary: 'run a pipeline and follow the run',
  help: `Run a pipeline and follow the run until it ends.

Usage: arbiter pipelines run <pipeline> [flags]

The pipeline is an ID or a name. Exits 0 when the run completes, 4 when it completes with errors, 1 when it fails. Ctrl+C stops
following, not the run.

  --no-wait            return as soon as the run is queued

${connectionHelp}

Examples:
  arbiter pipelines run "Customers from the warehouse"
  arbiter pipelines run "Customers from the warehouse" --no-wait --json`,
  options: { ...connectionOptions, 'no-wait': { type: 'boolean' } },
  async run(call) {
    const [pipeline, ...more] = call.positionals;
    if (pipeline === undefined || more.length > 0) throw new UsageError('expects the ID or name of one pipeline');
    const ask = async (client: Client): Promise<Outcome> => {
      const id = await findPipeline(client, pipeline);
      const started = await client.pipelineRuns.start({ params: { id } });
      return call.flags.flag('no-wait') ? started : { ...started, progress: await follow(call, client, started) };
    };
    return overHttp(call, ask, { report: (outcome) => report(call, outcome), codeOf: exitCodeOf });
  },
};

/** Returns the pipeline's ID. Text that matches no name is used as an ID, which the server checks. */
async function findPipeline(client: Client, idOrName: string): Promise<string> {
  const { data } = await client.pipelines.list({ query: { search: idOrName.slice(0, 255), limit: 200 } });
  return data.find(({ name }) => name === idOrName)?.id ?? idOrName;
}

/** Polls the run until it ends, with growing pauses. Prints progress to standard error. */
async function follow(call: Call, client: Client, { pipelineId, id }: PipelineRunCreated): Promise<PipelineProgress> {
  const params = { id: pipelineId, runId: id };
  let printed = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const progress = await client.pipelineRuns.progress({ params });
    if (progress.status !== 'pending' && progress.status !== 'running') return progress;
    const line = progress.status === 'pending' ? 'Waiting for a worker' : `${count(progress.rowsIn, 'row')} read`;
    if (line !== printed && !call.flags.flag('json')) call.warn(line);
    printed = line;
    await sleep(pauseMs);
  }
}

function report(call: Call, { id, runNumber, status, progress }: Outcome): void {
  if (progress === undefined) {
    call.print(`Run ${runNumber} is ${status}: ${id}`);
    return;
  }
  call.print(`Run ${runNumber} ${progress.status.replaceAll('_', ' ')}: ${id}`);
  if (progress.error !== null) call.print(`  ${progress.error.message} (${progress.error.code})`);
  call.print(`  ${count(progress.rowsIn, 'row')} read, ${progress.rowsOut} written`);
  if (progress.skippedRows > 0) call.print(`  ${progress.skippedRows} skipped`);
  if (progress.failedRows > 0) call.print(`  ${progress.failedRows} didn't match the schema`);
  for (const { row, column, error } of progress.validationErrors.slice(0, rowsShown)) {
    call.print(`    row ${row}${column === null ? '' : `, ${column}`}: ${error}`);
  }
}

function exitCodeOf({ progress }: Outcome): number {
  if (progress === undefined || progress.status === 'completed') return exitCodes.ok;
  return progress.status === 'completed_with_errors' ? exitCodes.differences : exitCodes.refused;
}
