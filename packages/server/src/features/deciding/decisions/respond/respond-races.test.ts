import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecommendAnswer, RespondAnswer, RespondBatchAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

// Batches of responses alongside another process, simulated by a transaction that's held open.

let server: TestServer;
let offerId: string;
before(async () => {
  server = await startTestServer();
  const made = await server.call<{ id: string }>('POST', '/api/v1/offers', { body: { name: 'A', status: 'active' } });
  assert.equal(made.status, 201, made.text);
  offerId = made.body.id;
});
after(() => server?.close());

const query = <Row>(text: string, values: readonly unknown[] = []) => server.testDatabase.ownerQuery<Row>(text, values);

/** Waits until this many sessions of the server wait for another transaction. */
async function untilWaiting(sessions: number): Promise<void> {
  for (;;) {
    const [row] = await query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row!.n >= sessions) return;
    await sleep(5);
  }
}

const making = (customerId: string) =>
  `insert into arbiter.customer_states (tenant_id, customer_id, ref, data_key, state)
   values ('${server.tenants[0].id}', '${customerId}', gen_random_uuid(), '', '')`;

test('a batch creates rows of new customers in the order of their IDs, like all other writers', async () => {
  const commit = await server.testDatabase.ownerHold(making('N-a'));
  const responses = ['N-z', 'N-a'].map((customerId) => ({ customerId, offerId, outcome: 'click' }));
  const call = server.call<RespondBatchAnswer>('POST', '/api/v1/respond/batch', { body: { responses } });
  try {
    await untilWaiting(1);
    // Whoever holds the first may create the last: the batch hasn't created it yet, or both would wait for each other.
    await query(
      `do $$ begin perform set_config('lock_timeout', '5s', true); ${making('N-z')} on conflict do nothing; end $$`,
    );
  } finally {
    await commit();
  }
  assert.equal((await call).body.recorded, 2);
});

test('the responses of a locked customer wait together, in order', async () => {
  const respond = (place: number) =>
    server.call<RespondAnswer>('POST', '/api/v1/respond', {
      body: {
        customerId: 'H',
        offerId,
        outcome: 'click',
        timestamp: new Date(Date.UTC(2026, 0, 1) + place).toISOString(),
      },
    });
  assert.equal((await respond(0)).status, 200);
  const release = await server.testDatabase.ownerHold(
    `select from arbiter.customer_states where customer_id = 'H' for update`,
  );
  // One is in the batch that finds the row locked; the others collect behind it.
  const first = respond(1);
  await untilWaiting(1);
  const others = [2, 3, 4, 5, 6].map(respond);
  await release();
  for (const { status, body } of await Promise.all([first, ...others]))
    assert.deepEqual([status, body.status], [200, 'recorded']);
  const responses = Array.from({ length: 8 }, (_, place) => ({
    customerId: 'H',
    offerId,
    outcome: 'click',
    timestamp: new Date(Date.UTC(2026, 0, 2) + place).toISOString(),
  }));
  const releaseAgain = await server.testDatabase.ownerHold(
    `select from arbiter.customer_states where customer_id = 'H' for update`,
  );
  const call = server.call<RespondBatchAnswer>('POST', '/api/v1/respond/batch', { body: { responses } });
  await untilWaiting(1);
  await releaseAgain();
  assert.equal((await call).body.recorded, 8);
  const rows = await query<{ at: string; stored: string }>(
    `select to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, created_at::text as stored
     from arbiter.interactions where customer_id = 'H' and occurred_at >= '2026-01-02' order by customer_seq`,
  );
  assert.deepEqual(
    rows.map(({ at }) => at),
    responses.map(({ timestamp }) => timestamp),
  );
  assert.equal(new Set(rows.map(({ stored }) => stored)).size, 1, 'one transaction');
});

test('repeats of an answered call get its response, however many arrive at once', async () => {
  const body = { customerId: 'R', requestId: '0190a000-0000-7000-8000-00000000abcd' };
  const recommend = (more: object = {}) =>
    server.call<RecommendAnswer & { code: string }>('POST', '/api/v1/recommend', { body: { ...body, ...more } });
  const made = await recommend();
  assert.equal(made.status, 200, made.text);
  const repeats = await Promise.all(Array.from({ length: 20 }, () => recommend()));
  for (const { status, text } of repeats) assert.deepEqual([status, text], [200, made.text]);
  const others = await Promise.all(Array.from({ length: 20 }, () => recommend({ limit: 3 })));
  for (const { status, body: problem } of others)
    assert.deepEqual([status, problem.code], [422, 'idempotency_key_reused']);
});

test('a repeat gets the response although another repeat holds the key at that moment', async () => {
  const respond = (more: object = {}) =>
    server.call<RespondAnswer & { code: string }>('POST', '/api/v1/respond', {
      body: { customerId: 'K', offerId, outcome: 'click', idempotencyKey: 'one', ...more },
    });
  const first = await respond();
  assert.equal(first.status, 200, first.text);
  const release = await server.testDatabase.ownerHold(
    `select pg_advisory_xact_lock(hashtextextended('arbiter.response:' || tenant_id || encode(key_hash, 'hex'), 0))
     from arbiter.response_keys where customer_id = 'K'`,
  );
  try {
    const again = await respond();
    assert.deepEqual(
      [again.status, again.body.status, again.body.interactionId],
      [200, 'duplicate', first.body.interactionId],
    );
    const other = await respond({ outcome: 'dismiss' });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  } finally {
    await release();
  }
});
