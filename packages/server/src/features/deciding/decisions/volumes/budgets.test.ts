import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Offer, RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { sweepReservations } from '../../volumes/volumes.service.ts';

// Budgets of offers, and policies on them, over all customers (docs/design/api-catalogue.md 6, 8.3).

let server: TestServer;
let channelId: string;
let explicitId: string;
let now = Date.parse('2026-11-20T10:00:00Z');
const hourMs = 3_600_000;

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
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
/** Creates an offer on both channels. `isShown` makes it the only one by its priority. */
async function offerOf(budget: object, more: object = {}): Promise<Offer> {
  names += 1;
  const offer = await made('offers', { name: `Offer ${names}`, status: 'active', budget, ...more });
  for (const channel of [channelId, explicitId]) {
    await made('creatives', {
      name: `Creative ${names} ${channel}`,
      offerId: offer.id,
      channelId: channel,
      status: 'active',
    });
  }
  return offer;
}

let customers = 0;
/** Requests only this offer for a new customer. Returns its item, or null. */
async function show({ id }: Offer, more: object = {}) {
  const offers = await server.call<{ data: Offer[] }>('GET', '/api/v1/offers?limit=200');
  const excludeOffers = offers.body.data.map((offer) => offer.id).filter((other) => other !== id);
  customers += 1;
  const body = { customerId: `customer ${customers}`, channelId, excludeOffers, ...more };
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(answer.status, 200, answer.text);
  return { item: answer.body.decisions[0] ?? null, body: answer.body, text: answer.text };
}
const isShown = async (offer: Offer, more: object = {}) => (await show(offer, more)).item !== null;

const budgetOf = async ({ id }: Offer) => (await server.call<Offer>('GET', `/api/v1/offers/${id}`)).body.budget;
const spentOf = async (offer: Offer) => {
  const budget = await budgetOf(offer);
  return [
    budget.currentDailyImpressions,
    budget.currentDailySpentCents,
    budget.currentLifetimeImpressions,
    budget.currentLifetimeSpentCents,
  ];
};
const respond = async (body: object) => {
  const answer = await server.call<RespondAnswer>('POST', '/api/v1/respond', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const replay = async (recommendationId: string | null) => {
  const path = `/api/v1/decisions/${recommendationId}/replay`;
  const { body, text } = await server.call<{ identical: boolean }>('POST', path, { body: {} });
  assert.equal(body.identical, true, text);
};
const put = (offer: Offer, changes: object) =>
  server.call<Offer & { code: string }>('PUT', '/api/v1/offers', { body: { id: offer.id, ...changes } });

test('the last impression removes an offer; its spending is shown, and the decision says why and replays', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 2, costPerImpressionCents: 7 });
  assert.equal((await budgetOf(offer)).currentLifetimeImpressions, 0);
  const first = await show(offer);
  const second = await show(offer);
  assert.ok(first.item && second.item);
  assert.deepEqual(await spentOf(offer), [2, 14, 2, 14]);
  assert.equal((await budgetOf(offer)).lastDailyResetDate, '2026-11-20');
  const third = await show(offer, { debug: true });
  assert.equal(third.item, null);
  assert.match(third.text, /"budget".*"lifetime_impressions"/);
  for (const { body } of [first, second, third]) await replay(body.recommendationId);
  assert.equal(await isShown(offer, { dryRun: true }), false);
  const theirs = await server.call('GET', `/api/v1/offers/${offer.id}`, { key: server.tenants[1]!.keys.admin });
  assert.equal(theirs.status, 404);
  const inputs = await server.call<{ inputs: { budgets: { volumes: unknown[][] } } }>(
    'GET',
    `/api/v1/decisions/${third.body.recommendationId}?include=inputs`,
  );
  assert.ok(JSON.stringify(inputs.body.inputs.budgets.volumes).includes('"offer"'), inputs.text);
});

test('the price of an impression fits the cap to the cent, in total and per day', async () => {
  for (const cap of ['lifetimeCapCents', 'dailyCapCents']) {
    const fits = await offerOf({ [cap]: 20, costPerImpressionCents: 10 });
    assert.deepEqual([await isShown(fits), await isShown(fits), await isShown(fits)], [true, true, false], cap);
    const less = await offerOf({ [cap]: 19, costPerImpressionCents: 10 });
    assert.deepEqual([await isShown(less), await isShown(less)], [true, false], cap);
    const closed = await offerOf({ [cap]: 0 });
    assert.equal(await isShown(closed), false, `${cap} 0`);
  }
});

test('outcomes cost what the offer says, or their value, and are booked beyond the cap', async () => {
  const priced = await offerOf({ lifetimeCapCents: 100, costPerClickCents: 30, costPerConversionCents: 80 });
  const { item } = await show(priced);
  const of = { recommendationId: item!.recommendationId, rank: 1 };
  await respond({ ...of, outcome: 'click' });
  assert.deepEqual(await spentOf(priced), [1, 30, 1, 30]);
  assert.equal(await isShown(priced), true);
  await respond({ ...of, outcome: 'convert', conversionValue: 1000 });
  assert.deepEqual((await spentOf(priced)).slice(2), [2, 110]);
  assert.equal(await isShown(priced), false);

  const worth = await offerOf({ lifetimeCapCents: 1000 });
  const shown = await show(worth);
  const about = { recommendationId: shown.item!.recommendationId, rank: 1 };
  const convert = { ...about, outcome: 'convert', conversionValue: 1.005, timestamp: new Date(now).toISOString() };
  await respond(convert);
  assert.equal((await respond(convert)).status, 'duplicate');
  await respond({ ...about, outcome: 'dismiss', conversionValue: 50 });
  assert.deepEqual(
    (await spentOf(worth)).slice(2),
    [1, 101],
    'half a cent away from zero; only positive ones, and once',
  );
});

test("the daily limit resets at the tenant's midnight, the total doesn't", async () => {
  now = Date.parse('2026-11-20T23:59:59.999Z');
  const offer = await offerOf({ dailyMaxImpressions: 1, costPerImpressionCents: 5, lifetimeMaxImpressions: 2 });
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, false]);
  now += 1;
  assert.deepEqual(await spentOf(offer), [0, 0, 1, 5]);
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, false]);
  assert.deepEqual(await spentOf(offer), [1, 5, 2, 10]);
  assert.equal((await budgetOf(offer)).lastDailyResetDate, '2026-11-21');
  now += 24 * hourMs;
  assert.equal(await isShown(offer), false, 'ever');
});

test("an open reservation counts, is returned exactly at its expiry, and counts again if it's late", async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 1, costPerImpressionCents: 3 });
  const onMail = { channelId: explicitId };
  const { item } = await show(offer, onMail);
  assert.ok(item?.reservation);
  assert.deepEqual(await spentOf(offer), [1, 3, 1, 3]);
  const expiresAt = Date.parse(item.reservation.expiresAt);
  now = expiresAt - 1;
  assert.equal(await isShown(offer, onMail), false);
  now = expiresAt;
  assert.deepEqual(await spentOf(offer), [0, 0, 0, 0], 'before anybody swept it');
  const again = await show(offer, onMail);
  assert.ok(again.item, 'its capacity is free again');
  await replay(again.body.recommendationId);
  const tenantId = server.tenants[0].id;
  const sweep = () => server.database.withTenant(tenantId, systemActor('test'), (tx) => sweepReservations(tx, 'UTC'));
  await sweep();
  assert.deepEqual((await spentOf(offer)).slice(2), [1, 3], 'sweeping changes nothing');
  const late = await respond({ recommendationId: item.recommendationId, rank: 1, outcome: 'impression' });
  assert.equal(late.impression, 'late');
  assert.deepEqual((await spentOf(offer)).slice(2), [2, 6], 'a late impression is a fact');
});

test('a released reservation is returned at once; a confirmed one counts once', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 1, costPerImpressionCents: 3, costPerClickCents: 2 });
  const onMail = { channelId: explicitId };
  const first = await show(offer, onMail);
  const of = (shown: typeof first) => ({ recommendationId: shown.item!.recommendationId, rank: 1 });
  await respond({ ...of(first), outcome: 'not_presented' });
  assert.deepEqual((await spentOf(offer)).slice(2), [0, 0]);
  const second = await show(offer, onMail);
  await respond({ ...of(second), outcome: 'impression' });
  await respond({ ...of(second), outcome: 'impression' });
  assert.deepEqual((await spentOf(offer)).slice(2), [1, 3]);
  await put(offer, { budget: { lifetimeMaxImpressions: 2, costPerImpressionCents: 9, costPerClickCents: 2 } });
  assert.deepEqual((await spentOf(offer)).slice(2), [1, 3], 'a new price is for what comes');
  const third = await show(offer, onMail);
  await put(offer, { budget: { lifetimeMaxImpressions: 2, costPerImpressionCents: 1, costPerClickCents: 2 } });
  await respond({ ...of(third), outcome: 'click' });
  assert.deepEqual((await spentOf(offer)).slice(2), [2, 3 + 9 + 2], 'a click confirms first, at the price of then');
});

test('a limit set later counts earlier impressions, and a replaced budget keeps its counters', async () => {
  const offer = await offerOf({});
  for (let n = 0; n < 3; n++) assert.equal(await isShown(offer), true);
  const waiting = await show(offer, { channelId: explicitId });
  await put(offer, { budget: { lifetimeMaxImpressions: 5 } });
  assert.equal(await isShown(offer), true);
  assert.equal(await isShown(offer), false, 'three, a reservation, and this one');
  assert.deepEqual((await spentOf(offer)).slice(2), [5, 0]);
  await respond({ recommendationId: waiting.item!.recommendationId, rank: 1, outcome: 'not_presented' });
  assert.equal(await isShown(offer), true);
  await put(offer, { budget: { lifetimeMaxImpressions: 6, currentLifetimeImpressions: 0 } });
  assert.deepEqual((await spentOf(offer)).slice(2), [5, 0]);
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, false]);
});

test('parallel decisions among other offers use the caps completely, and never exceed them', async () => {
  const offers = [
    await offerOf({ lifetimeMaxImpressions: 70 }, { priority: 99 }),
    await offerOf({ dailyCapCents: 500, costPerImpressionCents: 10 }, { priority: 98 }),
    await offerOf({ lifetimeMaxImpressions: 5_000 }, { priority: 97 }),
  ];
  const shown = new Map<string, number>();
  await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const body = { customerId: `parallel ${at % 200}`, channelId: at % 2 ? channelId : explicitId, limit: 2 };
      const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
      assert.equal(answer.status, 200, answer.text);
      for (const { offerId } of answer.body.decisions) shown.set(offerId, (shown.get(offerId) ?? 0) + 1);
    }),
  );
  assert.deepEqual(
    offers.slice(0, 2).map(({ id }) => shown.get(id)),
    [70, 50],
  );
  const third = (await spentOf(offers[2]!))[2];
  assert.equal(third, shown.get(offers[2]!.id), 'counted is what was answered');
  for (const offer of offers) await put(offer, { status: 'archived' });
});

test('with budgets off, none applies and new ones are rejected; other limits of offers still apply', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 0 }, { frequencyCaps: { perCustomer: { daily: 1 } } });
  assert.equal(await isShown(offer), false);
  const settings = (enableBudgets: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableBudgets } });
  assert.equal((await settings(false)).status, 200);
  try {
    assert.deepEqual(
      [await isShown(offer, { customerId: 'same' }), await isShown(offer, { customerId: 'same' })],
      [true, false],
    );
    const refused = await put(offer, { budget: { lifetimeMaxImpressions: 9 } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'feature_disabled'], refused.text);
    const policy = await server.call<{ code: string }>('POST', '/api/v1/contact-policies', {
      body: {
        name: 'P',
        ruleType: 'budget_exhausted',
        scope: 'global',
        config: { budgetField: 'spend', threshold: 1 },
      },
    });
    assert.deepEqual([policy.status, policy.body.code], [403, 'feature_disabled'], policy.text);
    assert.equal((await put(offer, { budget: { lifetimeMaxImpressions: 0 }, priority: 3 })).status, 200, 'unchanged');
  } finally {
    assert.equal((await settings(true)).status, 200);
  }
  assert.equal(await isShown(offer), false);
});

test('policies on budgets: each scope counts from history and blocks at its threshold', async () => {
  const category = await made<{ id: string }>('categories', { name: 'Cards' });
  const subCategory = await made<{ id: string }>('sub-categories', { name: 'Gold', categoryId: category.id });
  const inside = { categoryId: category.id, subCategoryId: subCategory.id };
  const [one, two] = [await offerOf({}, inside), await offerOf({}, inside)];
  const channel = (await made<{ id: string }>('channels', { name: 'Kiosk', channelType: 'kiosk' })).id;
  const creative = await made<{ id: string }>('creatives', {
    name: 'Kiosk',
    offerId: one.id,
    channelId: channel,
    status: 'active',
  });
  await made('creatives', { name: 'Kiosk 2', offerId: two.id, channelId: channel, status: 'active' });
  const onKiosk = { channelId: channel };
  // Two of the first offer and one of the second, before there is any policy.
  assert.deepEqual(
    [await isShown(one, onKiosk), await isShown(one, onKiosk), await isShown(two, onKiosk)],
    [true, true, true],
  );
  const cases = [
    { scope: 'offer', scopeId: one.id, before: 2 },
    { scope: 'creative', scopeId: creative.id, before: 3 },
    { scope: 'channel', scopeId: channel, before: 6 },
    { scope: 'category', scopeId: category.id, before: 7 },
    { scope: 'subcategory', scopeId: subCategory.id, before: 8 },
  ];
  for (const { scope, scopeId, before } of cases) {
    const config = { budgetField: 'impressions', threshold: before + 1 };
    const policy = await made<{ id: string }>('contact-policies', {
      name: `On ${scope}`,
      ruleType: 'budget_exhausted',
      scope,
      scopeId,
      config,
    });
    assert.equal(await isShown(one, onKiosk), true, `${scope}: one is left`);
    const { item, text, body } = await show(one, { ...onKiosk, debug: true });
    assert.equal(item, null, scope);
    const reason = `budget_exhausted: impressions ${before + 1} of ${before + 1} at scope=${scope}`;
    assert.ok(text.includes(reason), `${reason} in ${text}`);
    await replay(body.recommendationId);
    const removed = await server.call('DELETE', `/api/v1/contact-policies?id=${policy.id}`);
    assert.ok(removed.status < 300, removed.text);
    if (scope === 'creative') assert.equal(await isShown(two, onKiosk), true);
  }
});

test('a policy on spend reads what was booked, in units of the currency', async () => {
  const offer = await offerOf({ costPerImpressionCents: 55 });
  const policy = await made<{ id: string }>('contact-policies', {
    name: 'Spend',
    ruleType: 'budget_exhausted',
    scope: 'offer',
    scopeId: offer.id,
    config: { budgetField: 'spend', threshold: 1.1 },
  });
  assert.deepEqual([await isShown(offer), await isShown(offer)], [true, true]);
  const { item, text } = await show(offer, { debug: true });
  assert.equal(item, null);
  assert.ok(text.includes('budget_exhausted: spend 1.1 of 1.1 at scope=offer'), text);
  await server.call('DELETE', `/api/v1/contact-policies?id=${policy.id}`);
});
