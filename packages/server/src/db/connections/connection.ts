import pg from 'pg';

/** Settings that each of our connections starts with. */
export interface ConnectionOptions {
  /** PostgreSQL URL; `?host=/folder` names a unix socket. */
  readonly url: string;
  readonly applicationName?: string;
  /** Milliseconds before an attempt to connect, or to borrow a connection, fails. */
  readonly connectTimeoutMs?: number;
  /** Role to switch to after login (`arbiter_queue` for the worker's pool). */
  readonly role?: string;
}

const int8 = 20;
const date = 1082;
const timestampWithoutZone = 1114;

/**
 * How column types become JavaScript values. int8 is a number while that's exact, otherwise its digits as a string;
 * numeric stays a string; date and timestamp without zone stay as written, because the driver would shift them to the
 * process's time zone; timestamptz is a Date; json and jsonb are parsed.
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

/**
 * Closes a connection that's no longer needed. If it's already lost there's nothing to close, so the error is ignored.
 */
export async function closeClient(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
