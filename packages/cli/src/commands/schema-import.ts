import { basename, extname } from 'node:path';
import { type CsvAnalysis, type DataSchema, largestCsv } from '@arbiter/contract';
import { ApiError, type Client, type Page } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { fileAt } from '../csv-file.ts';
import { UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

/** Allows for a large file over a slow connection. */
const timeoutMs = 600_000;

/** Loads a file into a schema (docs/guides/from-csv-to-decision.md). */
export const schemaImport: Command = {
  name: 'schema import',
  summary: 'load a CSV or NDJSON file into a schema',
  help: `Load the rows of a CSV or NDJSON file into a schema, all or nothing.

Usage: arbiter schema import <file> [--create <name>] [flags]

  --create <name>     creates the schema first, with the columns that the analysis of the CSV file finds
  --schema <name>     the schema to load the rows into; default: the name of the file
  --key <column>      with --create: the column that identifies the customer; default: the one that the analysis finds
  --read, --no-read   with --create: whether decisions read the rows; default: asks, or yes without a terminal
  --update            overwrites rows whose key exists; default: skips them

The file has a header and at most ${largestCsv.toLocaleString('en')} bytes. When a row doesn't fit, nothing is
stored, and the error names the line.
Files that end in .ndjson or .jsonl have one JSON object on each line.

${connectionHelp}`,
  options: {
    ...connectionOptions,
    create: { type: 'string' },
    schema: { type: 'string' },
    key: { type: 'string' },
    read: { type: 'boolean' },
    'no-read': { type: 'boolean' },
    update: { type: 'boolean' },
  },
  async run(call) {
    const request = await requestOf(call);
    return overHttp(
      call,
      async (client) => {
        const schema = await target(client, call, request);
        const answer = await insertRows(client, call, request, schema);
        return { ...answer, schemaId: schema.id, schema: schema.name };
      },
      {
        report: ({ schema, inserted, updated, skipped }) =>
          call.print(
            `${schema}: ${count(inserted, 'row')} inserted, ${amount(updated)} updated, ${amount(skipped)} skipped`,
          ),
      },
      { timeoutMs },
    );
  },
};

/** Loads the rows. When the server refuses them, a schema that was created for them is deleted, so that you can try again. */
async function insertRows(client: Client, call: Call, { file, create }: Request, { id, name }: SchemaName) {
  try {
    return await client.schemas.insertRows({
      params: { id },
      query: { onDuplicate: call.flags.flag('update') ? 'update' : 'skip' },
      body: file,
      ...(call.flags.flag('json') ? {} : { onProgress: progressLines(call, file.size) }),
    });
  } catch (error) {
    if (create !== undefined && error instanceof ApiError) {
      await client.schemas.delete({ query: { id } });
      call.warn(`arbiter: deleted the schema ${name} again, because its rows were rejected`);
    }
    throw error;
  }
}

const amount = (number: number): string => number.toLocaleString('en-US');

type SchemaName = Pick<DataSchema, 'id' | 'name'>;

interface Request {
  readonly file: File;
  readonly create: string | undefined;
  readonly schema: string;
}

async function requestOf(call: Call): Promise<Request> {
  const [path, ...more] = call.positionals;
  if (path === undefined || more.length > 0) throw new UsageError('expects one file');
  const { flags } = call;
  const create = flags.text('create');
  if (create !== undefined && flags.text('schema') !== undefined)
    throw new UsageError('pass --create or --schema, not both');
  if (create === undefined) {
    for (const name of ['read', 'no-read']) if (flags.flag(name)) throw new UsageError(`--${name} needs --create`);
    if (flags.text('key') !== undefined) throw new UsageError('--key needs --create');
  }
  if (flags.flag('read') && flags.flag('no-read')) throw new UsageError('pass --read or --no-read, not both');
  const isLines = ['.ndjson', '.jsonl'].includes(extname(path).toLowerCase());
  if (isLines && create !== undefined) throw new UsageError('--create needs a CSV file');
  const file = await fileAt(path, isLines ? 'application/x-ndjson' : 'text/csv');
  return { file, create, schema: flags.text('schema') ?? basename(path, extname(path)) };
}

async function target(client: Client, call: Call, { file, create, schema }: Request): Promise<SchemaName> {
  if (create !== undefined) return createSchema(client, call, file, create);
  const wanted = schema.toLowerCase();
  let next: { readonly cursor?: string } | null = {};
  while (next !== null) {
    const page: Page<DataSchema> = await client.list('schemas.list', {
      query: { search: wanted, limit: 200, ...next },
    });
    const found = page.data.find(({ id, name }) => name === wanted || id === wanted);
    if (found !== undefined) return found;
    next = page.next !== null && 'cursor' in page.next ? page.next : null;
  }
  throw new UsageError(`no schema named ${schema}. Pass --create ${schema} to create it`);
}

/** Creates a customer schema with the columns of the file. */
async function createSchema(client: Client, call: Call, file: File, name: string): Promise<DataSchema> {
  const { columns, estimatedRows } = await client.schemas.upload({ body: { file } });
  if (estimatedRows === 0) throw new UsageError('the file has a header but no rows');
  const fields = withKey(columns, call.flags.text('key'));
  const autoEnrich = await wantsReading(call, count(estimatedRows, 'row'));
  return client.schemas.create({ body: { name, displayName: name, schemaType: 'customer', autoEnrich, fields } });
}

/** The columns as fields, with the requested key. */
function withKey(columns: CsvAnalysis['columns'], key: string | undefined) {
  if (key === undefined) {
    if (columns.some(({ isPrimaryKey }) => isPrimaryKey)) return columns;
    throw new UsageError('no column identifies the customer. Name one with --key');
  }
  const wanted = key.toLowerCase();
  if (!columns.some(({ name }) => name === wanted)) {
    throw new UsageError(`no column named ${key}. The file has ${columns.map(({ name }) => name).join(', ')}`);
  }
  return columns.map((column) => {
    const isKey = column.name === wanted;
    return { ...column, isPrimaryKey: isKey, isUnique: isKey, isNullable: !isKey };
  });
}

async function wantsReading(call: Call, what: string): Promise<boolean> {
  if (call.flags.flag('read')) return true;
  if (call.flags.flag('no-read')) return false;
  if (call.ask === undefined) return true;
  for (;;) {
    const answer = (await call.ask(`Should decisions read these ${what}? [Y/n] `)).trim().toLowerCase();
    if (['', 'y', 'yes'].includes(answer)) return true;
    if (['n', 'no'].includes(answer)) return false;
  }
}

/** Prints how far an import is, once for every tenth of the file and every 10,000 rows. */
function progressLines(call: Call, size: number): (data: unknown) => void {
  let last = '';
  return (data) => {
    if (typeof data !== 'object' || data === null) return;
    const { phase, bytes, rows } = data as { readonly phase: string; readonly bytes: number; readonly rows: number };
    const tenth = Math.floor((10 * bytes) / size) * 10;
    const line = phase === 'receiving' ? `sent ${tenth}%` : `stored ${amount(Math.floor(rows / 10_000) * 10_000)} rows`;
    if (line !== last && rows % 10_000 < 1_000 && (phase === 'receiving' || rows >= 10_000)) call.warn(line);
    last = line;
  };
}
