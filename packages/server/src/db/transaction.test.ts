import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { newId } from '../platform/ids.ts';
import { systemClock } from '../platform/time/clock.ts';
import { connectionConfig } from './connections/connection.ts';
import { systemActor } from './database.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { openTransaction, type TransactionFacts } from './transaction.ts';
import type { PlainStatement } from './tx.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

const definition = { text: 'select 1', values: [], undo: { text: 'select 2', values: [] } };

/** Defines something and commits over a connection that fails so. Returns what ran apart. */
async function statementsApart(failure: Error): Promise<string[]> {
  const client = new pg.Client(connectionConfig({ url: db.url }));
  await client.connect();
  const ran: string[] = [];
  const facts: TransactionFacts = {
    ...{ tenantId: newId(), actor: systemActor('test'), requestId: newId(), clock: systemClock },
    ...{ statementTimeoutMs: 5_000, until: Infinity, snapshot: null },
    async runApart({ text }: PlainStatement) {
      ran.push(text);
      return [];
    },
  };
  try {
    const open = await openTransaction(client, facts);
    await open.tx.define(definition);
    Object.defineProperty(client, 'query', { value: () => Promise.reject(failure) });
    await assert.rejects(open.commit());
    await open.rollback();
    await open.undoDefinitions();
  } finally {
    await client.end();
  }
  return ran;
}

test('discards definitions if the database rejects the commit, and keeps them if the commit may have happened', async () => {
  const refused = Object.assign(new Error('refused'), { severity: 'ERROR', code: '23505' });
  assert.deepEqual(await statementsApart(refused), ['select 1', 'select 2']);
  assert.deepEqual(await statementsApart(new Error('Connection terminated unexpectedly')), ['select 1']);
});

/** Starts two statements at once, keeps this process busy, and returns whether the second ran in the meantime. */
async function ranBehindBusyProcess(pipelines: boolean): Promise<boolean> {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  return db.database.withTenant(
    newId(),
    systemActor('test'),
    async (tx) => {
      const both = Promise.all([tx.query('select 1'), tx.query<{ at: Date }>('select clock_timestamp() as at')]);
      Atomics.wait(pause, 0, 0, 200);
      const busyUntil = Date.now();
      const [, [row]] = await both;
      return row!.at.getTime() < busyUntil;
    },
    { pipelines },
  );
}

test('sends statements that start together in one trip if it pipelines, otherwise one after the other', async () => {
  assert.equal(await ranBehindBusyProcess(false), false);
  // The database may not get a processor while this process is busy.
  for (let left = 10; left > 0; left -= 1) if (await ranBehindBusyProcess(true)) return;
  assert.fail('the second statement waited for the first one each time');
});

test('stores nothing if one of several pipelined statements fails, and leaves a clean connection', async () => {
  const tenantId = newId();
  const inTenant = <T>(work: Parameters<typeof db.database.withTenant<T>>[2]) =>
    db.database.withTenant(tenantId, systemActor('test'), work, { pipelines: true });
  await assert.rejects(
    inTenant((tx) =>
      Promise.all([
        tx.query(`select set_config('app.left', 'over', true)`),
        tx.query('select 1 / $1::int', [0]),
        tx.query('select 1'),
      ]),
    ),
    /division by zero/,
  );
  const left = await inTenant((tx) =>
    tx.query<{ left: string | null }>(`select current_setting('app.left', true) as left`),
  );
  assert.ok(left[0]!.left === null || left[0]!.left === '');
});
