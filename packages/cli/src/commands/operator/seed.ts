import { largestCsv } from '@arbiter/contract';
import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { fileAt } from '../../csv-file.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { tableLines } from '../../table.ts';

/** Loading creates everything in one call. */
const timeoutMs = 120_000;
/** Allows for a large file over a slow connection. */
const uploadTimeoutMs = 600_000;

/** Sample data of the tenant (docs/design/api-access.md, sections 13 and 20). */
export const seedList: Command = {
  name: 'seed list',
  summary: 'list sample datasets',
  help: `List the sample datasets and mark the loaded one.

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
        for (const line of tableLines(['key', '', 'name', 'description'], rows)) call.print(line);
      },
    });
  },
};

export const seedLoad: Command = {
  name: 'seed load',
  summary: 'load a sample dataset',
  help: `Load a sample dataset, all or nothing: schemas with rows, channels, offers, creatives, rules, policies and flows.

Usage: arbiter seed load <key> [--force] [flags]

  --force             replace the loaded dataset

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
              `arbiter: ${answer.currentlyLoaded ?? 'another dataset'} is already loaded or loading. Pass --force to replace it.`,
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
  summary: 'remove a sample dataset',
  help: `Remove everything that loading the dataset created, including records added to it since.

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
  summary: 'replace the rows of a sample dataset with a CSV file',
  help: `Replace the rows of one schema of the loaded dataset with the rows of a CSV file, all or nothing.

Usage: arbiter seed upload <key> <file.csv> --schema <name> [flags]

  --schema <name>     schema whose rows are replaced, for example coffee_members

Headers must match the columns of the schema in any letter case or, for bank_clients of retail_bank, the UCI dataset
Bank Marketing. Other columns are ignored, and missing columns stay empty. An invalid row rejects the whole file, and the
error names its line. The file can have up to ${largestCsv.toLocaleString('en')} bytes.

${connectionHelp}`,
  options: { ...connectionOptions, schema: { type: 'string' } },
  async run(call) {
    const [key, path, ...more] = call.positionals;
    if (key === undefined || path === undefined || more.length > 0) {
      throw new UsageError('expects a dataset key and a file');
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
  if (key === undefined || more.length > 0) throw new UsageError('expects a dataset key');
  return key;
}

/** Loads a dataset. If another one is loaded, the API responds without a problem document; returns the key of the other dataset then. */
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
    ['record', 'count'],
    rows.map(([name, count]) => [name, String(count)]),
  ))
    call.print(line);
}
