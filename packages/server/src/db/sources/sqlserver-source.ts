import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { OutboundSockets } from '../../platform/outbound/outbound-sockets.ts';
import type { Drivers } from '../../platform/packages/optional-drivers.ts';
import { sizeOf } from '../../platform/sources/source-batches.ts';
import { asSourceError, SourceError } from '../../platform/sources/source-error.ts';
import type { DatabaseSource, DatabaseTarget, TableQuery } from './database-source.ts';
import {
  compared,
  rowValue,
  selected,
  type TdsCell,
  type TdsColumn,
  type TdsConnection,
  type TdsDriver,
} from './sqlserver-values.ts';

type Row = Record<string, unknown>;

const maxPerPage = 1000;
const pageBytes = 4 * 1024 * 1024;

/** Reasons by error number of the server. */
const reasons: ReadonlyMap<unknown, SourceError['reason']> = new Map([
  ...[18_452, 18_456, 18_470, 18_486, 18_487, 18_488].map((number) => [number, 'auth_failed'] as const),
  // 40615: the firewall of Azure SQL doesn't know our address.
  ...[229, 230, 262, 297, 300, 916, 40_615].map((number) => [number, 'permission_denied'] as const),
  ...[207, 208, 911, 4060, 4121, 7202, 40_532].map((number) => [number, 'not_found'] as const),
  ...[10_928, 10_929, 40_501, 40_613, 49_918, 49_919, 49_920].map((number) => [number, 'rate_limited'] as const),
]);

/** Returns what a driver error means. `number`: error number in the server's last message. */
function failureOf(error: unknown, number: unknown): SourceError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError || cause instanceof SourceError) return asSourceError(cause);
  }
  return asSourceError(error, () => {
    if (!(error instanceof Error)) return null;
    const code: unknown = Reflect.get(error, 'code');
    if (code === 'EENCRYPT') return 'tls_failed';
    if (code === 'ELOGIN') return reasons.get(number) ?? 'auth_failed';
    return code === 'EREQUEST' ? (reasons.get(number) ?? 'unexpected_response') : null;
  });
}

/** A session, and the number of the last error that the server sent. */
interface Session {
  readonly driver: TdsDriver;
  readonly connection: TdsConnection;
  failure(error: unknown): SourceError;
}

/**
 * Opens a session on SQL Server or Azure SQL. The driver gets every socket from us, including after a redirect to another
 * server. Throws SourceError, `driver_missing` among others.
 */
export async function openSqlServerSource(
  { drivers, sockets }: { readonly drivers: Drivers; readonly sockets: OutboundSockets },
  { host, port, database, user, password, ssl }: DatabaseTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DatabaseSource> {
  const driver = (await drivers.load('tedious')) as TdsDriver;
  const connection = new driver.Connection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      ...{ port, database, connectTimeout: timeoutMs, requestTimeout: 0, maxRetriesOnTransientErrors: 0 },
      ...{ encrypt: ssl !== 'disable', trustServerCertificate: ssl !== 'verify_full', appName: 'arbiter' },
      connector: (target: { readonly host: string; readonly port: number }) =>
        sockets.connect({ host: target.host, port: target.port, protocol: 'tcp' }, { timeoutMs, signal }),
    },
  });
  let number: unknown;
  connection.on('errorMessage', (message: { readonly number?: unknown }) => {
    number = message.number;
  });
  // A connection that is lost between two statements fails the next one.
  connection.on('error', () => undefined);
  const leave = () => connection.close();
  signal.addEventListener('abort', leave, { once: true });
  const session: Session = { driver, connection, failure: (error) => failureOf(error, number) };
  const close = async () => {
    signal.removeEventListener('abort', leave);
    connection.close();
  };
  try {
    await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
  } catch (error) {
    await close();
    throw signal.aborted ? new SourceError('connect_timeout', { cause: error }) : session.failure(error);
  }
  return {
    async check() {
      await columnsOf(session, 'select 1 as n');
    },
    pages: (query) => pagesOf(session, query),
    close,
  };
}

/** Runs a statement and returns its columns. */
async function columnsOf(session: Session, sql: string): Promise<readonly TdsColumn[]> {
  const { Request } = session.driver;
  return new Promise((resolve, reject) => {
    let columns: readonly TdsColumn[] = [];
    const request = new Request(sql, (error) => (error ? reject(session.failure(error)) : resolve(columns)));
    request.on('columnMetadata', (found: readonly TdsColumn[]) => {
      columns = found;
    });
    session.connection.execSql(request);
  });
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** With row versions in the database, a select reads one snapshot. Without them, it reads each row as it reaches it. */
const snapshot = `if exists (select 1 from sys.databases where database_id = db_id() and snapshot_isolation_state = 1)
  set transaction isolation level snapshot`;

async function* pagesOf(session: Session, query: TableQuery): AsyncGenerator<readonly Row[]> {
  const { table, watermark, after, limit } = query;
  await columnsOf(session, snapshot);
  const columns = await columnsOf(session, `select top (0) * from ${table}`);
  const list = columns.map((column) => selected(column, quoted(column.colName))).join(', ');
  const rising = columns.find(({ colName }) => quoted(colName) === watermark);
  if (watermark !== null && rising === undefined) throw new SourceError('not_found');
  const beyond = rising === undefined || after === null ? 'is not null' : `> ${compared(rising, '@after')}`;
  const conditions = watermark === null ? '' : ` where ${watermark} ${beyond} order by ${watermark}`;
  const sql = `select ${limit > 0 ? `top (${limit}) ` : ''}${list} from ${table}${conditions}`;
  yield* rowsOf(session, sql, after);
}

/** Reads rows as they arrive, and pauses the server while a page is in use. */
async function* rowsOf(session: Session, sql: string, after: string | null): AsyncGenerator<readonly Row[]> {
  const { Request, TYPES } = session.driver;
  let page: Row[] = [];
  let size = 0;
  let end: { readonly error: Error | null } | null = null;
  let next = Promise.withResolvers<void>();
  const request = new Request(sql, (error) => {
    end = { error: error ?? null };
    next.resolve();
  });
  if (after !== null) request.addParameter('after', TYPES.NVarChar, after);
  request.on('row', (cells: readonly TdsCell[]) => {
    const row = Object.fromEntries(cells.map((cell) => [cell.metadata.colName, rowValue(cell)]));
    page.push(row);
    size += sizeOf(row);
    if (page.length < maxPerPage && size < pageBytes) return;
    request.pause();
    next.resolve();
  });
  session.connection.execSql(request);
  for (;;) {
    await next.promise;
    const { error }: { readonly error: Error | null } = end ?? { error: null };
    if (error !== null) throw session.failure(error);
    if (page.length > 0) yield page;
    if (end !== null) return;
    [page, size, next] = [[], 0, Promise.withResolvers<void>()];
    request.resume();
  }
}
