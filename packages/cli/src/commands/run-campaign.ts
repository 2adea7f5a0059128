import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignRun } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

/** Campaigns are few, so finding one by its name reads all of them. */
const campaignsPerPage = 200;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

export const runCampaign: Command = {
  name: 'run',
  summary: 'start a campaign and follow its run',
  help: `Start a campaign and follow its run until it ends.

Usage: arbiter run <campaign> [flags]

The campaign is an ID or a name. Exits 0 when the run completes, 4 when it completes with errors, 1 when it fails. Ctrl+C stops
following, not the run.

  --no-wait            return as soon as the run is queued

${connectionHelp}

Examples:
  arbiter run "Spring offers"
  arbiter run "Spring offers" --no-wait --json`,
  options: { ...connectionOptions, 'no-wait': { type: 'boolean' } },
  async run(call) {
    const [campaign, ...more] = call.positionals;
    if (campaign === undefined || more.length > 0) throw new UsageError('expects the ID or name of one campaign');
    const ask = async (client: Client): Promise<CampaignRun> => {
      const id = await findCampaign(client, campaign);
      const started = await client.campaignRuns.start({ params: { id } });
      return call.flags.flag('no-wait') ? started : follow(call, client, started);
    };
    return overHttp(call, ask, { report: (run) => report(call, run), codeOf: exitCodeOf });
  },
};

/** Returns the campaign's ID. A text that isn't a name counts as an ID, which the server checks. */
async function findCampaign(client: Client, idOrName: string): Promise<string> {
  for (let offset = 0; ; offset += campaignsPerPage) {
    const { runs, total } = await client.campaigns.list({ query: { limit: campaignsPerPage, offset } });
    const found = runs.find(({ name, status }) => name === idOrName && status !== 'archived');
    if (found !== undefined) return found.id;
    if (offset + campaignsPerPage >= total) return idOrName;
  }
}

/** Polls the run until it ends, with growing pauses. Prints progress to standard error. */
async function follow(call: Call, client: Client, started: CampaignRun): Promise<CampaignRun> {
  const params = { id: started.campaignId, runId: started.id };
  let run = started;
  let printed = '';
  for (let pauseMs = firstPauseMs; isOpen(run); pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const line = progressOf(run);
    if (line !== printed && !call.flags.flag('json')) call.warn(line);
    printed = line;
    await sleep(pauseMs);
    run = await client.campaignRuns.get({ params });
  }
  return run;
}

const isOpen = ({ status }: CampaignRun): boolean => status === 'pending' || status === 'running';

function progressOf({ status, totalCustomers, processedCustomers, skippedCustomers, ...run }: CampaignRun): string {
  if (status === 'pending') return 'Waiting for a worker';
  const left = run.etaSeconds === null ? '' : `, about ${timeOf(run.etaSeconds)} left`;
  return `${processedCustomers + skippedCustomers} of ${count(totalCustomers, 'customer')} (${run.progressPercent}%)${left}`;
}

const timeOf = (seconds: number): string => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

function report(call: Call, run: CampaignRun): void {
  const name = `Run ${run.runNumber}`;
  if (isOpen(run)) {
    call.print(`${name} is ${run.status}: ${run.id}`);
    return;
  }
  const words = { completed: 'completed', completed_with_errors: 'completed with errors', failed: 'failed' } as const;
  call.print(`${name} ${words[run.status as keyof typeof words]}: ${run.id}`);
  if (run.error !== null) call.print(`  ${run.error.message} (${run.error.code})`);
  const items = `${count(run.totalRecommendations, 'offer')} for ${run.customersWithRecommendations}`;
  call.print(`  ${count(run.processedCustomers, 'customer')} decided: ${items} of them`);
  if (run.skippedCustomers > 0)
    call.print(`  ${run.skippedCustomers} skipped, ${run.skippedByCaps} by the run's limits`);
  if (run.failedCustomers > 0) call.print(`  ${run.failedCustomers} failed`);
  if (run.fileUrl !== null) call.print(`  File: ${run.fileUrl}`);
}

function exitCodeOf({ status }: CampaignRun): number {
  if (status === 'failed') return exitCodes.refused;
  return status === 'completed_with_errors' ? exitCodes.differences : exitCodes.ok;
}
