// A database with the demo, as `npm start` leaves it, built once per test run and copied for each stage.
import { setTimeout as sleep } from 'node:timers/promises';
import { createCopyOf, type TestDatabase } from '../../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../../deadline.ts';
import { createInstallation } from '../../faults/server-process.ts';

/** Secrets of the demo's server: those of a copy must be the same. */
export const demoSecrets: Readonly<Record<string, string>> = {
  API_KEY_PEPPER: '1'.repeat(64),
  DATA_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
  NEXTAUTH_SECRET: '2'.repeat(64),
};

/** Public address while the demo is built. */
const builderUrl = 'http://demo.invalid';
const settledWithinMs = 120_000;

/** A copy of the demo's database. */
export interface DemoDatabase {
  readonly database: TestDatabase;
  /** What the server printed at its first start, with this address as its own. */
  printed(url: string): string;
}

/**
 * Returns a copy of the demo's database. Its sign-in link opens for a day instead of ten minutes, because the copy may be
 * older than that.
 */
export async function createDemoDatabase(): Promise<DemoDatabase> {
  const { database, note } = await createCopyOf('arbiter_demo', buildDemo);
  return { database, printed: (url) => note.replaceAll(builderUrl, url) };
}

/** Starts a server on an empty database, waits until it has done what follows from loading the demo, and stops it. */
async function buildDemo(database: TestDatabase): Promise<string> {
  const environment = { ...demoSecrets, DATABASE_URL: database.url, NEXTAUTH_URL: builderUrl };
  const installation = await createInstallation(environment, []);
  try {
    const server = await installation.start();
    await jobsDone(database);
    server.kill('SIGTERM');
    await server.ended;
    await database.ownerQuery(`update arbiter.user_tokens set expires_at = now() + interval '1 day'`);
    return server.output();
  } finally {
    await installation.stopAll();
  }
}

async function jobsDone(database: TestDatabase): Promise<void> {
  const start = performance.now();
  for (;;) {
    const [row] = await database.ownerQuery<{ waiting: number }>(
      'select count(*)::int as waiting from graphile_worker.jobs where run_at <= now() and attempts < max_attempts',
    );
    if (row?.waiting === 0) return;
    assertInTime(performance.now() - start < settledWithinMs, 'the jobs of the demo');
    await sleep(100);
  }
}
