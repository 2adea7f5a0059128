import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { closeClient, connectionConfig } from '../connections/connection.ts';

/** How the application reaches its database. */
export interface DatabaseAddress {
  /** For transactions, as the application role. */
  readonly url: string;
  /** For work that needs a session: notifications, the job queue. The same as `url` where that keeps sessions. */
  readonly directUrl: string;
  /** True when `url` goes through a pooler that gives each transaction another session. */
  readonly pooled: boolean;
  /** True when the database coordinates a Citus cluster that holds the tenants' rows. */
  readonly isCluster: boolean;
  /** Workers to connect to directly, `host:port`. */
  readonly workers: readonly string[];
}

/** A notification takes a millisecond; on a stalled machine it may take longer. */
const hearWithinMs = 3_000;
const sayAgainMs = 250;

/**
 * Returns why connections to this URL don't get their own session; null when they do. A pooler that hands each
 * transaction to any session (such as PgBouncer in transaction mode) refuses or drops the settings a session starts
 * with, and never delivers notifications. Testing both works whatever program it is. Throws the driver's error when the
 * database is away.
 */
export async function sessionLoss(url: string): Promise<string | null> {
  const value = randomBytes(8).toString('hex');
  const config = {
    ...connectionConfig({ url, applicationName: 'arbiter start' }),
    options: `-c arbiter.probe=${value}`,
  };
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ value: string | null }>(
      `select current_setting('arbiter.probe', true) as value`,
    );
    if (rows[0]?.value !== value) return 'it drops session settings';
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('unsupported startup parameter')) throw error;
    return 'it rejects session settings';
  } finally {
    await closeClient(client);
  }
  return (await hears(url, url)) ? null : "it doesn't deliver notifications";
}

/**
 * Returns true when a listener on the first URL receives a notification sent on the second: they're one database, and
 * the first keeps sessions.
 */
export async function hears(listenUrl: string, sayUrl: string): Promise<boolean> {
  const channel = `arbiter_probe_${randomBytes(8).toString('hex')}`;
  const listener = new pg.Client(connectionConfig({ url: listenUrl, applicationName: 'arbiter start' }));
  const speaker = new pg.Client(connectionConfig({ url: sayUrl, applicationName: 'arbiter start' }));
  for (const client of [listener, speaker]) client.on('error', () => undefined);
  const late = new AbortController();
  try {
    await listener.connect();
    await speaker.connect();
    await listener.query(`listen ${channel}`);
    const heard = once(listener, 'notification', { signal: late.signal }).then(
      () => true,
      () => false,
    );
    const until = performance.now() + hearWithinMs;
    while (performance.now() < until) {
      await speaker.query('select pg_notify($1, $2)', [channel, '']);
      if (await Promise.race([heard, sleep(sayAgainMs, false)])) return true;
    }
    return false;
  } finally {
    late.abort();
    await Promise.all([listener, speaker].map(closeClient));
  }
}

/**
 * Returns how many connections this role may open at once by the limits of the server, the database and the role.
 * Doesn't subtract connections that others have open.
 */
export async function connectionRoom(url: string): Promise<number> {
  const client = new pg.Client(connectionConfig({ url, applicationName: 'arbiter start' }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ room: number }>(
      `select least(
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0),
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
         (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user)) as room`,
    );
    return rows[0]?.room ?? 0;
  } finally {
    await closeClient(client);
  }
}
