// Runs in one of 3 turns: it waits for statistics, and plans change only with indexes and statements.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { draftFlowConfig } from '@arbiter/contract';
import { settledReads, storedRows } from '../../../db/test-reads.ts';
import { startTriggerServer, type TriggerServer } from './test-triggers.ts';

// Connections plan the statements of triggers and deliveries once (docs/adr/0116), maybe just after PostgreSQL analyzed a
// handful of rows. The plans must stay efficient when the tables grow (docs/adr/0102).

const rowsLater = 4_000;
const rounds = 6;
/** Rows and index pages that an event with its decision, webhook and delivery may read. Good plans read half of it. */
const maxReads = 600;

/** Adds a trigger that decides and delivers over a webhook to the server's own. */
async function addDelivery({ server, peer, trigger }: TriggerServer): Promise<void> {
  const categoryId = await server.create('categories', { name: 'Pushed' });
  const channelId = await server.create('channels', {
    ...{ name: 'Push', channelType: 'push', deliveryMode: 'integration', addressAttribute: 'customer.customer_id' },
    providerConfig: { provider: 'webhook', url: peer.url('/push') },
  });
  const offerId = await server.create('offers', { name: 'Pushed', status: 'active', categoryId });
  await server.create('creatives', {
    name: 'Pushed',
    offerId,
    channelId,
    status: 'active',
    content: { headline: 'Hi' },
  });
  const flow = await server.create('decision-flows', {
    ...{ key: 'push', name: 'push', draftConfig: draftFlowConfig(categoryId) },
  });
  await server.publishFlow(flow);
  const actionConfig = { decisionFlowKey: 'push', channelId, limit: 1, deliver: true };
  await trigger({ eventType: 'purchase', actionType: 'recommend', actionConfig });
  await trigger({ eventType: 'purchase' });
}

/** Reports an event, and sends what it queued. */
async function play({ server, ingest, settle }: TriggerServer, customerId: string): Promise<void> {
  const answer = await ingest({ type: 'purchase', customerId });
  assert.deepEqual([answer.status, answer.body.triggersMatched.length], [200, 2], answer.text);
  assert.equal(answer.body.actionErrors, undefined);
  const { id: tenantId } = server.tenants[0];
  const [row] = await server.testDatabase.ownerQuery<{ id: string }>(
    `select id from arbiter.deliveries where tenant_id = $1 and status = 'queued' order by id desc limit 1`,
    [tenantId],
  );
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await server.jobs.get('delivery.send')!.run({ deliveryId: row!.id }, facts, tenantId);
  assert.deepEqual(await settle(), []);
}

/** Tables that grow with events, and what a copy of a row has of its own, as SQL. `n` is the copy's number. */
const growing = {
  trigger_firings: `'id', md5(n::text)::uuid, 'event_id', md5('event ' || n)::uuid, 'customer_id', 'C' || n`,
  deliveries: `'id', md5(n::text)::uuid, 'effect_key', md5('key ' || n)::uuid, 'customer_id', 'C' || n, 'provider_message_id', 'M' || n`,
  event_causes: `'id', md5(n::text)::uuid`,
  outbox: `'id', n + 1000000, 'position', n + 1000000`,
};

/** Copies the newest row of each growing table, with the numbers `first` to `last`. */
async function fill({ server }: TriggerServer, first: number, last: number): Promise<void> {
  for (const [name, own] of Object.entries(growing)) {
    const added = await server.testDatabase.ownerQuery(
      `insert into arbiter.${name} overriding system value
       select copy.* from (select * from arbiter.${name} where tenant_id = $1 order by ctid desc limit 1) row,
         generate_series($2::int, $3::int) n,
         jsonb_populate_record(null::arbiter.${name}, to_jsonb(row) || jsonb_build_object(${own})) copy returning 1`,
      [server.tenants[0].id, first, last],
    );
    assert.equal(added.length, last - first + 1, name);
  }
}

const written = ['trigger_firings', 'deliveries', 'event_causes'];

/** Returns the average reads of an event with plans made when PostgreSQL had analyzed this many rows. */
async function readsPerEvent(world: TriggerServer, rowsThen: number): Promise<number> {
  const { testDatabase } = world.server;
  await addDelivery(world);
  await play(world, 'First');
  const perEvent = await storedRows(testDatabase, written);
  await fill(world, 1, rowsThen);
  await testDatabase.ownerQuery('vacuum analyze');
  await play(world, 'Second');
  await fill(world, rowsThen + 1, rowsLater);
  const stored = await storedRows(testDatabase, written);
  const before = await settledReads(testDatabase, written, stored);
  for (let round = 1; round <= rounds; round++) await play(world, `Later ${round}`);
  const after = await settledReads(testDatabase, written, stored + rounds * perEvent);
  return (after - before) / rounds;
}

suite('events find their rows by key', () => {
  for (const rows of [1, 50]) {
    test(`with plans made for ${rows} rows`, async () => {
      const world = await startTriggerServer();
      try {
        const reads = await readsPerEvent(world, rows);
        assert.ok(reads < maxReads, `${reads} rows and pages an event`);
      } finally {
        await world.close();
      }
    });
  }
});
