import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { readCustomerSummaries } from '../../interactions/index.ts';

/** Which responses are one event, and which are several (docs/design/api-decisioning.md 20, Respond). */

let server: TestServer;
const ids = { email: '', phone: '', offer: '', creative: '' };
const at = '2026-11-20T09:00:01Z';

before(async () => {
  server = await startTestServer({ clock: { now: () => Date.parse('2026-11-20T09:00:00Z') } });
  ids.email = await server.create('channels', { name: 'Email', channelType: 'email' });
  ids.phone = await server.create('channels', { name: 'Phone', channelType: 'phone' });
  ids.offer = await server.create('offers', { name: 'Card', status: 'active' });
  const creative = { name: 'mail', offerId: ids.offer, channelId: ids.email, status: 'active' };
  ids.creative = await server.create('creatives', creative);
});

after(() => server?.close());

async function shownItem(customerId: string): Promise<{ recommendationId: string; interactionId: string }> {
  const { body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channel: 'email' },
  });
  const [item] = body.decisions;
  assert.ok(item, text);
  return { recommendationId: String(item.recommendationId), interactionId: String(item.interactionId) };
}

const respond = (body: object) => server.call<RespondAnswer & { code?: string }>('POST', '/api/v1/respond', { body });

/** `recorded` or `duplicate`, else the status and the code of the refusal. */
async function statusOf(body: object): Promise<string> {
  const { status, body: answer } = await respond(body);
  return status === 200 ? answer.status : `${status} ${answer.code}`;
}

async function rowsOf(customerId: string): Promise<number> {
  const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(*)::int as n from arbiter.interactions where customer_id = $1 and interaction_type = 'response'`,
    [customerId],
  );
  return row!.n;
}

test('an event is the same however its item is named', async () => {
  const { recommendationId, interactionId } = await shownItem('E1');
  const event = { outcome: 'convert', conversionValue: 120, currency: 'EUR', timestamp: at };
  const first = await respond({ ...event, recommendationId, rank: 1 });
  assert.equal(first.body.status, 'recorded', first.text);
  const ways = [
    { interactionId },
    { interactionId: interactionId.toUpperCase() },
    { recommendationId },
    { recommendationId, offerId: ids.offer },
    { recommendationId, creativeId: ids.creative },
    { recommendationId, rank: 1, customerId: 'E1' },
    // Spelling out a default doesn't change a response.
    { interactionId, direction: 'inbound' },
  ];
  for (const way of ways) {
    const again = await respond({ ...event, ...way });
    assert.deepEqual({ ...again.body, status: 'recorded' }, first.body, JSON.stringify(way));
    assert.equal(again.body.status, 'duplicate');
  }
  assert.equal(await rowsOf('E1'), 1);
});

test('properties besides the event neither change nor reject it', async () => {
  const { interactionId } = await shownItem('E2');
  assert.equal(await statusOf({ interactionId, outcome: 'click', timestamp: at }), 'recorded');
  const more = { attributes: { page: 2 }, context: { x: 1 }, outcomeDetails: { y: 2 } };
  assert.equal(await statusOf({ interactionId, outcome: 'click', timestamp: at, ...more }), 'duplicate');
  assert.equal(await rowsOf('E2'), 1);
});

test('another value, currency, direction, outcome or instant makes another event', async () => {
  const { recommendationId, interactionId } = await shownItem('E3');
  const event = { interactionId, outcome: 'convert', conversionValue: 120, currency: 'EUR', timestamp: at };
  const others = [
    {},
    { conversionValue: 7 },
    { conversionValue: null },
    { currency: 'USD' },
    { currency: null },
    { direction: 'outbound' },
    { outcome: 'accept' },
    { timestamp: '2026-11-20T09:00:02Z' },
    { timestamp: undefined },
  ];
  for (const other of others) assert.equal(await statusOf({ ...event, ...other }), 'recorded', JSON.stringify(other));
  for (const other of others) {
    const { interactionId: _id, ...named } = { ...event, ...other };
    assert.equal(await statusOf({ ...named, recommendationId, rank: 1 }), 'duplicate', JSON.stringify(other));
  }
  assert.equal(await rowsOf('E3'), others.length);
});

test('parallel reports of one event in different ways record it once', async () => {
  const { recommendationId, interactionId } = await shownItem('E4');
  const event = { outcome: 'click', timestamp: at };
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      statusOf({ ...event, ...(i % 2 ? { interactionId } : { recommendationId, rank: 1 }) }),
    ),
  );
  assert.equal(told.filter((status) => status === 'recorded').length, 1, `${told}`);
  assert.ok(
    told.every((status) => status === 'recorded' || status === 'duplicate'),
    `${told}`,
  );
  assert.equal(await rowsOf('E4'), 1);
});

test('rejects an explicit key repeated with another response, and nothing else', async () => {
  const { interactionId } = await shownItem('E5');
  const event = { interactionId, outcome: 'convert', conversionValue: 1, timestamp: at, idempotencyKey: 'mine' };
  assert.equal(await statusOf(event), 'recorded');
  assert.equal(await statusOf(event), 'duplicate');
  assert.equal(await statusOf({ ...event, conversionValue: 2 }), '422 idempotency_key_reused');
  assert.equal(await statusOf({ ...event, conversionValue: 2, idempotencyKey: undefined }), 'recorded');
  assert.equal(await rowsOf('E5'), 2);
});

test('contacts without a recommendation are the same only with the same instant, value and channel', async () => {
  const contact = { customerId: 'E6', offerId: ids.offer, outcome: 'convert', conversionValue: 5, timestamp: at };
  const others = [
    {},
    { conversionValue: 6 },
    { currency: 'EUR' },
    { direction: 'outbound' },
    { channelId: ids.phone },
    { offerId: undefined, creativeId: ids.creative },
    { customerId: 'E7' },
  ];
  for (const other of others) assert.equal(await statusOf({ ...contact, ...other }), 'recorded', JSON.stringify(other));
  for (const other of others) {
    const told = { ...contact, ...other, context: { told: 'again' } };
    assert.equal(await statusOf(told), 'duplicate', JSON.stringify(other));
  }
  for (let i = 0; i < 2; i++) assert.equal(await statusOf({ ...contact, timestamp: undefined }), 'recorded');
});

test("a contact's key can't be derived from its customer's ID", async () => {
  const timestamp = '2026-11-20T08:59:00Z';
  const body = { customerId: 'guessable', offerId: ids.offer, outcome: 'click', timestamp };
  assert.deepEqual([await statusOf(body), await statusOf(body)], ['recorded', 'duplicate']);
  const parts = ['contact', 'guessable', ids.offer, null, null, 'click', timestamp, null, null, 'inbound'];
  const guessed = createHash('sha256').update(JSON.stringify(parts)).digest();
  const kept = await server.testDatabase.ownerQuery<{ key_hash: Buffer }>(
    "select key_hash from arbiter.response_keys where customer_id = 'guessable'",
  );
  assert.equal(kept.length, 1);
  assert.ok(!kept[0]!.key_hash.equals(guessed));
});

test('history shows how a response found its item, and what settled a reservation first', async () => {
  const desk = await server.create('channels', { name: 'Desk', channelType: 'phone', impressionMode: 'explicit' });
  const voice = { name: 'call', offerId: ids.offer, channelId: desk, status: 'active' };
  const spoken = await server.create('creatives', voice);
  const reserve = async (customerId: string) => {
    const { body } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
      body: { customerId, channelId: desk },
    });
    const [item] = body.decisions;
    assert.ok(item?.reservation);
    return { recommendationId: item.recommendationId, interactionId: item.interactionId };
  };
  const historyOf = async (customerId: string) => {
    const rows = await server.testDatabase.ownerQuery<Record<string, string | null>>(
      `select interaction_type as type, outcome_key as outcome, resolved_by as found, reservation_state as state,
         reservation_settled_by as settled, release_id as release
       from arbiter.interaction_history where customer_id = $1 order by created_at, id`,
      [customerId],
    );
    return rows.map(({ type, outcome, found, state, settled, release }) => {
      assert.equal(release, null, 'there are no releases yet');
      return [type, outcome, found, state, settled].map((value) => value ?? '-').join(' ');
    });
  };
  const told = async (body: object) => {
    const { status, text } = await respond(body);
    assert.equal(status, 200, text);
  };
  const { recommendationId } = await shownItem('H1');
  await told({ recommendationId, outcome: 'click' });
  await told({ customerId: 'H1', creativeId: ids.creative, outcome: 'click' });
  await told({ customerId: 'H1', offerId: ids.offer, outcome: 'click' });
  assert.deepEqual(await historyOf('H1'), [
    'impression impression - - -',
    'response click recommendation - -',
    'response click creative - -',
    'response click offer - -',
  ]);
  const [confirmed, answered, refused, ranOut] = await Promise.all(['H2', 'H3', 'H4', 'H5'].map(reserve));
  await told({ interactionId: confirmed!.interactionId, outcome: 'impression' });
  await told({ recommendationId: answered!.recommendationId, outcome: 'click' });
  await told({ interactionId: refused!.interactionId, outcome: 'not_presented' });
  await told({ interactionId: refused!.interactionId, outcome: 'impression' });
  await told({ interactionId: ranOut!.interactionId, outcome: 'expired' });
  const reservation = (state: string, settled: string) => `recommendation - - ${state} ${settled}`;
  assert.deepEqual(await historyOf('H2'), [
    reservation('confirmed', 'impression'),
    'impression impression interaction - -',
  ]);
  const [first, ...others] = await historyOf('H3');
  assert.equal(first, reservation('confirmed', 'response'));
  assert.deepEqual(others.sort(), ['impression impression recommendation - -', 'response click recommendation - -']);
  const [released, ...late] = await historyOf('H4');
  assert.equal(released, reservation('confirmed', 'not_presented'), 'the release was first');
  assert.deepEqual(late.sort(), ['impression impression interaction - -', 'response not_presented interaction - -']);
  assert.deepEqual(await historyOf('H5'), [reservation('expired', 'expired'), 'response expired interaction - -']);

  // A customer's summaries are exact at once, with nothing published or counted in between.
  const summaries = await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    readCustomerSummaries(tx, ['H1', 'H2', 'H4'], { period: 'day', zone: 'UTC' }),
  );
  assert.deepEqual(
    summaries.map((row) => [
      row.customerId,
      row.periodKey,
      row.creativeId,
      row.impressions,
      row.positive,
      row.lastOutcomeKey,
    ]),
    [
      ['H1', '2026-11-20', null, 0, 1, 'click'],
      ['H1', '2026-11-20', ids.creative, 0, 2, 'click'],
      ['H1', '2026-11-20', ids.creative, 1, 0, null],
      ['H2', '2026-11-20', spoken, 1, 0, null],
      ['H4', '2026-11-20', spoken, 1, 0, 'not_presented'],
    ],
  );
});
