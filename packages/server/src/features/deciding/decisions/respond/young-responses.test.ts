import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

// The statements of responses are planned once per connection (docs/adr/0116), maybe while their tables are empty. The plans must
// stay efficient when the tables grow.
let server: TestServer;
let offerId: string;
before(async () => {
  server = await startTestServer();
  // An analysis between the first call and the rows would plan for a handful of rows, until the next analysis a minute later.
  const tables = await server.testDatabase.ownerQuery<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'arbiter'::regnamespace and relkind = 'r'
       and relname similar to '(interactions|decision_impressions|response_keys|customer_erasures|customer_states)%'`,
  );
  for (const { name } of tables)
    await server.testDatabase.ownerQuery(`alter table ${name} set (autovacuum_enabled = off)`);
  offerId = await server.create('offers', { name: 'A', status: 'active' });
});
after(() => server?.close());

const customers = 4_000;
const calls = 20;
/** Average rows that responses may read, across all tables. */
const maxRows = 100;

async function respond(body: object): Promise<void> {
  const answer = await server.call('POST', '/api/v1/respond', { body });
  assert.equal(answer.status, 200, answer.text);
}

/** Responds in each way: to an item, to a recommendation, to a contact with and without a time, with a key. */
async function respondInAllWays(customerId: string): Promise<void> {
  const { body } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId } });
  const { recommendationId, decisions } = body;
  await respond({ customerId, recommendationId, rank: 1, outcome: 'click' });
  await respond({ interactionId: decisions[0]!.interactionId, outcome: 'dismiss' });
  await respond({ customerId, offerId, outcome: 'click' });
  await respond({ customerId, offerId, outcome: 'click', timestamp: new Date().toISOString() });
  await respond({ customerId, offerId, outcome: 'accept', idempotencyKey: randomUUID() });
}

const add = (statement: string) =>
  server.testDatabase.ownerQuery(statement.replace('$rows', `generate_series(1, ${customers}) n`), [
    server.tenants[0].id,
  ]);

/** Rows read and responses written in these tables so far. */
async function figures(): Promise<{ readonly read: number; readonly written: number }> {
  const [row] = await server.testDatabase.ownerQuery<{ read: number; written: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read,
       coalesce(sum(n_tup_ins) filter (where relname like 'interactions%'), 0)::int as written
     from pg_stat_user_tables where schemaname = 'arbiter' and relname similar to
       '(interactions|decision_impressions|response_keys|customer_erasures|customer_states)%'`,
  );
  return row!;
}

/** PostgreSQL reports what a connection read up to some seconds later. */
async function settledFigures(written: number): Promise<{ readonly read: number; readonly written: number }> {
  const until = performance.now() + 60_000;
  for (;;) {
    const now = await figures();
    if (now.written >= written) return now;
    assert.ok(performance.now() < until, `${now.written} of ${written} rows reported`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('finds rows by key with plans made on empty tables', async () => {
  await respondInAllWays('First');
  const tenant = '$1::uuid';
  await add(`insert into arbiter.customer_states (tenant_id, customer_id, ref, data_key, state)
    select ${tenant}, 'C' || n, gen_random_uuid(), decode(repeat(md5(n::text), 2), 'hex'), '' from $rows`);
  await add(`insert into arbiter.customer_erasures (tenant_id, customer_hash, erased_at)
    select ${tenant}, sha256(n::text::bytea), now() from $rows`);
  await add(`insert into arbiter.response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at)
    select ${tenant}, sha256(n::text::bytea), '', 'C' || n, '{}', now() from $rows`);
  await add(`insert into arbiter.interactions select copy.*
    from (select * from arbiter.interactions where tenant_id = ${tenant} limit 1) i, $rows,
      jsonb_populate_record(null::arbiter.interactions, to_jsonb(i) || jsonb_build_object(
        'id', overlay(i.id::text placing lpad(to_hex(n), 12, '0') from 25), 'customer_id', 'C' || n)) copy`);
  const before = await settledFigures(customers + 5);
  for (let call = 0; call < calls / 5; call++) await respondInAllWays(`Later ${call}`);
  const { read } = await settledFigures(before.written + calls);
  assert.ok((read - before.read) / calls < maxRows, `${(read - before.read) / calls} rows a response`);
});
