import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { poolerMissing, startTestPooler, type TestPooler, type TestPoolerOptions } from '../test-pooler.ts';
import { connectionRoom, hears, sessionLoss } from './session-check.ts';

let db: TestDatabase;
let other: TestDatabase;
before(async () => {
  db = await createTestDatabase();
  other = await createTestDatabase();
});
after(async () => {
  await db?.close();
  await other?.close();
});

test('the database itself keeps sessions, and its notifications arrive', async () => {
  assert.equal(await sessionLoss(db.url), null);
  assert.equal(await hears(db.url, db.url), true);
});

test("notifications of another database of the same server don't arrive", async () => {
  assert.equal(await hears(db.url, other.url), false);
});

test('the connection limit is the lowest of server, database and role', async () => {
  const room = await connectionRoom(db.url);
  const [{ most }] = (await db.ownerQuery<{ most: number }>(
    `select current_setting('max_connections')::int as most`,
  )) as [{ most: number }];
  assert.ok(room > most / 2 && room < most, `${room} of ${most}`);
  const [{ name }] = (await db.ownerQuery<{ name: string }>('select current_database() as name')) as [{ name: string }];
  await db.ownerQuery(`alter database ${name} connection limit 17`);
  assert.equal(await connectionRoom(db.url), 17);
  await db.ownerQuery(`alter database ${name} connection limit -1`);
});

const missing = poolerMissing();

describe('a pooler in transaction mode', { skip: missing ?? false }, () => {
  const losses: readonly (readonly [string, Partial<TestPoolerOptions>, string | null])[] = [
    ['is known by the settings that it refuses', {}, 'it rejects session settings'],
    [
      'is known by the settings that it drops',
      { settings: ['ignore_startup_parameters = options'] },
      'it drops session settings',
    ],
  ];
  for (const [what, options, expected] of losses) {
    test(what, async (t) => {
      const pooler = await startTestPooler({ clusterUrl: db.adminUrl, mode: 'transaction', sessions: 4, ...options });
      t.after(() => pooler.stop());
      assert.equal(await sessionLoss(pooler.urlOf(db.url)), expected);
    });
  }

  test('is the same database: notifications sent through it arrive past it, but not the reverse', async (t) => {
    const pooler: TestPooler = await startTestPooler({ clusterUrl: db.adminUrl, mode: 'transaction', sessions: 4 });
    t.after(() => pooler.stop());
    assert.equal(await hears(db.url, pooler.urlOf(db.url)), true);
    assert.equal(await hears(pooler.urlOf(db.url), db.url), false);
    assert.equal(await hears(db.url, pooler.urlOf(other.url)), false);
  });
});
