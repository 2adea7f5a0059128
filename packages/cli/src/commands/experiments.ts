import type { Experiment, ExperimentResults } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

const perPage = 200;

/** `experiments list`: the tenant's experiments. */
export const experimentsList: Command = {
  name: 'experiments list',
  summary: 'list experiments',
  help: `List the tenant's experiments, newest first.

Usage: arbiter experiments list [flags]

  --status <status>   only draft, active, paused, completed or archived ones

${connectionHelp}`,
  options: { ...connectionOptions, status: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    const status = call.flags.text('status');
    // The server checks the word.
    const query = { limit: perPage, ...(status === undefined ? {} : { status: status as Experiment['status'] }) };
    return overHttp(call, (client) => client.experiments.list({ query }), {
      report: ({ data }) => reportList(call, data),
    });
  },
};

/** `experiments results`: how the variants of an experiment compare. */
export const experimentsResults: Command = {
  name: 'experiments results',
  summary: 'show the results of an experiment',
  help: `Show how the variants of an experiment compare with its champion.

Usage: arbiter experiments results <experiment> [flags]

The experiment is an ID or a key.

${connectionHelp}

Examples:
  arbiter experiments results gbm-against-bayes`,
  options: connectionOptions,
  async run(call) {
    const [experiment, ...more] = call.positionals;
    if (experiment === undefined || more.length > 0) throw new UsageError('expects the ID or key of one experiment');
    const ask = async (client: Client) =>
      client.experiments.results({ params: { id: await findExperiment(client, experiment) } });
    return overHttp(call, ask, { report: (results) => report(call, results) });
  },
};

/** Returns the experiment's ID. A text that isn't a key counts as an ID, which the server checks. */
async function findExperiment(client: Client, text: string): Promise<string> {
  const { data } = await client.experiments.list({ query: { search: text, limit: perPage } });
  return data.find(({ key }) => key === text)?.id ?? text;
}

function reportList(call: Call, experiments: readonly Experiment[]): void {
  if (experiments.length === 0) {
    call.print('No experiments.');
    return;
  }
  const rows = experiments.map(({ key, status, startedAt, autoPromoteVerdict, name }) => [
    key,
    status,
    startedAt ?? '-',
    autoPromoteVerdict ?? '-',
    name,
  ]);
  for (const line of tableLines(['key', 'status', 'started at', 'verdict', 'name'], rows)) call.print(line);
  call.print('Run "arbiter experiments results <key>" to compare the variants of one.');
}

const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(2)}%`);

function report(call: Call, { experimentKey, status, metric, variants, srm, autoPromoteVerdict }: ExperimentResults) {
  call.print(`${experimentKey} is ${status}. Conversions: ${metric}.`);
  const rows = variants.map((row) => [
    row.variant,
    String(row.exposed),
    String(row.converted),
    percent(row.rate),
    row.ciLower === null ? '-' : `${percent(row.ciLower)} to ${percent(row.ciUpper)}`,
    percent(row.absoluteUplift),
    row.pValue === null ? '-' : row.pValue.toPrecision(3),
    row.significant === null ? '-' : row.significant ? 'yes' : 'no',
  ]);
  const titles = ['variant', 'exposed', 'converted', 'rate', '95% interval', 'uplift', 'p', 'significant'];
  for (const line of tableLines(titles, rows)) call.print(line);
  if (srm?.mismatch === true) {
    call.print(
      `The group sizes don't match the configured shares (p ${srm.pValue.toPrecision(3)}). Don't trust these results.`,
    );
  }
  if (autoPromoteVerdict !== null) call.print(`Verdict: ${autoPromoteVerdict}`);
}
