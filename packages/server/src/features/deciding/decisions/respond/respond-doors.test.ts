import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** How a response finds its item, what it may contain, and its answers (docs/design/api-decisioning.md 3, 20). */

const start = Date.parse('2026-11-20T09:00:00Z');
const dayMs = 86_400_000;
const absent = '0190a000-0000-7000-8000-000000000000';

let server: TestServer;
let now = start;
const ids = { web: '', desk: '', phone: '', slot: '', a: '', b: '', creativeA: '', creativeB: '', deskA: '' };

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  ids.web = await server.create('channels', { name: 'Web', channelType: 'web' });
  ids.desk = await server.create('channels', { name: 'Desk', channelType: 'call_center', impressionMode: 'explicit' });
  ids.phone = await server.create('channels', { name: 'Phone', channelType: 'phone' });
  ids.slot = await server.create('placements', { name: 'Slot', channelId: ids.phone });
  const categoryId = await server.create('categories', { name: 'Cards' });
  ids.a = await server.create('offers', { name: 'A', status: 'active', priority: 90, categoryId });
  ids.b = await server.create('offers', { name: 'B', status: 'active', priority: 80 });
  const creative = (name: string, offerId: string, channelId: string) =>
    server.create('creatives', { name, offerId, channelId, status: 'active' });
  ids.creativeA = await creative('web A', ids.a, ids.web);
  ids.creativeB = await creative('web B', ids.b, ids.web);
  ids.deskA = await creative('desk A', ids.a, ids.desk);
});
after(() => server?.close());

const respond = (body: object, headers: Record<string, string> = {}) =>
  server.call<RespondAnswer & { code?: string; errors?: { path: string; message: string }[] }>(
    'POST',
    '/api/v1/respond',
    { body, headers },
  );

async function told(body: object, headers: Record<string, string> = {}): Promise<RespondAnswer> {
  const answer = await respond(body, headers);
  assert.equal(answer.status, 200, `${JSON.stringify(body)} ${answer.text}`);
  return answer.body;
}

async function refused(body: object, status: number, code: string, path?: string): Promise<void> {
  const before = await historyRows();
  const answer = await respond(body);
  assert.deepEqual([answer.status, answer.body.code], [status, code], `${JSON.stringify(body)} ${answer.text}`);
  if (path !== undefined) assert.equal(answer.body.errors?.[0]?.path, path, answer.text);
  assert.equal(await historyRows(), before, 'nothing was recorded');
}

async function historyRows(): Promise<number> {
  const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select (select count(*) from arbiter.interactions)::int + (select count(*) from arbiter.customer_states)::int as n`,
  );
  return row!.n;
}

async function decide(customerId: string, channelId = ids.web): Promise<RecommendAnswer> {
  const { body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId },
  });
  assert.ok(body.count > 0, text);
  return body;
}

test('finds the item in order: interaction, recommendation with rank, creative or offer, creative, offer', async () => {
  const { recommendationId, decisions } = await decide('D1');
  const [first, second] = decisions;
  assert.deepEqual([first?.offerId, second?.offerId], [ids.a, ids.b]);
  const { recommendationId: other } = await decide('D1');
  const outcome = 'click';
  const found = async (door: object) => {
    const answer = await told({ customerId: 'D1', outcome, ...door });
    return [answer.itemInteractionId, answer.recommendationId, answer.rank, answer.offerId, answer.creativeId];
  };
  const itemOne = [first!.interactionId, recommendationId, 1, ids.a, ids.creativeA];
  const itemTwo = [second!.interactionId, recommendationId, 2, ids.b, ids.creativeB];
  const { a, b, creativeA, creativeB } = ids;
  const doors: [object, unknown[]][] = [
    [{ interactionId: second!.interactionId }, itemTwo],
    [{ interactionId: second!.interactionId, recommendationId, rank: 1, creativeId: creativeA, offerId: a }, itemTwo],
    [{ interactionId: second!.interactionId, recommendationId: other }, itemTwo],
    [{ recommendationId, rank: 2 }, itemTwo],
    [{ recommendationId, rank: 1, creativeId: creativeB, offerId: b }, itemOne],
    [{ recommendationId, creativeId: creativeB }, itemTwo],
    [{ recommendationId, creativeId: creativeB, offerId: a }, itemTwo],
    [{ recommendationId, offerId: a }, itemOne],
    [{ creativeId: creativeB }, [null, null, null, b, creativeB]],
    [{ creativeId: creativeB, offerId: a }, [null, null, null, b, creativeB]],
    [{ offerId: a }, [null, null, null, a, null]],
    [{ offerId: a.toUpperCase() }, [null, null, null, a, null]],
  ];
  for (const [door, expected] of doors) assert.deepEqual(await found(door), expected, JSON.stringify(door));
});

test('a contact has the channel and placement of its creative; for an offer, those given', async () => {
  const byCreative = await told({ customerId: 'D2', creativeId: ids.deskA, channelId: ids.web, outcome: 'click' });
  assert.deepEqual([byCreative.channelId, byCreative.channelName], [ids.desk, 'Desk']);
  const byOffer = { customerId: 'D2', offerId: ids.a, channelId: ids.phone, placementId: ids.slot, outcome: 'click' };
  const answer = await told(byOffer);
  assert.deepEqual([answer.channelId, answer.channelName, answer.creativeId], [ids.phone, 'Phone', null]);
  const [row] = await server.testDatabase.ownerQuery<{ placement: string }>(
    'select placement_id as placement from arbiter.interactions where id = $1',
    [answer.interactionId],
  );
  assert.equal(row?.placement, ids.slot);
});

test("a missing, foreign or someone else's reference is 404; no reference is 400", async () => {
  const { recommendationId, decisions } = await decide('D3');
  const { interactionId } = decisions[0]!;
  const theirs = server.tenants[1]!.keys.editor;
  const event = { customerId: 'D3', outcome: 'click' };
  const absents = [
    { interactionId: absent },
    { recommendationId: absent },
    { recommendationId: interactionId },
    { interactionId: recommendationId },
    { recommendationId, rank: 3 },
    { recommendationId, creativeId: ids.deskA },
    { recommendationId, offerId: absent },
    { creativeId: absent },
    { creativeId: ids.a },
    { offerId: absent },
    { offerId: ids.creativeA },
    { offerId: ids.a, channelId: absent },
    { offerId: ids.a, placementId: absent },
    { interactionId, customerId: 'D4' },
    { recommendationId, rank: 1, customerId: 'D4' },
  ];
  for (const door of absents) await refused({ ...event, ...door }, 404, 'not_found');
  for (const door of [
    { interactionId },
    { recommendationId, rank: 1 },
    { creativeId: ids.creativeA },
    { offerId: ids.a },
  ]) {
    const { status, body } = await server.call('POST', '/api/v1/respond', { body: { ...event, ...door }, key: theirs });
    assert.deepEqual([status, body.code], [404, 'not_found'], JSON.stringify(door));
  }
  await refused({ ...event }, 400, 'validation_failed', '');
  await refused({ ...event, rank: 1 }, 400, 'validation_failed', '');
  await refused({ ...event, channelId: ids.web }, 400, 'validation_failed', '');
  await refused({ ...event, recommendationId }, 400, 'validation_failed', '/rank');
  await refused({ outcome: 'click', offerId: ids.a }, 400, 'validation_failed', '/customerId');
  await refused({ ...event, recommendationId, rank: 0 }, 400, 'validation_failed', '/rank');
  await refused({ ...event, recommendationId: 'garbage' }, 400, 'validation_failed', '/recommendationId');
});

test('deleted offers, creatives and channels still resolve, in every way', async () => {
  const offerId = await server.create('offers', { name: 'Gone', status: 'active', priority: 99 });
  const creativeId = await server.create('creatives', { name: 'gone', offerId, channelId: ids.web, status: 'active' });
  const { recommendationId, decisions } = await decide('D5');
  assert.equal(decisions[0]?.offerId, offerId);
  for (const path of [`creatives?id=${creativeId}`, `offers?id=${offerId}`]) {
    const { status, text } = await server.call('DELETE', `/api/v1/${path}`);
    assert.ok(status < 300, text);
  }
  const doors = [
    { interactionId: decisions[0].interactionId },
    { recommendationId, rank: 1 },
    { recommendationId, offerId },
    { creativeId },
    { offerId },
  ];
  for (const door of doors) {
    const answer = await told({ customerId: 'D5', outcome: 'click', ...door });
    assert.deepEqual([answer.offerId, answer.offerName], [offerId, 'Gone'], JSON.stringify(door));
    assert.equal(answer.creativeName, 'creativeId' in door || !('offerId' in door) || answer.rank ? 'gone' : null);
  }
});

test('interactionType is an alias of outcome, and both must agree', async () => {
  const event = { customerId: 'D6', offerId: ids.a, timestamp: '2026-11-20T08:00:00Z' };
  const first = await told({ ...event, interactionType: 'click' });
  assert.deepEqual([first.outcome, first.status], ['click', 'recorded']);
  const again = await told({ ...event, outcome: 'click' });
  assert.deepEqual([again.interactionId, again.status], [first.interactionId, 'duplicate']);
  assert.equal((await told({ ...event, outcome: 'click', interactionType: 'click' })).status, 'duplicate');
  await refused(
    { ...event, outcome: 'click', interactionType: 'dismiss' },
    400,
    'validation_failed',
    '/interactionType',
  );
  await refused({ ...event }, 400, 'validation_failed', '/outcome');
  await refused({ ...event, outcome: 'unheard' }, 400, 'unknown_outcome');
  await refused({ ...event, interactionType: 'unheard' }, 400, 'unknown_outcome');
});

test('classification and category are those of the outcome type; direction follows the category', async () => {
  const { body } = await server.call<{ data: Record<string, string>[] }>('GET', '/api/v1/outcome-types?limit=200');
  assert.ok(body.data.length >= 8, JSON.stringify(body.data));
  for (const { key, classification, category } of body.data) {
    const answer = await told({ customerId: `D7 ${key}`, offerId: ids.a, outcome: key });
    assert.deepEqual([answer.classification, answer.outcomeCategory], [classification, category], key);
    assert.equal(answer.direction, category === 'impression' ? 'outbound' : 'inbound', key);
    assert.equal(answer.impression, key === 'impression' ? 'counted' : null, key);
    const again = await told({ customerId: `D7 ${key}`, offerId: ids.a, outcome: key, direction: 'inbound' });
    assert.equal(again.direction, 'inbound');
  }
  const seen = new Set(body.data.map(({ classification }) => classification));
  assert.deepEqual([...seen].sort(), ['negative', 'neutral', 'positive']);
  const own = { key: 'sighed', name: 'Sighed', category: 'response', classification: 'negative' };
  const id = await server.create('outcome-types', own);
  const sigh = { customerId: 'D7', offerId: ids.a, outcome: 'sighed' };
  const answer = await told(sigh);
  assert.deepEqual(
    [answer.classification, answer.outcomeCategory, answer.direction],
    ['negative', 'response', 'inbound'],
  );
  const idle = await server.call('PUT', `/api/v1/outcome-types/${id}`, { body: { status: 'inactive' } });
  assert.equal(idle.status, 200, idle.text);
  await refused(sigh, 400, 'unknown_outcome');
});

test('checks limits of value, currency, objects and key on both sides', async () => {
  const event = { customerId: 'D8', offerId: ids.a, outcome: 'convert' };
  for (const conversionValue of [0, 1e12, 0.005, null]) {
    assert.equal((await told({ ...event, conversionValue, currency: 'EUR' })).conversionValue, conversionValue);
  }
  for (const conversionValue of [-0.01, 1e12 + 1, '5', true]) {
    await refused({ ...event, conversionValue }, 400, 'validation_failed', '/conversionValue');
  }
  for (const currency of ['eur', 'EURO', 'EU', '', 7]) {
    await refused({ ...event, currency }, 400, 'validation_failed', '/currency');
  }
  await refused({ ...event, direction: 'sideways' }, 400, 'validation_failed', '/direction');
  const bytes = 8 * 1024;
  for (const name of ['attributes', 'context', 'outcomeDetails']) {
    const of = (length: number) => ({ ...event, [name]: { t: 'x'.repeat(length - '{"t":""}'.length) } });
    await told(of(bytes));
    await refused(of(bytes + 1), 400, 'validation_failed', `/${name}`);
    await refused({ ...event, [name]: 'text' }, 400, 'validation_failed', `/${name}`);
  }
  await told({ ...event, idempotencyKey: 'k'.repeat(255) });
  await refused({ ...event, idempotencyKey: 'k'.repeat(256) }, 400, 'validation_failed', '/idempotencyKey');
  await refused({ ...event, idempotencyKey: '' }, 400, 'validation_failed', '/idempotencyKey');
});

test('accepts events from 1970 to 24 hours from now', async () => {
  const event = { customerId: 'D9', offerId: ids.a, outcome: 'click' };
  const instant = (at: number) => new Date(at).toISOString();
  for (const at of [0, 1, now, now + dayMs]) {
    assert.equal((await told({ ...event, timestamp: instant(at) })).timestamp, instant(at));
  }
  assert.equal((await told(event)).timestamp, instant(now), 'now by default');
  for (const at of [-1, now + dayMs + 1]) {
    await refused({ ...event, timestamp: instant(at) }, 400, 'validation_failed', '/timestamp');
  }
  for (const timestamp of ['2026-11-20', '2026-11-20T09:00:00', 'noon', 5]) {
    await refused({ ...event, timestamp }, 400, 'validation_failed', '/timestamp');
  }
  const summaries = await server.call<{ data: { periodKey: string }[] }>(
    'GET',
    '/api/v1/interaction-summaries?customerId=D9&periodType=daily',
  );
  assert.deepEqual(
    summaries.body.data.map(({ periodKey }) => periodKey).sort(),
    ['1970-01-01', '2026-11-20', '2026-11-21'],
    'each in the period of its timestamp',
  );
});

test('an explicit key is valid for 7 days, for one credential, in header or body', async () => {
  const event = { customerId: 'D10', offerId: ids.a, outcome: 'convert', conversionValue: 1 };
  const header = (key: string) => ({ 'idempotency-key': key });
  const first = await told(event, header('seven'));
  assert.equal(first.status, 'recorded');
  const again = await told({ ...event, idempotencyKey: 'seven' });
  assert.deepEqual(again, { ...first, status: 'duplicate' });
  assert.equal((await told({ ...event, idempotencyKey: 'seven' }, header('seven'))).status, 'duplicate');
  const differ = await respond({ ...event, idempotencyKey: 'six' }, header('seven'));
  assert.deepEqual([differ.status, differ.body.errors?.[0]?.path], [400, '/idempotencyKey'], differ.text);
  assert.equal((await respond({ ...event, conversionValue: 2 }, header('seven'))).status, 422);
  const byAnother = await server.call<RespondAnswer>('POST', '/api/v1/respond', {
    body: event,
    headers: header('seven'),
    key: server.tenants[0].keys.editor,
  });
  assert.equal(byAnother.body.status, 'recorded');
  try {
    now = start + 7 * dayMs - 1;
    assert.equal((await told(event, header('seven'))).status, 'duplicate', 'up to 7 days');
    now = start + 7 * dayMs;
    assert.equal((await told({ ...event, conversionValue: 2 }, header('seven'))).status, 'recorded', 'and no longer');
  } finally {
    now = start;
  }
});

test('an item is seen once, under any name and key', async () => {
  const { recommendationId, decisions } = await decide('D11');
  const { interactionId } = decisions[0]!;
  const impressions = async (customerId: string) => {
    const { body } = await server.call<{ pagination: { total: number } }>(
      'GET',
      `/api/v1/interaction-history?customerId=${customerId}&offerId=${ids.a}&type=impression`,
    );
    return body.pagination.total;
  };
  const before = await impressions('D11');
  const ways = [
    { interactionId },
    { recommendationId, rank: 1 },
    { interactionId, timestamp: '2026-11-20T08:00:00Z' },
    { interactionId, conversionValue: 3 },
    { interactionId, idempotencyKey: 'seen' },
  ];
  for (const way of ways) {
    const answer = await told({ outcome: 'impression', ...way });
    assert.deepEqual(
      [answer.status, answer.impression, answer.interactionId],
      ['duplicate', 'already_counted', interactionId],
    );
  }
  assert.equal(await impressions('D11'), before);
  await refused({ interactionId, outcome: 'click', idempotencyKey: 'seen' }, 422, 'idempotency_key_reused');

  const reserved = await decide('D12', ids.desk);
  const item = reserved.decisions[0]!;
  const confirmed = await told({ interactionId: item.interactionId, outcome: 'impression' });
  assert.deepEqual([confirmed.impression, confirmed.itemInteractionId], ['confirmed', item.interactionId]);
  assert.notEqual(confirmed.interactionId, item.interactionId, 'the impression is a row of its own');
  for (const id of [item.interactionId, confirmed.interactionId]) {
    const answer = await told({ interactionId: id, outcome: 'impression', timestamp: '2026-11-20T08:00:00Z' });
    assert.deepEqual([answer.status, answer.interactionId], ['duplicate', confirmed.interactionId]);
  }
  assert.equal(await impressions('D12'), 1);
  // The row of the impression names the item that was seen.
  const event = { outcome: 'click', timestamp: '2026-11-20T08:30:00Z' };
  const click = await told({ ...event, interactionId: confirmed.interactionId });
  assert.deepEqual([click.itemInteractionId, click.rank, click.status], [item.interactionId, 1, 'recorded']);
  const same = await told({ ...event, recommendationId: reserved.recommendationId, rank: 1 });
  assert.deepEqual([same.status, same.interactionId], ['duplicate', click.interactionId]);
  await refused({ ...event, interactionId: click.interactionId }, 404, 'not_found');
});
