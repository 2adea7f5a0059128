import pg from 'pg';
import { connectionConfig } from './connection.ts';

/** Schema of graphile-worker's tables and our access functions. Both belong to `arbiter_queue`. */
export const queueSchema = 'graphile_worker';

/**
 * Opens the job worker's connections as `arbiter_queue`, a role that owns only the queue's tables
 * (docs/architecture.md). `onError` receives broken connections.
 */
export function createQueuePool(url: string, max: number, onError: (error: unknown) => void): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig({ url, role: 'arbiter_queue', applicationName: 'arbiter worker', connectTimeoutMs: 5_000 }),
    max,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
