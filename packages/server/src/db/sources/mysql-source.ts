import type { Connection, FieldPacket, TypeCastField } from 'mysql2';
import type { OutboundSockets } from '../../platform/outbound/outbound-sockets.ts';
import { sizeOf } from '../../platform/sources/source-batches.ts';
import { asSourceError, SourceError } from '../../platform/sources/source-error.ts';
import type { DatabaseSource, DatabaseTarget, TableQuery } from './database-source.ts';

type Row = Record<string, unknown>;

const maxPerPage = 1000;
const pageBytes = 4 * 1024 * 1024;
/** The character set of columns that hold bytes. */
const binaryCharset = 63;

/** Values as rows of a schema take them (docs/design/api-catalogue.md 2.1): text wherever a number would lose digits. */
function parse(field: TypeCastField): unknown {
  const text = () => field.string('utf8');
  switch (field.type) {
    case 'TINY': {
      const value = text();
      // The servers keep the width 1 for columns that were declared as booleans, and for no others.
      return value === null || field.length !== 1 ? numberOf(value) : value !== '0';
    }
    case 'SHORT':
    case 'INT24':
    case 'LONG':
    case 'YEAR':
    case 'FLOAT':
    case 'DOUBLE':
      return numberOf(text());
    case 'BIT': {
      const bytes = field.buffer();
      return bytes === null ? null : BigInt(`0x${bytes.toString('hex') || '0'}`).toString();
    }
    case 'DATETIME':
      return text()?.replace(' ', 'T') ?? null;
    case 'TIMESTAMP': {
      const value = text();
      return value === null ? null : `${value.replace(' ', 'T')}+00:00`;
    }
    case 'JSON': {
      const value = text();
      return value === null ? null : JSON.parse(value);
    }
    case 'DECIMAL':
    case 'NEWDECIMAL':
    case 'LONGLONG':
    case 'DATE':
    case 'NEWDATE':
    case 'TIME':
      return text();
    default:
      // Bytes, or text: the column's character set decides.
      return field.buffer();
  }
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** Reasons of the servers' error numbers. */
const reasons: ReadonlyMap<unknown, SourceError['reason']> = new Map([
  ...[1045, 1130, 1251, 1698, 1862].map((errno) => [errno, 'auth_failed'] as const),
  ...[1044, 1142, 1143, 1227, 1370].map((errno) => [errno, 'permission_denied'] as const),
  ...[1049, 1051, 1054, 1102, 1103, 1109, 1146, 1166].map((errno) => [errno, 'not_found'] as const),
  ...[1040, 1203, 1226].map((errno) => [errno, 'rate_limited'] as const),
  [3159, 'tls_failed'],
]);

function reasonOf(error: unknown): SourceError['reason'] | null {
  if (!(error instanceof Error)) return null;
  const code = String(Reflect.get(error, 'code'));
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT' || code === 'HANDSHAKE_SSL_ERROR') return 'tls_failed';
  if (code.startsWith('AUTH_SWITCH')) return 'auth_failed';
  const errno: unknown = Reflect.get(error, 'errno');
  return reasons.get(errno) ?? (typeof errno === 'number' && errno >= 1000 ? 'unexpected_response' : null);
}

/** `mustOnlyRead`: false for servers that know no such session. They are only sent selects. */
export interface MysqlTarget extends DatabaseTarget {
  readonly mustOnlyRead: boolean;
}

async function connect(
  sockets: OutboundSockets,
  { host, port, database, user, password, ssl }: MysqlTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Connection> {
  const { createConnection } = await import('mysql2');
  const socket = await sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs, signal });
  const isVerified = ssl === 'verify_full';
  return createConnection({
    ...{ host, port, database, user, password, stream: socket, connectTimeout: timeoutMs, typeCast: parse },
    ...(ssl === 'disable' ? {} : { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified } }),
    // A server must not ask for our files, and gets one statement at a time.
    flags: ['-LOCAL_FILES', '-MULTI_STATEMENTS'],
    ...{ timezone: 'Z', charset: 'utf8mb4' },
  });
}

/**
 * Opens a session of MySQL or a relative over a socket that we checked, so that the driver dials nowhere on its own. Times
 * are in UTC. Throws SourceError.
 */
export async function openMysqlSource(
  sockets: OutboundSockets,
  target: MysqlTarget,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DatabaseSource> {
  const { signal } = options;
  const connection = await connect(sockets, target, options).catch((error: unknown) => {
    throw asSourceError(error, reasonOf);
  });
  // A connection that is lost between two statements fails the next one.
  connection.on('error', () => undefined);
  const leave = () => connection.destroy();
  signal.addEventListener('abort', leave, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', leave);
    connection.destroy();
  };
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      // The driver calls back for nothing once its connection is destroyed.
      signal.addEventListener('abort', () => reject(new SourceError('connect_timeout')), { once: true });
      connection.query(sql, (error) => (error ? reject(error) : resolve()));
    });
  try {
    await run("set time_zone = '+00:00'");
    // In this mode the driver's quotes are the server's.
    await run("set sql_mode = ''");
    await run('set session transaction read only').catch((error: unknown) => {
      if (target.mustOnlyRead) throw error;
    });
  } catch (error) {
    await close();
    throw asSourceError(error, reasonOf);
  }
  return { check: () => run('select 1'), pages: (query) => pagesOf(connection, query), close };
}

/** Reads rows as they arrive, and lets the server wait while a page is in use. One select is one snapshot. */
async function* pagesOf(connection: Connection, query: TableQuery): AsyncGenerator<readonly Row[]> {
  const { table, watermark, after, limit } = query;
  const conditions = watermark === null ? '' : ` where ${watermark} ${after === null ? 'is not null' : '> ?'}`;
  const order = watermark === null ? '' : ` order by ${watermark}`;
  const sql = `select * from ${table}${conditions}${order}${limit > 0 ? ` limit ${limit}` : ''}`;
  const select = connection.query(sql, after === null ? [] : [after]);
  const byteColumns = new Set<string>();
  select.on('fields', (fields: readonly FieldPacket[]) => {
    for (const { name, characterSet } of fields) if (characterSet === binaryCharset) byteColumns.add(name);
  });
  const rows: AsyncIterable<Row> = select.stream({ highWaterMark: 100 });
  let page: Row[] = [];
  let size = 0;
  try {
    for await (const row of rows) {
      for (const [name, value] of Object.entries(row)) {
        if (value instanceof Uint8Array)
          row[name] = Buffer.from(value).toString(byteColumns.has(name) ? 'base64' : 'utf8');
      }
      page.push(row);
      size += sizeOf(row);
      if (page.length === maxPerPage || size >= pageBytes) {
        yield page;
        page = [];
        size = 0;
      }
    }
  } catch (error) {
    throw asSourceError(error, reasonOf);
  }
  if (page.length > 0) yield page;
}
