import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Offer, RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

// Volumes counted for the first time include what was shown before and in the meantime (docs/adr/0037).

let server: TestServer;
let channelId: string;
let explicitId: string;
// Before the machine's own time, so that no id made today is older.
let now = Date.parse('2026-11-10T10:00:00Z');
const hourMs = 3_600_000;

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  channelId = (await made('channels', { name: 'Web', channelType: 'web' })).id;
  explicitId = (await made('channels', { name: 'Mail', channelType: 'email', impressionMode: 'explicit' })).id;
});
after(() => server?.close());

async function made<Row extends { id: string } = Offer>(resource: string, body: object): Promise<Row> {
  const answer = await server.call<Row>('POST', `/api/v1/${resource}`, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

let names = 0;
/** An offer that is shown on both channels, before all others. */
async function offerOf(): Promise<Offer> {
  names += 1;
  const offer = await made('offers', { name: `Offer ${names}`, status: 'active', priority: 90 });
  for (const channel of [channelId, explicitId]) {
    const name = `Creative ${names} ${channel}`;
    await made('creatives', { name, offerId: offer.id, channelId: channel, status: 'active' });
  }
  return offer;
}

let customers = 0;
/** Returns whether the offer is shown to a new customer. */
async function isShown({ id }: Offer, more: object = {}): Promise<boolean> {
  customers += 1;
  const body = { customerId: `customer ${customers}`, channelId, limit: 50, ...more };
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.decisions.some(({ offerId }) => offerId === id);
}

const spentOf = async ({ id }: Offer) => {
  const { budget } = (await server.call<Offer>('GET', `/api/v1/offers/${id}`)).body;
  return [budget.currentDailyImpressions, budget.currentDailySpentCents, budget.currentLifetimeImpressions];
};
async function put({ id }: Offer, changes: object): Promise<void> {
  const answer = await server.call('PUT', '/api/v1/offers', { body: { id, ...changes } });
  assert.equal(answer.status, 200, answer.text);
}

test("a volume doesn't return what expired before it was created", async () => {
  const offer = await offerOf();
  const onMail = { channelId: explicitId };
  const channel = (await made('channels', { name: 'Post', channelType: 'post', impressionMode: 'explicit' })).id;
  await made('creatives', { name: 'Post', offerId: offer.id, channelId: channel, status: 'active' });
  const policy = await made<{ id: string }>('contact-policies', {
    name: 'On the channel',
    ruleType: 'budget_exhausted',
    scope: 'channel',
    scopeId: channel,
    config: { budgetField: 'impressions', threshold: 100 },
  });
  assert.equal(await isShown(offer, { channelId: channel }), true);
  assert.equal(await isShown(offer, { channelId: channel }), true);
  now += 24 * hourMs;
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, true]);
  // Two reservations have expired, and nothing has swept them.
  await put(offer, { budget: { lifetimeMaxImpressions: 3 } });
  assert.deepEqual([await isShown(offer), await isShown(offer, onMail)], [true, false]);
  assert.equal((await spentOf(offer))[2], 3);
  await server.call('DELETE', `/api/v1/contact-policies?id=${policy.id}`);
});

test('counts a flow without policies in the volumes that policies of another one started', async () => {
  const offer = await offerOf();
  const nodes = [
    { id: 'inventory', type: 'inventory', config: {} },
    { id: 'creatives', type: 'match_creatives', config: {} },
    { id: 'qualify', type: 'qualify', config: {} },
    { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 10 } },
    { id: 'response', type: 'response', config: {} },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const flow = await made<{ id: string }>('decision-flows', { key: 'free', name: 'Free', draftConfig });
  await server.publishFlow(flow.id);
  const policy = await made<{ id: string }>('contact-policies', {
    name: 'On one of two flows',
    ruleType: 'budget_exhausted',
    scope: 'offer',
    scopeId: offer.id,
    config: { budgetField: 'impressions', threshold: 3 },
  });
  assert.equal(await isShown(offer), true);
  assert.equal(await isShown(offer, { decisionFlowKey: 'free' }), true);
  assert.equal(await isShown(offer, { decisionFlowKey: 'free' }), true);
  assert.equal(await isShown(offer), false);
  await server.call('DELETE', `/api/v1/contact-policies?id=${policy.id}`);
});

test('figures of past days count even while they wait in the outbox', async () => {
  now = Date.parse('2026-11-12T23:59:59.000Z');
  const offer = await offerOf();
  assert.equal(await isShown(offer), true);
  now += 2_000;
  await put(offer, { budget: { lifetimeMaxImpressions: 2 } });
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, false]);
  assert.deepEqual(await spentOf(offer), [1, 0, 2]);
});

/** Waits until this many statements of this database wait for a lock. */
async function waitingForLocks(least: number, kind: string): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
      `select count(*)::int as n from pg_locks
       where not granted and locktype = $1 and (database is null or database = (select oid from pg_database where datname = current_database()))`,
      [kind],
    );
    if (row!.n >= least) return;
    await sleep(5);
  }
  assert.fail(`fewer than ${least} wait for a lock of kind ${kind}`);
}

test('counts a decision in progress when a limit is set for the first time', async () => {
  const offer = await offerOf();
  assert.equal(await isShown(offer), true);
  // It has read the version from before the limit, and can't commit yet.
  const release = await server.testDatabase.ownerHold('lock table arbiter.decisions in share mode');
  const before = isShown(offer);
  await waitingForLocks(1, 'relation');
  await put(offer, { budget: { lifetimeMaxImpressions: 3 } });
  // Enough that they don't wait for the batch before them.
  const behind = Array.from({ length: 40 }, () => isShown(offer));
  await waitingForLocks(1, 'advisory');
  await release();
  const shown = await Promise.all([before, ...behind]);
  assert.deepEqual([shown[0], shown.filter(Boolean).length], [true, 2], 'one before, one under way, one after');
  assert.equal((await spentOf(offer))[2], 3);
});
