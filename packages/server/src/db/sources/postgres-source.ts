import pg from 'pg';
import type { OutboundSockets } from '../../platform/outbound/outbound-sockets.ts';
import { sizeOf } from '../../platform/sources/source-batches.ts';
import { asSourceError, SourceError } from '../../platform/sources/source-error.ts';
import type { DatabaseSource, DatabaseTarget, TableQuery } from './database-source.ts';

type Row = Record<string, unknown>;

const firstPage = 100;
const maxPerPage = 5_000;
const pageBytes = 4 * 1024 * 1024;

type Run = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Reads through a cursor, one page ahead. */
async function* pagesOf(run: Run, { table, watermark, after, limit }: TableQuery): AsyncGenerator<readonly Row[]> {
  const conditions = watermark === null ? '' : ` where ${watermark} ${after === null ? 'is not null' : '> $1'}`;
  const order = watermark === null ? '' : ` order by ${watermark}`;
  await run('begin transaction isolation level repeatable read, read only');
  await run(
    `declare rows_to_read no scroll cursor for select * from ${table}${conditions}${order}${limit > 0 ? ` limit ${limit}` : ''}`,
    after === null ? [] : [after],
  );
  const fetchPage = (size: number): Promise<Row[]> => {
    const page = run(`fetch ${size} from rows_to_read`);
    // The error is thrown where the page is awaited.
    page.catch(() => undefined);
    return page;
  };
  for (let next = fetchPage(firstPage); ; ) {
    const rows = await next;
    if (rows.length === 0) break;
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
    next = fetchPage(Math.max(1, Math.min(maxPerPage, Math.floor(pageBytes / Math.max(1, bytes)))));
    yield rows;
  }
  await run('commit');
}

const numberTypes = new Set([21, 23, 700, 701]);
const booleanType = 16;
const jsonTypes = new Set([114, 3802]);
const timestampType = 1114;
const instantType = 1184;

/** Values as rows of a schema take them (docs/design/api-catalogue.md 2.1): text wherever a number would lose digits. */
function parse(type: number, text: string): unknown {
  if (numberTypes.has(type)) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === booleanType) return text === 't';
  if (jsonTypes.has(type)) return JSON.parse(text);
  if (type === timestampType) return text.replace(' ', 'T');
  if (type === instantType) return text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  const isList = text.startsWith('{') && !text.startsWith('{"');
  return isList ? pg.types.getTypeParser(type)(text) : text;
}

const authCodes = /^(28|3D000$)/;

/** What an error of the server means, by its SQLSTATE. */
function reasonOf(error: unknown): SourceError['reason'] | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, 'code');
  if (error.message.includes('does not support SSL')) return 'tls_failed';
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return null;
  if (code === '3D000' || code === '42P01' || code === '3F000' || code === '42703') return 'not_found';
  if (authCodes.test(code)) return 'auth_failed';
  if (code === '42501') return 'permission_denied';
  if (code === '53300') return 'rate_limited';
  return 'unexpected_response';
}

/**
 * Opens a session over a socket that we checked, so that the driver dials nowhere on its own. Times are in UTC. Throws
 * SourceError.
 */
export async function openPostgresSource(
  sockets: OutboundSockets,
  { host, port, database, user, password, ssl }: DatabaseTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DatabaseSource> {
  const socket = await sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs, signal }).catch((error) => {
    throw asSourceError(error);
  });
  // The driver calls `connect` on its socket and waits for the event.
  socket.connect = () => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  const client = new pg.Client({
    ...{ host, port, database, user, password, connectionTimeoutMillis: timeoutMs },
    stream: () => socket,
    ssl: ssl === 'disable' ? false : { rejectUnauthorized: ssl === 'verify_full' },
    types: { getTypeParser: (type: number) => (text: string) => parse(type, text) },
    application_name: 'arbiter',
  });
  // A connection that is lost between two statements fails the next one.
  client.on('error', () => undefined);
  const leave = () => socket.destroy();
  signal.addEventListener('abort', leave, { once: true });
  const run: Run = async (text, values = []) => {
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw asSourceError(error, reasonOf);
    }
  };
  const close = async () => {
    signal.removeEventListener('abort', leave);
    // A server that hangs doesn't say goodbye.
    void client.end().catch(() => undefined);
    socket.destroySoon();
  };
  try {
    await client.connect();
    await run("set time zone 'UTC'");
    await run('set default_transaction_read_only = on');
  } catch (error) {
    await close();
    if (signal.aborted) throw new SourceError('connect_timeout', { cause: error });
    throw asSourceError(error, reasonOf);
  }
  return {
    async check() {
      await run('select 1');
    },
    pages: (query) => pagesOf(run, query),
    close,
  };
}
