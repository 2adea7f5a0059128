// The manually set clock replaces the database's (docs/adr/0065).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-11-20T10:00:00Z');
const cap = 3;
let now = start;
let server: TestServer;
const offers: string[] = [];
let web = '';
let desk = '';

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  web = await server.create('channels', { name: 'Web', channelType: 'web' });
  desk = await server.create('channels', { name: 'Desk', channelType: 'call_center', impressionMode: 'explicit' });
  for (const name of ['A', 'B', 'C', 'D']) {
    const offerId = await server.create('offers', { name, status: 'active' });
    offers.push(offerId);
    for (const channelId of [web, desk]) {
      await server.create('creatives', { name: `${name} ${channelId}`, offerId, channelId, status: 'active' });
    }
  }
  const config = { windows: [{ max: cap, hours: 24 }] };
  await server.create('contact-policies', { name: 'Cap', ruleType: 'frequency_cap', scope: 'global', config });
});
after(() => server?.close());

async function recommend(customerId: string, more: object = {}): Promise<RecommendAnswer> {
  const body = { customerId, channelId: web, limit: 1, ...more };
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

interface Dated {
  readonly customerId: string;
  readonly at: Date;
}

const decidedAt = (customerIds: readonly string[]) =>
  server.testDatabase.ownerQuery<Dated>(
    `select c.customer_id as "customerId", d.decided_at as at from arbiter.decisions d
     join arbiter.customer_states c on c.tenant_id = d.tenant_id and c.ref = d.customer_ref
     where c.customer_id = any($1) order by d.customer_seq desc`,
    [customerIds],
  );

test('after the clock steps back, full customers stay full, each at its own instant, and decisions replay', async () => {
  now = start;
  for (let n = 0; n < cap; n++) await recommend('full');
  for (let n = 0; n < cap - 1; n++) await recommend('reserved', { channelId: desk });
  now = start - hourMs;
  const answers = await Promise.all([
    recommend('full'),
    recommend('reserved'),
    recommend('new'),
    recommend('full', { dryRun: true }),
  ]);
  assert.deepEqual(
    answers.map(({ count }) => count),
    [0, 1, 1, 0],
  );
  assert.equal((await recommend('reserved')).count, 0);
  const newest = new Map(
    (await decidedAt(['full', 'reserved', 'new'])).toReversed().map((row) => [row.customerId, row.at]),
  );
  assert.deepEqual(newest.get('full'), new Date(start));
  assert.deepEqual(newest.get('reserved'), new Date(start));
  assert.deepEqual(newest.get('new'), new Date(start - hourMs), 'nobody else is moved');
  for (const { recommendationId } of answers.slice(0, 3)) {
    const path = `/api/v1/decisions/${recommendationId}/replay`;
    const replay = await server.call<{ identical: boolean }>('POST', path, { body: {} });
    assert.equal(replay.body.identical, true, replay.text);
  }
  now = start + 24 * hourMs;
  assert.equal((await recommend('full')).count, 1, 'the window ends 24 hours after the contacts');
});

test('a contact reported ahead counts from now on, and moves no decision', async () => {
  now = start;
  const timestamp = new Date(start + 20 * hourMs).toISOString();
  for (const offerId of offers.slice(0, cap)) {
    const body = { customerId: 'ahead', offerId, outcome: 'impression', timestamp };
    const answer = await server.call<{ timestamp: string }>('POST', '/api/v1/respond', { body });
    assert.deepEqual([answer.status, answer.body.timestamp], [200, timestamp], answer.text);
  }
  assert.equal((await recommend('ahead')).count, 0);
  assert.deepEqual((await decidedAt(['ahead']))[0]?.at, new Date(start));
  now = start + 24 * hourMs;
  assert.equal((await recommend('ahead')).count, 1);
});

test('uses the instant that the caller names, at which windows end', async () => {
  now = start;
  for (let n = 0; n < cap; n++) await recommend('named');
  const simulate = async (at: number) => {
    const body = { customerId: 'named', channel: 'web', limit: 1, now: new Date(at).toISOString() };
    const answer = await server.call<{ decisions: unknown[] }>('POST', '/api/v1/simulate', { body });
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };
  assert.match(await simulate(start - hourMs), /"count":1/);
  assert.match(await simulate(start), /"count":0/);
});

test('an undated response happens when it is recorded, never before the newest contact', async () => {
  now = start;
  const shown = await recommend('reported', { channelId: desk });
  now = start - hourMs;
  const body = { interactionId: shown.decisions[0]!.interactionId, outcome: 'impression' };
  const answer = await server.call<{ timestamp: string; impression: string }>('POST', '/api/v1/respond', { body });
  assert.deepEqual([answer.body.timestamp, answer.body.impression], [new Date(start).toISOString(), 'confirmed']);
});
