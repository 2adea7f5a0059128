import pg from 'pg';

/** Settings every connection of ours starts with. */
export interface ConnectionOptions {
  /** PostgreSQL URL; `?host=/folder` names a unix socket. */
  readonly url: string;
  readonly applicationName?: string;
  /** Milliseconds until an attempt to connect, or to borrow a connection, is given up. */
  readonly connectTimeoutMs?: number;
  /** Role taken right after the login (`arbiter_queue` for the worker's pool). */
  readonly role?: string;
}

const int8 = 20;
const date = 1082;
const timestampWithoutZone = 1114;

/**
 * How column types become JavaScript values: int8 is a number while it is exact, else the digits as a string;
 * numeric stays a string; date and timestamp without zone stay as written (the driver would move them into the
 * process's zone); timestamptz is a Date; json and jsonb are parsed.
 */
const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === int8) return parseInt8;
      if (oid === date || oid === timestampWithoutZone) return asWritten;
    }
    return pg.types.getTypeParser(oid, format);
  },
};

/** Configuration for a `pg` client or pool. */
export function connectionConfig(options: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? 'arbiter',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types: columnTypes,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
  };
}

function parseInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function asWritten(text: string): string {
  return text;
}

/** Closes a connection whose work is done. One that is lost by then needs no closing, so its error says nothing new. */
export async function closeClient(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
