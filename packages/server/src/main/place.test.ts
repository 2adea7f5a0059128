import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigError, readConfig } from '../config.ts';
import type { DatabaseAddress } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { createLogger } from '../platform/logger.ts';
import { choosePlace, connectionsNeeded } from './place.ts';

let db: TestDatabase;
let direct: DatabaseAddress;
before(async () => {
  db = await createTestDatabase();
  direct = { url: db.url, directUrl: db.url, pooled: false, isCluster: false, workers: [] };
});
after(() => db?.close());

const configOf = (environment: Record<string, string>) => readConfig({ PORT: '0', STUDY_THREADS: '2', ...environment });

test('each process has its own pools, and one of them the queue', () => {
  const needed = (environment: Record<string, string>, pooled = false) =>
    connectionsNeeded(configOf(environment), pooled);
  // The pool, two for rate limits, six for decisions, two for simulations, one for the roll-up, one that listens; three for jobs,
  // two for campaigns, two for studies, one for checks.
  assert.equal(needed({}), 10 + 2 + 6 + 2 + 1 + 1 + 3 + 2 + 2 + 1);
  assert.equal(needed({ PROCESSES: '4', DATABASE_POOL_MAX: '5' }), 4 * 17 + 3 + 2 + 2 + 1);
  assert.equal(needed({ PROCESSES: '4', WORKER: 'off' }), 4 * 22);
  assert.equal(needed({ PROCESSES: '4' }, true), 4 + 3, 'past a pooler: listeners and the queue');
});

test('rejects several processes that could not all connect, and warns a single one', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('warn', { write: (line) => lines.push(JSON.parse(line)) });
  const [{ name }] = (await db.ownerQuery<{ name: string }>('select current_database() as name')) as [{ name: string }];
  await db.ownerQuery(`alter database ${name} connection limit 24`);
  const one = await choosePlace(configOf({}), direct, logger);
  assert.match(one.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(String(lines[0]?.msg), /^1 process with DATABASE_POOL_MAX 10 can open 30 connections, .* this role 24 /);
  await assert.rejects(
    choosePlace(configOf({ PROCESSES: '2' }), direct, logger),
    (error) =>
      error instanceof ConfigError &&
      /^PROCESSES can't be 2: 2 processes .* can open 52 connections/.test(error.message),
  );
  await choosePlace(configOf({ PROCESSES: '2' }), { ...direct, pooled: true }, logger);
  assert.equal(lines.length, 1);
});
