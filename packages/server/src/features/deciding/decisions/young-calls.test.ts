import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { settledReads, storedRows } from '../../../db/test-reads.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { importLines } from '../history-import/test-import.ts';

// Connections plan the statements of decisions and responses once (docs/adr/0011, 0116), maybe just after PostgreSQL analyzed a
// handful of rows. The plans must stay efficient when the tables grow (docs/adr/0102). Each test analyzes the tables between
// the first rows and the plans, fills them, and counts what further calls read.

const rowsLater = 4_000;
const rounds = 3;
const callsPerRound = 14;
/** Rows and index pages that a call may read on average, over all tables. Good plans read half of it, and one bad plan 200 more. */
const maxReads = 100;

interface Scene {
  readonly server: TestServer;
  readonly deskId: string;
  readonly webId: string;
  readonly offerId: string;
}

/** Starts a server whose responses touch reservations, budgets, stock and suppressions. */
async function openScene(): Promise<Scene> {
  const server = await startTestServer();
  const desk = { name: 'Desk', channelType: 'call_center', impressionMode: 'explicit' };
  const deskId = await server.create('channels', desk);
  const webId = await server.create('channels', { name: 'Web', channelType: 'web' });
  const offerId = await server.create('offers', {
    name: 'Card',
    status: 'active',
    budget: { costPerImpressionCents: 1, lifetimeCapCents: 1_000_000 },
    inventory: { totalStock: 1_000_000 },
  });
  for (const channelId of [deskId, webId]) {
    await server.create('creatives', { name: channelId, offerId, channelId, status: 'active' });
  }
  await server.create('contact-policies', {
    name: 'Rest',
    ruleType: 'outcome_based',
    scope: 'global',
    config: { afterOutcome: ['dismiss'], suppressForDays: 2, per: 'offer' },
  });
  await server.testDatabase.ownerQuery(
    `insert into arbiter.customer_erasures (tenant_id, customer_hash, erased_at) values ($1, sha256(''), now())`,
    [server.tenants[0].id],
  );
  return { server, deskId, webId, offerId };
}

async function post<Body>({ server }: Scene, path: string, body: object): Promise<Body> {
  const answer = await server.call<Body>('POST', `/api/v1/${path}`, { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Decides and responds in every way: alone, in batches and by import. Makes `callsPerRound` calls. */
async function playRound(scene: Scene, customerId: string): Promise<void> {
  const { offerId, deskId, webId } = scene;
  const shown = { customerId, channelId: webId, requestId: randomUUID() };
  const { recommendationId, decisions } = await post<RecommendAnswer>(scene, 'recommend', shown);
  const respond = (body: object) => post(scene, 'respond', { outcome: 'click', ...body });
  await respond({ customerId, recommendationId, rank: 1 });
  await respond({ interactionId: decisions[0]!.interactionId });
  await respond({ customerId, offerId });
  await respond({ customerId, offerId, timestamp: new Date().toISOString() });
  await respond({ customerId, offerId, outcome: 'accept', idempotencyKey: randomUUID() });
  for (const outcome of ['not_presented', 'click']) {
    const [interactionId] = await reserve(scene, [customerId]);
    await respond({ interactionId, outcome });
  }
  const other = `${customerId} too`;
  const requests = [
    { customerId, channelId: webId },
    { customerId: other, channelId: deskId },
  ];
  await post(scene, 'recommend/batch', { requests });
  const responses = [other, customerId].map((id) => ({ customerId: id, offerId, outcome: 'click' }));
  await post(scene, 'respond/batch', { responses });
  await importClick(scene, customerId);
  // Suppresses the offer.
  await respond({ customerId, offerId, outcome: 'dismiss' });
}

/** Decides for customers on the explicit channel. Returns their reserved items. */
async function reserve(scene: Scene, customerIds: readonly string[]): Promise<string[]> {
  const items: string[] = [];
  for (const customerId of customerIds) {
    const { decisions } = await post<RecommendAnswer>(scene, 'recommend', { customerId, channelId: scene.deskId });
    items.push(decisions[0]!.interactionId!);
  }
  return items;
}

/** Confirms reserved items and responds to them. */
async function confirm(scene: Scene, items: readonly string[]): Promise<void> {
  for (const interactionId of items) {
    for (const outcome of ['impression', 'click']) await post(scene, 'respond', { interactionId, outcome });
  }
}

async function importClick({ server, offerId }: Scene, customerId: string): Promise<void> {
  const line = { key: randomUUID(), customerId, offerId, outcome: 'click', timestamp: '2024-03-01T10:15:00Z' };
  assert.equal((await importLines(server, [line])).imported, 1);
}

/**
 * Tables that grow with customers and what they do, and what a copy of a row has of its own, as SQL. `n` is the copy's number,
 * `$2` the customer of all copies, or null.
 */
const copyId = `overlay(id::text placing lpad(to_hex(n), 10, '0') || '00' from 25)`;
const customer = `'customer_id', coalesce($2, 'C' || n)`;
const growing = {
  customer_states: `'customer_id', 'C' || n, 'ref', md5(n::text)::uuid`,
  customer_erasures: `'customer_hash', sha256(n::text::bytea)`,
  customer_suppressions: `${customer}, 'id', md5(n::text)::uuid, 'scope', 'offer', 'scope_id', md5(n::text)::uuid`,
  decision_impressions: `${customer}, 'id', ${copyId}`,
  decision_requests: `'request_id', md5(n::text)::uuid, 'customer_ref', md5(n::text)::uuid`,
  decisions: `'customer_ref', md5(n::text)::uuid, 'id', ${copyId}`,
  import_keys: `'key_hash', sha256(n::text::bytea)`,
  interactions: `${customer}, 'id', ${copyId}`,
  outbox: `'id', n + 1000000, 'position', n + 1000000`,
  response_keys: `${customer}, 'key_hash', sha256(n::text::bytea)`,
  volume_reservations: `'item_id', md5(n::text)::uuid, 'expires_at', '2999-01-01T00:00:00Z'`,
  volumes: `'kind', 'offer', 'subject_id', md5(n::text)::uuid`,
};

/** Copies the newest row of each growing table, with the numbers `first` to `last`. */
async function fill({ server }: Scene, first: number, last: number, onlyCustomer: string | null): Promise<void> {
  for (const [name, own] of Object.entries(growing)) {
    const added = await server.testDatabase.ownerQuery(
      `insert into arbiter.${name} overriding system value
       select copy.* from (select * from arbiter.${name} where tenant_id = $1 order by ctid desc limit 1) row,
         (select $2::text) parameter, generate_series($3::int, $4::int) n,
         jsonb_populate_record(null::arbiter.${name}, to_jsonb(row) || jsonb_build_object(${own})) copy returning 1`,
      [server.tenants[0].id, onlyCustomer, first, last],
    );
    assert.equal(added.length, last - first + 1, name);
  }
}

/** Tables that each round writes to, over all its connections. */
const written = ['interactions', 'decision_impressions', 'decisions', 'response_keys', 'import_keys'];

/** Returns the average reads of a call with plans made when PostgreSQL had analyzed this many rows and customers. */
async function readsPerCall(scene: Scene, rowsThen: number, onlyCustomer: string | null): Promise<number> {
  await playRound(scene, 'First');
  const { testDatabase } = scene.server;
  const perRound = await storedRows(testDatabase, written);
  await fill(scene, 1, rowsThen, onlyCustomer);
  await testDatabase.ownerQuery(
    `delete from arbiter.customer_states where customer_id not in (
       select customer_id from arbiter.customer_states order by customer_id limit $1)`,
    [rowsThen],
  );
  await testDatabase.ownerQuery('vacuum analyze');
  const [first, ...early] = await reserve(scene, ['Early 1', 'Early 2', 'Early 3']);
  await playRound(scene, 'Second');
  await confirm(scene, [first!]);
  await fill(scene, rowsThen + 1, rowsLater, onlyCustomer);
  const stored = await storedRows(testDatabase, written);
  const before = await settledReads(testDatabase, written, stored);
  for (let round = 1; round <= rounds; round++) await playRound(scene, `Later ${round}`);
  // Four rows each: an impression, a click and their keys.
  await confirm(scene, early);
  const after = await settledReads(testDatabase, written, stored + rounds * perRound + 4 * early.length);
  return (after - before) / (rounds * callsPerRound + 2 * early.length);
}

suite('calls find their rows by key', { concurrency: true }, () => {
  for (const { rows, onlyCustomer } of [
    { rows: 1, onlyCustomer: null },
    { rows: 5, onlyCustomer: null },
    { rows: 50, onlyCustomer: null },
    // Whoever tries the API does it with one customer.
    { rows: 50, onlyCustomer: 'First' },
  ]) {
    const whose = onlyCustomer === null ? 'of many customers' : 'of one customer';
    test(`with plans made for ${rows} rows ${whose}`, async () => {
      const scene = await openScene();
      try {
        const reads = await readsPerCall(scene, rows, onlyCustomer);
        assert.ok(reads < maxReads, `${reads} rows and pages a call`);
      } finally {
        await scene.server.close();
      }
    });
  }
});
