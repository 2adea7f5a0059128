import pg from 'pg';
import { connectionConfig } from './connection.ts';

/** Schema of graphile-worker's tables and of our door to them; both belong to `arbiter_queue`. */
export const queueSchema = 'graphile_worker';

/**
 * Connections of the job worker, as `arbiter_queue`: that role owns only the queue's tables
 * (docs/adr/0005). `onError` gets broken connections.
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
