import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { decodeState } from '../../customer-states/index.ts';

/** What one response changes in the database (docs/design/api-decisioning.md 3, 4: what happens when). */

const start = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let now = start;
const ids = { desk: '', category: '', offer: '', creative: '', policy: '' };

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  ids.desk = await server.create('channels', { name: 'Desk', channelType: 'call_center', impressionMode: 'explicit' });
  ids.category = await server.create('categories', { name: 'Cards' });
  const costs = { costPerImpressionCents: 7, costPerConversionCents: 100, lifetimeCapCents: 100_000 };
  const stock = { inventory: { totalStock: 50 } };
  const offer = { name: 'Card', status: 'active', categoryId: ids.category, budget: costs, ...stock };
  ids.offer = await server.create('offers', offer);
  const creative = { name: 'call', offerId: ids.offer, channelId: ids.desk, status: 'active' };
  ids.creative = await server.create('creatives', creative);
  const config = { afterOutcome: ['dismiss'], suppressForDays: 2, per: 'offer' };
  ids.policy = await server.create('contact-policies', {
    name: 'Rest',
    ruleType: 'outcome_based',
    scope: 'global',
    config,
  });
});
after(() => server?.close());

async function reserve(customerId: string) {
  const { body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId: ids.desk },
  });
  const [item] = body.decisions;
  assert.ok(item?.reservation, text);
  return { recommendationId: body.recommendationId!, interactionId: item.interactionId! };
}

async function told(body: object): Promise<RespondAnswer> {
  const answer = await server.call<RespondAnswer>('POST', '/api/v1/respond', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const query = <Row extends Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
  server.testDatabase.ownerQuery<Row>(text, [...values]);

/** Everything that a response may move, of one customer and of all. */
async function standOf(customerId: string) {
  const [row] = await query<{ state: Buffer; base: Buffer | null }>(
    'select state, base from arbiter.customer_states where customer_id = $1',
    [customerId],
  );
  const state = row === undefined ? null : decodeState(row.state, row.base);
  const [all] = await query<Record<string, number>>(
    `select (select count(*)::int from arbiter.response_keys) as keys,
       (select coalesce(sum(positives), 0)::int from arbiter.evidence_changes where offer_id = $1 and category_id = $2) as positives,
       (select coalesce(sum(negatives), 0)::int from arbiter.evidence_changes where offer_id = $1 and category_id = $2) as negatives,
       (select remaining::int from arbiter.offer_stock where offer_id = $1) as stock,
       (select impressions::int from arbiter.volumes where kind = 'offer' and subject_id = $1) as shown,
       (select spent_cents::int from arbiter.volumes where kind = 'offer' and subject_id = $1) as spent,
       (select count(*)::int from arbiter.volume_reservations) as held`,
    [ids.offer, ids.category],
  );
  const suppressions = await query<{ scope: string }>(
    'select scope_id as scope from arbiter.customer_suppressions where customer_id = $1',
    [customerId],
  );
  const history = await query<{ row: string }>(
    `select concat_ws(' ', interaction_type, outcome_key, reservation_state) as row
     from arbiter.interactions where customer_id = $1 order by id`,
    [customerId],
  );
  const outbox = await query<{ events: string }>(
    `select events from arbiter.outbox where position($1 in events) > 0 and position('interaction.recorded.v1' in events) > 0`,
    [customerId],
  );
  const events = outbox.flatMap(({ events }) =>
    (JSON.parse(events) as { type?: string; payload?: { customerId?: string; outcomeTypeKey?: string } }[])
      .filter(({ type, payload }) => type === 'interaction.recorded.v1' && payload?.customerId === customerId)
      .map(({ payload }) => payload?.outcomeTypeKey),
  );
  return {
    ...all!,
    contacts: state?.log.map(({ at }) => at) ?? [],
    total: state?.totals.reduce((sum, each) => sum + each, 0) ?? 0,
    reserved: state?.reservations.length ?? 0,
    outcomes: Object.fromEntries(state?.outcomes.map(({ key, at }) => [key, at]) ?? []),
    suppressed: suppressions.map(({ scope }) => scope),
    history: history.map(({ row }) => row).sort(),
    events: events.sort(),
  };
}
type Stand = Awaited<ReturnType<typeof standOf>>;
const number = (stand: Stand, name: string) => Number(Reflect.get(stand, name));
/** Returns how the figures over all customers changed. */
const moved = (before: Stand, after: Stand) =>
  Object.fromEntries(
    ['keys', 'positives', 'negatives', 'stock', 'shown', 'spent', 'held']
      .map((name) => [name, number(after, name) - number(before, name)] as const)
      .filter(([, by]) => by !== 0),
  );

test('a conversion on an open reservation confirms it, and is booked, counted, learned and reported', async () => {
  const { interactionId } = await reserve('R1');
  const before = await standOf('R1');
  assert.deepEqual([before.reserved, before.total, before.history], [1, 0, ['recommendation open']]);
  const at = start - 3_600_000;
  const event = { interactionId, outcome: 'convert', conversionValue: 12.5, timestamp: new Date(at).toISOString() };
  const answer = await told(event);
  assert.deepEqual([answer.impression, answer.status, answer.categoryName], ['confirmed', 'recorded', 'Cards']);
  const after = await standOf('R1');
  // The reservation held an impression and its price already; the conversion costs its own.
  assert.deepEqual(moved(before, after), { keys: 1, positives: 1, stock: -1, spent: 100, held: -1 });
  assert.deepEqual([after.reserved, after.total, after.contacts], [0, 1, [at]], 'the count moved to the event');
  assert.deepEqual(after.outcomes, { convert: at });
  assert.deepEqual(after.history, ['impression impression', 'recommendation confirmed', 'response convert']);
  assert.deepEqual(after.events, ['convert', 'impression']);
  assert.deepEqual(after.suppressed, []);
  const { body } = await server.call<{ data: Record<string, unknown>[]; totals: Record<string, number> }>(
    'GET',
    '/api/v1/customers/R1/summaries',
  );
  assert.deepEqual(body.totals, {
    impressions: 1,
    positive: 1,
    negative: 0,
    neutral: 0,
    converts: 1,
    totalValue: 12.5,
  });

  assert.equal((await told(event)).status, 'duplicate');
  assert.deepEqual(await standOf('R1'), after, 'a duplicate moves nothing');
});

test('an impression confirms: the count moves to the event, and nothing is learned', async () => {
  const { interactionId } = await reserve('R2');
  const before = await standOf('R2');
  const at = start - 86_400_000;
  await told({ interactionId, outcome: 'impression', timestamp: new Date(at).toISOString() });
  const after = await standOf('R2');
  assert.deepEqual(moved(before, after), { keys: 1, held: -1 });
  assert.deepEqual([after.reserved, after.total, after.contacts, after.outcomes], [0, 1, [at], {}]);
  assert.deepEqual(after.events, ['impression']);
});

test('a rejection suppresses and is evidence against the offer; a neutral outcome is neither', async () => {
  const { interactionId } = await reserve('R3');
  const before = await standOf('R3');
  await told({ interactionId, outcome: 'dismiss' });
  const after = await standOf('R3');
  assert.deepEqual(moved(before, after), { keys: 1, negatives: 1, held: -1 });
  assert.deepEqual([after.suppressed, after.outcomes], [[ids.offer], { dismiss: start }]);
  const type = { key: 'yawned', name: 'Yawned', category: 'response', classification: 'neutral' };
  await server.create('outcome-types', type);
  await told({ interactionId, outcome: 'yawned' });
  const later = await standOf('R3');
  assert.deepEqual(moved(after, later), { keys: 1 });
  assert.deepEqual(later.outcomes, { dismiss: start, yawned: start });
});

test('a release returns everything, once; a late impression still counts', async () => {
  for (const [customerId, outcome, state] of [
    ['R4', 'not_presented', 'released'],
    ['R5', 'expired', 'expired'],
  ] as const) {
    const { interactionId } = await reserve(customerId);
    const before = await standOf(customerId);
    assert.equal((await told({ interactionId, outcome })).impression, 'released');
    const after = await standOf(customerId);
    assert.deepEqual(moved(before, after), { keys: 1, shown: -1, spent: -7, held: -1 }, outcome);
    assert.deepEqual([after.reserved, after.total, after.contacts], [0, 0, []]);
    assert.deepEqual(after.history, [`recommendation ${state}`, `response ${outcome}`]);
    const second = await told({ interactionId, outcome, timestamp: new Date(start).toISOString() });
    assert.deepEqual([second.impression, second.status], [null, 'recorded']);
    assert.deepEqual(moved(after, await standOf(customerId)), { keys: 1 }, 'what is released holds nothing');

    const click = await told({ interactionId, outcome: 'click' });
    assert.equal(click.impression, null, 'only an open reservation is confirmed by a response');
    const closed = await standOf(customerId);
    assert.equal((await told({ interactionId, outcome: 'impression' })).impression, 'late');
    const late = await standOf(customerId);
    assert.deepEqual(moved(closed, late), { keys: 1, shown: 1, spent: 7 });
    assert.deepEqual([late.total, late.contacts], [1, [start]]);
    const [row] = await query<{ details: { late?: boolean } }>(
      `select details from arbiter.interactions where customer_id = $1 and interaction_type = 'impression'`,
      [customerId],
    );
    assert.equal(row?.details.late, true, 'history says so too');
    // It never undoes a counted impression.
    await told({ interactionId, outcome, timestamp: new Date(start + 1).toISOString() });
    assert.equal((await standOf(customerId)).total, 1);
  }
});

test('a reservation is open until its end, exclusive', async () => {
  const [before, at] = [await reserve('R6'), await reserve('R7')];
  try {
    now = start + 1_800_000 - 1;
    assert.equal((await told({ ...before, outcome: 'click' })).impression, 'confirmed');
    now = start + 1_800_000;
    const { impression, status } = await told({ ...at, outcome: 'click' });
    assert.deepEqual([impression, status], [null, 'recorded']);
    assert.equal((await told({ ...at, outcome: 'impression' })).impression, 'late');
    assert.equal((await told({ ...at, outcome: 'impression', conversionValue: 1 })).impression, 'already_counted');
  } finally {
    now = start;
  }
});

test('a contact without a recommendation: an impression counts, two clicks are two events', async () => {
  const contact = { customerId: 'R8', creativeId: ids.creative };
  const before = await standOf('R8');
  assert.equal((await told({ ...contact, outcome: 'impression' })).impression, 'counted');
  const seen = await standOf('R8');
  assert.deepEqual(moved(before, seen), { shown: 1, spent: 7 });
  assert.deepEqual([seen.total, seen.history, seen.events], [1, ['impression impression'], ['impression']]);
  for (const second of [1, 2]) {
    await told({ ...contact, outcome: 'click', timestamp: new Date(start + second).toISOString() });
  }
  const clicked = await standOf('R8');
  assert.deepEqual(moved(seen, clicked), { keys: 2, positives: 2 });
  assert.deepEqual([clicked.total, clicked.outcomes], [1, { click: start + 2 }]);
});
