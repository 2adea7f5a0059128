import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let now = Date.parse('2026-03-10T09:00:00.000Z');
let channelId: string;
let offers: string[];
before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offers = [];
  for (const name of ['A', 'B', 'C']) {
    const offerId = await server.create('offers', { name, status: 'active', priority: 90 - 10 * offers.length });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
    offers.push(offerId);
  }
  await server.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'tz', displayName: 'Zone', dataType: 'text' },
      { name: 'home', displayName: 'Home zone', dataType: 'text', neverStore: true },
    ],
  });
});
after(() => server?.close());

let number = 0;
const policy = (ruleType: string, config: object, more: object = {}) =>
  server.create('contact-policies', { name: `${ruleType} ${++number}`, ruleType, scope: 'global', config, ...more });
const drop = async (id: string) => {
  assert.equal((await server.call('DELETE', `/api/v1/contact-policies?id=${id}`)).status, 200);
};
const recommend = (customerId: string, more: object = {}) =>
  server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, channelId, ...more } });
const shown = async (customerId: string, more: object = {}) => {
  const { status, body, text } = await recommend(customerId, more);
  assert.equal(status, 200, text);
  return body.decisions.map(({ offerId }) => 'ABC'[offers.indexOf(offerId)]).join('');
};

test("time_window uses the time zone in the customer's row, and replays the same", async () => {
  const { body } = await server.call<{ data: { id: string }[] }>('GET', '/api/v1/schemas');
  const rows = [
    { customer_id: 'tokyo', tz: 'Asia/Tokyo' },
    { customer_id: 'paris', tz: 'Europe/Paris' },
    { customer_id: 'nowhere', tz: 'Mars/Base' },
    { customer_id: 'nowhere, not contacted', tz: 'Mars/Base' },
  ];
  const path = `/api/v1/schemas/${body.data[0]?.id}/data`;
  assert.equal((await server.call('POST', path, { body: { rows } })).status, 201);
  // 09:00 UTC is 18:00 in Tokyo and 10:00 in Paris.
  const id = await policy('time_window', { startHour: 9, endHour: 18, zonePath: 'customer.tz' });
  assert.equal(await shown('tokyo'), '');
  for (const customerId of ['paris', 'nowhere', 'without a row'])
    assert.equal(await shown(customerId), 'ABC', customerId);
  now -= 3_600_000;
  assert.equal(await shown('tokyo'), 'ABC', 'an hour before it is open there');
  assert.equal(await shown('nowhere, not contacted'), '', 'and closed in the tenant’s zone');
  const last = await recommend('tokyo');
  const replay = await server.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${last.body.recommendationId}/replay`,
    { body: {} },
  );
  assert.equal(replay.body.identical, true, replay.text);
  await drop(id);
});

test('a zone that is never stored still decides, and is in neither trace nor record', async () => {
  const schemas = await server.call<{ data: { id: string }[] }>('GET', '/api/v1/schemas');
  const body = { rows: [{ customer_id: 'hidden', home: 'Asia/Tokyo' }] };
  const stored = await server.call('POST', `/api/v1/schemas/${schemas.body.data[0]?.id}/data`, { body });
  assert.equal(stored.status, 201, stored.text);
  // 08:00 UTC is 17:00 in Tokyo.
  const id = await policy('time_window', { startHour: 7, endHour: 10, zonePath: 'customer.home' });
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  const sampled = await server.call('PUT', '/api/v1/tenant-settings', { body: settings });
  assert.equal(sampled.status, 200, sampled.text);
  const { body: answer } = await recommend('hidden');
  assert.equal(answer.count, 0, 'closed in Tokyo, and open in the tenant’s zone');
  const trace = await server.call('GET', `/api/v1/decision-traces/${answer.trace.traceId}`);
  assert.match(trace.text, /outside time window: the zone is withheld/);
  const record = await server.call<{ withheld: string[] }>(
    'GET',
    `/api/v1/decisions/${answer.requestId}?include=inputs`,
  );
  assert.deepEqual(record.body.withheld, ['home'], record.text);
  for (const { status, text } of [trace, record]) {
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /Tokyo|hour 17|"currentHour":17/);
  }
  await drop(id);
});

test('traces and debug show the end of a suppression as an instant', async () => {
  const suppression = { customerId: 'held', scope: 'global', reason: 'asked', expiresAt: '2027-01-01T00:00:00.000Z' };
  await server.create('suppressions', suppression);
  const { body } = await recommend('held', { debug: true });
  const dropped = body.meta?.dropped as { detail: { expiresAt: unknown } }[] | undefined;
  assert.equal(dropped?.[0]?.detail.expiresAt, suppression.expiresAt);
  const trace = await server.call<{ suppressionResults: { expiresAt: unknown }[]; dropped: typeof dropped }>(
    'GET',
    `/api/v1/decision-traces/${body.trace.traceId}`,
  );
  assert.equal(trace.body.suppressionResults[0]?.expiresAt, suppression.expiresAt, trace.text);
  assert.equal(trace.body.dropped?.[0]?.detail.expiresAt, suppression.expiresAt);
});

test('E18: customer_total_cap and cross_channel_cap hold under parallel decisions', async () => {
  for (const [ruleType, config] of [
    ['customer_total_cap', { maxTotal: 4, periodType: 'daily' }],
    ['cross_channel_cap', { maxTotal: 4, appliesAcross: [channelId] }],
  ] as const) {
    const id = await policy(ruleType, config);
    const answers = await Promise.all(Array.from({ length: 12 }, () => shown(`raced by ${ruleType}`)));
    assert.equal(answers.join('').length, 4, `${ruleType}: ${answers.join()}`);
    await drop(id);
  }
});

test('mutual_exclusion holds within a response and across responses', async () => {
  const id = await policy(
    'mutual_exclusion',
    { excludeOfferIds: [offers[1]?.toUpperCase()] },
    { scope: 'offer', scopeId: offers[0] },
  );
  assert.equal(await shown('member'), 'AC');
  now += 86_400_000;
  assert.equal(await shown('member', { excludeOffers: [offers[0]] }), 'C', 'A was shown: B stays away');
  now += 30 * 86_400_000;
  assert.equal(await shown('member', { excludeOffers: [offers[0]] }), 'BC', 'until that is 30 days ago');
  assert.equal(await shown('member'), 'BC', 'and then it is B that keeps A away');
  await drop(id);
});

test('offer_category_cap counts the contacts of its category, including those of inactive offers', async () => {
  const categoryId = await server.create('categories', { name: 'Cards' });
  for (const id of offers.slice(0, 2)) await server.call('PUT', '/api/v1/offers', { body: { id, categoryId } });
  const config = { targetCategory: categoryId, maxTotal: 1, periodType: 'weekly', filterByCategory: true };
  const id = await policy('offer_category_cap', config);
  assert.equal(await shown('card holder'), 'AC');
  await server.call('PUT', '/api/v1/offers', { body: { id: offers[0], status: 'paused' } });
  assert.equal(await shown('card holder'), 'C');
  assert.equal(await shown('somebody else'), 'BC');
  await drop(id);
});
