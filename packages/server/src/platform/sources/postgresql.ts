import pg from 'pg';
import type { OutboundSockets } from '../outbound/outbound-sockets.ts';
import { asSourceError, SourceError } from './source-error.ts';

/** Where a PostgreSQL server is, and who signs in. */
export interface PostgresTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly ssl: 'disable' | 'require' | 'verify_full';
}

/** A session that can only read. */
export interface PostgresSession {
  /** Throws SourceError. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
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
 * Opens a session over a socket that we checked, so that the driver dials nowhere by itself. Times are in UTC. Throws
 * SourceError.
 */
export async function openPostgres(
  sockets: OutboundSockets,
  { host, port, database, user, password, ssl }: PostgresTarget,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PostgresSession> {
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
  const session: PostgresSession = {
    async query(text, values = []) {
      try {
        return (await client.query<Record<string, unknown>>(text, [...values])).rows;
      } catch (error) {
        throw asSourceError(error, reasonOf);
      }
    },
    async close() {
      signal.removeEventListener('abort', leave);
      await client.end().catch(() => undefined);
      socket.destroy();
    },
  };
  try {
    await client.connect();
    await session.query("set time zone 'UTC'");
    await session.query('set default_transaction_read_only = on');
  } catch (error) {
    await session.close();
    if (signal.aborted) throw new SourceError('connect_timeout', { cause: error });
    throw asSourceError(error, reasonOf);
  }
  return session;
}
