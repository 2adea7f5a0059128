import { largestCsv } from '@arbiter/contract';
import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { fileAt } from '../csv-file.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

/** Loading creates everything in one call. */
const timeoutMs = 120_000;
/** A large file over a slow line. */
const uploadTimeoutMs = 600_000;

/** Demo data of the tenant, see docs/design/api-access.md 13 and 20. */
export const seedList: Command = {
  name: 'seed list',
  summary: 'datasets of demo data',
  help: `List the datasets of demo data; the one that is loaded is marked.

Usage: arbiter seed list [flags]

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    return overHttp(call, (client) => client.seedDatasets.list(), {
      report({ datasets }) {
        const rows = datasets.map(({ key, name, loaded, description }) => [
          key,
          loaded ? 'loaded' : '',
          name,
          description,
        ]);
        for (const line of tableLines(['key', '', 'name', 'what'], rows)) call.print(line);
      },
    });
  },
};

export const seedLoad: Command = {
  name: 'seed load',
  summary: 'load a dataset of demo data',
  help: `Load a dataset of demo data: schemas with rows, channels, offers, creatives, rules, policies and flows; all or nothing.

Usage: arbiter seed load <key> [--force] [flags]

  --force             replaces the dataset that is loaded

${connectionHelp}`,
  options: { ...connectionOptions, force: { type: 'boolean' } },
  async run(call) {
    const key = keyOf(call);
    const force = call.flags.flag('force');
    return overHttp(
      call,
      (client) => load(client, key, force),
      {
        report: (answer) => {
          if ('counts' in answer) reportCounts(call, answer);
          else
            call.warn(
              `arbiter: ${answer.currentlyLoaded ?? 'a dataset'} is loaded or being loaded; --force replaces it`,
            );
        },
        codeOf: (answer) => ('counts' in answer ? exitCodes.ok : exitCodes.refused),
      },
      { timeoutMs },
    );
  },
};

export const seedUnload: Command = {
  name: 'seed unload',
  summary: 'remove a dataset of demo data',
  help: `Remove what the load of a dataset created, with what was made below it since.

Usage: arbiter seed unload <key> [flags]

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    const key = keyOf(call);
    return overHttp(
      call,
      (client) => client.seedDatasets.unload({ params: { key } }),
      {
        report: (answer) => reportCounts(call, answer),
      },
      { timeoutMs },
    );
  },
};

export const seedUpload: Command = {
  name: 'seed upload',
  summary: 'put the rows of a CSV file in the place of those of a dataset',
  help: `Put the rows of a CSV file in the place of those of one schema of a dataset that is loaded; all or nothing.

Usage: arbiter seed upload <key> <file.csv> --schema <name> [flags]

  --schema <name>     the schema whose rows are replaced, coffee_members

The headers are the columns of the schema in any letter case, or, for bank_clients of retail_bank, those of the UCI data
set Bank Marketing. Other columns of the file are left out, columns that it lacks are empty. A row that does not fit
refuses the file and is named by its line. At most ${largestCsv.toLocaleString('en')} bytes.

${connectionHelp}`,
  options: { ...connectionOptions, schema: { type: 'string' } },
  async run(call) {
    const [key, path, ...more] = call.positionals;
    if (key === undefined || path === undefined || more.length > 0) {
      throw new UsageError('takes the key of one dataset and one file');
    }
    const schema = call.flags.text('schema');
    if (schema === undefined) throw new UsageError('needs --schema');
    const file = await fileAt(path);
    return overHttp(
      call,
      (client) => client.seedDatasets.upload({ params: { key }, body: { schema, file } }),
      { report: ({ message }) => call.print(message) },
      { timeoutMs: uploadTimeoutMs },
    );
  },
};

function keyOf(call: Call): string {
  const [key, ...more] = call.positionals;
  if (key === undefined || more.length > 0) throw new UsageError('takes the key of one dataset');
  return key;
}

/** The refusal of a dataset beside another has a form of its own, which names it. */
async function load(client: Client, key: string, force: boolean) {
  try {
    return await client.seedDatasets.load({ params: { key }, query: { force } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409 || error.problem !== null) throw error;
    const { currentlyLoaded } = await client.seedDatasets.list();
    return { currentlyLoaded };
  }
}

function reportCounts(
  call: Call,
  { message, counts }: { readonly message: string; readonly counts: Readonly<Record<string, number>> },
): void {
  call.print(message);
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  for (const line of tableLines(
    ['what', 'count'],
    rows.map(([name, count]) => [name, String(count)]),
  ))
    call.print(line);
}
