import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer, Suppression } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let now = Date.parse('2026-03-10T09:00:00.000Z');
let channelId: string;
let offers: string[];
let category: string;
const dayMs = 86_400_000;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  category = await server.create('categories', { name: 'Cards' });
  offers = [];
  for (const name of ['A', 'B', 'C']) {
    const more = name === 'C' ? {} : { categoryId: category };
    const offerId = await server.create('offers', {
      name,
      status: 'active',
      priority: 90 - 10 * offers.length,
      ...more,
    });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
    offers.push(offerId);
  }
});
after(() => server?.close());

let number = 0;
const policy = (ruleType: string, config: object, more: object = {}) =>
  server.create('contact-policies', { name: `${ruleType} ${++number}`, ruleType, scope: 'global', config, ...more });
const change = async (id: string, body: object) => {
  const { status, text } = await server.call('PUT', `/api/v1/contact-policies/${id}`, { body });
  assert.equal(status, 200, text);
};
const drop = async (id: string) => {
  assert.equal((await server.call('DELETE', `/api/v1/contact-policies?id=${id}`)).status, 200);
};
const respond = async (customerId: string, offer: number, outcome: string, more: object = {}) => {
  const { status, body, text } = await server.call<RespondAnswer>('POST', '/api/v1/respond', {
    body: { customerId, offerId: offers[offer], channelId, outcome, ...more },
  });
  assert.ok(status === 200 || status === 201, text);
  return body;
};
const recommend = (customerId: string, more: object = {}) =>
  server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, channelId, ...more } });
const shown = async (customerId: string, more: object = {}) => {
  const { status, body, text } = await recommend(customerId, more);
  assert.equal(status, 200, text);
  return body.decisions
    .map(({ offerId }) => 'ABC'[offers.indexOf(offerId)])
    .sort()
    .join('');
};
const listed = async (customerId: string, query = '') => {
  const { body } = await server.call<{ data: Suppression[] }>(
    'GET',
    `/api/v1/suppressions?customerId=${customerId}${query}`,
  );
  return body.data;
};
const replays = async (customerId: string) => {
  const made = await recommend(customerId);
  const replay = await server.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${made.body.recommendationId}/replay`,
    { body: {} },
  );
  assert.equal(replay.body.identical, true, replay.text);
};

test('an outcome suppresses its offer for suppressForDays from the event, and adds a row', async () => {
  const id = await policy('outcome_based', {
    afterOutcome: ['dismiss', 'complaint'],
    suppressForDays: 2,
    per: 'offer',
  });
  await respond('one', 0, 'click');
  assert.equal(await shown('one'), 'ABC', 'another outcome');
  assert.deepEqual(await listed('one'), []);
  // A day late: it is the event that counts.
  const timestamp = new Date(now - dayMs).toISOString();
  await respond('one', 0, 'dismiss', { timestamp });
  assert.equal(await shown('one'), 'BC');
  assert.equal(await shown('two'), 'ABC');
  await replays('one');
  const [row] = await listed('one');
  assert.deepEqual(
    [row?.scope, row?.scopeId, row?.policyType, row?.policyId, row?.triggerCount, row?.expiresAt, row?.isActive],
    ['offer', offers[0], 'outcome_based', id, 1, new Date(now + dayMs).toISOString(), true],
  );
  assert.equal((await respond('one', 0, 'dismiss', { timestamp })).status, 'duplicate');
  assert.equal((await listed('one'))[0]?.triggerCount, 1, 'the same response again is none');
  await respond('one', 0, 'complaint', { timestamp: new Date(now - dayMs - 1).toISOString() });
  const [again] = await listed('one');
  assert.deepEqual(
    [again?.triggerCount, again?.expiresAt],
    [2, row?.expiresAt],
    'an earlier event keeps the later end',
  );
  await respond('one', 1, 'dismiss', { timestamp: new Date(now - 2 * dayMs).toISOString() });
  assert.equal((await listed('one')).length, 1, 'what is over already writes nothing');
  assert.equal(await shown('one'), 'BC');
  now += dayMs - 1;
  assert.equal(await shown('one'), 'BC');
  now += 1;
  assert.equal(await shown('one'), 'ABC');
  assert.deepEqual(await listed('one'), []);
  assert.equal((await listed('one', '&includeExpired=true')).length, 1);
  await drop(id);
});

test("lifting a row doesn't lift the policy, and a changed policy owns none of its old rows", async () => {
  const id = await policy('outcome_based', { afterOutcome: 'dismiss', suppressForDays: 5 });
  await respond('three', 0, 'dismiss');
  const [row] = await listed('three');
  assert.deepEqual([row?.scope, row?.scopeId], ['global', 'all']);
  assert.equal(await shown('three'), '');
  const changed = await server.call('PUT', `/api/v1/suppressions/${row?.id}`, { body: { days: 1 } });
  assert.deepEqual([changed.status, changed.body.code], [409, 'protected'], 'its policy says when it ends');
  assert.equal((await server.call('DELETE', `/api/v1/suppressions?id=${row?.id}`)).status, 204);
  assert.deepEqual(await listed('three'), []);
  assert.equal(await shown('three'), '', 'the policy looks at the outcome itself');
  now += 1;
  await respond('three', 0, 'dismiss', { timestamp: new Date(now).toISOString() });
  assert.equal((await listed('three'))[0]?.triggerCount, 1, 'a lifted row counts no more');
  await change(id, { config: { afterOutcome: 'complaint', suppressForDays: 5 } });
  assert.deepEqual(await listed('three', '&includeExpired=true'), [], 'written by another config');
  assert.equal(await shown('three'), 'ABC');
  await change(id, { config: { afterOutcome: 'dismiss', suppressForDays: 5 } });
  assert.equal((await listed('three')).length, 1);
  assert.equal(await shown('three'), '');
  await change(id, { status: 'paused' });
  assert.equal(await shown('three'), 'ABC');
  assert.deepEqual(await listed('three'), []);
  await drop(id);
});

test('a new policy applies to earlier outcomes, and an override lifts its blocks and rows', async () => {
  await respond('four', 1, 'not_interested', { timestamp: new Date(now - 3 * dayMs).toISOString() });
  assert.equal(await shown('four'), 'ABC');
  const id = await policy('outcome_based', { afterOutcome: 'not_interested', suppressForDays: 4, per: 'category' });
  assert.equal(await shown('four'), 'C', 'both offers of the category');
  assert.deepEqual(await listed('four'), [], 'rows are written by responses only');
  await respond('four', 1, 'not_interested');
  assert.deepEqual(
    (await listed('four')).map(({ scope, scopeId }) => [scope, scopeId]),
    [['category', category]],
  );
  assert.equal(await shown('four', { dryRun: true }), 'C');
  const { body } = await recommend('four', { debug: true });
  assert.match(JSON.stringify(body), /"suppressed"/);
  const override = await policy('allow_override', { reason: 'vip' }, { scope: 'offer', scopeId: offers[0] });
  assert.equal(await shown('four'), 'AC');
  await change(id, {
    config: { afterOutcome: 'not_interested', suppressForDays: 4, per: 'category', bypassable: false },
  });
  assert.equal(await shown('four'), 'C');
  await replays('four');
  await drop(override);
  await drop(id);
});

test('policies on channels write no rows but apply; other tenants see none of them', async () => {
  const id = await policy(
    'outcome_based',
    { afterOutcome: 'dismiss', suppressForDays: 5 },
    { scope: 'channel', scopeId: channelId },
  );
  await respond('five', 2, 'dismiss');
  assert.deepEqual(await listed('five'), []);
  assert.equal(await shown('five'), '');
  const theirs = await server.call<{ data: Suppression[] }>('GET', '/api/v1/suppressions?includeExpired=true', {
    key: server.tenants[1]!.keys.admin,
  });
  assert.deepEqual(theirs.body.data, []);
  await drop(id);
});

test('category_suppression suppresses a category after a contact or an outcome in it', async () => {
  const id = await policy('category_suppression', { suppressionDays: 2 });
  assert.equal(await shown('six'), 'ABC', 'not between the items of one answer');
  assert.equal(await shown('six'), 'C', 'an offer without a category is in none');
  await replays('six');
  now += dayMs;
  await respond('six', 1, 'click');
  now += dayMs;
  assert.equal(await shown('six'), 'C', 'the outcome is the latest interaction');
  now += dayMs - 1;
  assert.equal(await shown('six'), 'C');
  now += 1;
  assert.equal(await shown('six'), 'ABC');
  await change(id, { config: { suppressionDays: 2, categoryId: category, afterOutcome: 'dismiss' } });
  assert.equal(await shown('six'), 'ABC', 'contacts do not count beside named outcomes');
  await respond('six', 0, 'dismiss');
  assert.equal(await shown('six'), 'C');
  assert.deepEqual(await listed('six'), [], 'it writes no rows');
  await drop(id);
});

test('parallel responses of one customer count exactly', async () => {
  const id = await policy('outcome_based', { afterOutcome: 'dismiss', suppressForDays: 5, per: 'offer' });
  await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      respond('seven', 0, 'dismiss', { timestamp: new Date(now - n).toISOString() }),
    ),
  );
  const [row] = await listed('seven');
  assert.deepEqual([row?.triggerCount, row?.expiresAt], [16, new Date(now + 5 * dayMs).toISOString()]);
  assert.equal(await shown('seven'), 'BC');
  await drop(id);
});
