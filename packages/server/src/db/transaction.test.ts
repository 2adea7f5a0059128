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
