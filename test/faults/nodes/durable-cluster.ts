// A durable PostgreSQL for one test file, which may be killed too, with a superuser's connection.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../packages/server/src/db/embedded/embedded-postgres.ts';
import type { Query } from '../checkers/checker.ts';

export interface DurableCluster {
  /** Environment of a server on this cluster, which runs the migrations itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly pool: pg.Pool;
  /** Ends PostgreSQL without a shutdown (SIGQUIT: "immediate"). Its supervisor restarts it. */
  crash(): Promise<void>;
  /** Resolves when the database answers again. */
  answering(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDurableCluster(): Promise<DurableCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-durable-'));
  const cluster = await startEmbeddedPostgres({ folder });
  const pool = new pg.Pool({ connectionString: cluster.adminUrl, max: 2, connectionTimeoutMillis: 1_000 });
  pool.on('error', () => undefined);
  return {
    environment: { DATABASE_URL: cluster.url, DATABASE_ADMIN_URL: cluster.adminUrl },
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as Row[],
    pool,
    async crash() {
      const pid = Number.parseInt(await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10);
      process.kill(pid, 'SIGQUIT');
      for (let tries = 0; tries < 500; tries++) {
        try {
          process.kill(pid, 0);
        } catch {
          return;
        }
        await sleep(5);
      }
      throw new Error('PostgreSQL did not end');
    },
    async answering() {
      const until = performance.now() + 30_000;
      for (;;) {
        try {
          await pool.query('select 1');
          return;
        } catch (error) {
          if (performance.now() > until) throw error;
          await sleep(20);
        }
      }
    },
    async stop() {
      await pool.end();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
