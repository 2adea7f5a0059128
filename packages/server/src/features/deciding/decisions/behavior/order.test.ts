import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { customerNumbers } from '../../customer-states/index.ts';
import { expireReservations } from '../../interactions/reservations.service.ts';

/**
 * Commits of a customer are numbered; a decision saw exactly those with a lower number (docs/design/recording.md S5).
 */

let server: TestServer;
let now = Date.parse('2026-11-20T09:00:00Z');

const recommend = (customerId: string, channel: string, more: object = {}) =>
  server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, channel, limit: 2, ...more } });
const respond = (body: object) => server.call('POST', '/api/v1/respond', { body });
const owner = <Row>(text: string, values: unknown[] = []) => server.testDatabase.ownerQuery<Row>(text, values);

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  const channels = {
    email: (await server.createRecord('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' }))
      .id,
    phone: (await server.createRecord('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' }))
      .id,
  };
  for (let i = 0; i < 6; i++) {
    const offer = await server.createRecord('offers', { name: `Offer ${i}`, status: 'active', priority: 90 - i });
    for (const [name, channelId] of Object.entries(channels)) {
      await server.createRecord('creatives', {
        name: `${name} ${i}`,
        offerId: offer.id,
        channelId,
        status: 'active',
        content: {},
      });
    }
  }
  const policy = { ruleType: 'frequency_cap', scope: 'global' };
  await server.createRecord('contact-policies', { name: 'Many a day', ...policy, config: { maxPerDay: 1000 } });
  // Decisions differ while contacts move on: each offer is shown a few times only.
  await server.createRecord('contact-policies', {
    name: 'A few each',
    ...policy,
    config: { maxPerWeek: 9, per: 'offer' },
  });
  const nodes = ['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({
    id: type,
    type,
    config: {},
  }));
  const flow = await server.createRecord('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: { version: 2, nodes: [...nodes, { id: 's', type: 'score', config: { method: 'priority_weighted' } }] },
  });
  await server.publishFlow(flow.id);
});
after(() => server?.close());

interface HistoryRow {
  readonly interaction_type: string;
  readonly lane: string;
  readonly seq: number;
  readonly settled: number | null;
  readonly expires: number | null;
  readonly decision: string | null;
}

interface DecisionRow {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly items: number;
}

const historyOf = (customerId: string) =>
  owner<HistoryRow>(
    `select interaction_type, concat_ws(' ', offer_id, creative_id, channel_id) as lane, customer_seq::int as seq,
       reservation_settled_seq::int as settled, extract(epoch from reservation_expires_at)::float8 * 1000 as expires,
       recommendation_id as decision
     from arbiter.interaction_history where customer_id = $1`,
    [customerId],
  );

const decisionsOf = (customerId: string) =>
  owner<DecisionRow>(
    `select d.id, d.customer_seq::int as seq, extract(epoch from d.decided_at)::float8 * 1000 as at, d.item_count as items
     from arbiter.decisions d join arbiter.customer_states s on s.ref = d.customer_ref
     where s.customer_id = $1 order by d.customer_seq`,
    [customerId],
  );

/** Returns contacts per lane, fewest first: what a decision saw according to history. */
function contactsBelow(history: readonly HistoryRow[], { seq, at }: DecisionRow): number[] {
  const counts = new Map<string, number>();
  for (const row of history) {
    if (row.seq >= seq) continue;
    const isOpen =
      row.interaction_type === 'recommendation' && (row.settled === null || row.settled > seq) && row.expires! > at;
    if (row.interaction_type !== 'impression' && !isOpen) continue;
    counts.set(row.lane, (counts.get(row.lane) ?? 0) + 1);
  }
  return [...counts.values()].sort((a, b) => a - b);
}

interface Record {
  readonly inputs: { readonly counters: { readonly counts: readonly (readonly number[])[] } | null };
}

/** The same as the sealed record keeps it. */
async function contactsSeen(id: string): Promise<number[]> {
  const record = await server.call<Record>('GET', `/api/v1/decisions/${id}?include=inputs`);
  assert.equal(record.status, 200, record.text);
  const { counters } = record.body.inputs;
  const [day] = counters?.counts ?? [];
  return (day ?? []).filter((count) => count > 0).sort((a, b) => a - b);
}

/** Checks the numbers of one customer: 1 to n, each once, and each decision saw everything below its own. */
async function assertOrder(customerId: string): Promise<{ readonly latest: number; readonly decisions: number }> {
  const [history, decisions] = [await historyOf(customerId), await decisionsOf(customerId)];
  const ofDecision = new Map(decisions.map(({ id, seq }) => [id, seq]));
  for (const row of history) {
    if (row.interaction_type === 'recommendation') assert.equal(row.seq, ofDecision.get(row.decision!));
  }
  const numbers = new Set<number>();
  for (const { seq } of decisions) {
    assert.ok(!numbers.has(seq), `two decisions have number ${seq}`);
    numbers.add(seq);
  }
  for (const { seq, settled } of history) {
    numbers.add(seq);
    if (settled !== null) numbers.add(settled);
  }
  const [row] = await owner<{ latest: number }>(
    'select customer_seq::int as latest from arbiter.customer_states where customer_id = $1',
    [customerId],
  );
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: row!.latest }, (_, i) => i + 1),
  );
  for (const decision of decisions) {
    assert.deepEqual(await contactsSeen(decision.id), contactsBelow(history, decision), `decision ${decision.seq}`);
  }
  return { latest: row!.latest, decisions: decisions.length };
}

test('parallel decisions, responses and the sweeper: no gaps in the numbers, and each decision saw all lower ones', async () => {
  const customerId = 'C-order';
  const shown: { readonly interactionId: string; readonly explicit: boolean }[] = [];
  const decide = async (channel: string) => {
    const { status, body, text } = await recommend(customerId, channel);
    assert.equal(status, 200, text);
    for (const item of body.decisions)
      shown.push({ interactionId: item.interactionId!, explicit: channel === 'phone' });
  };
  const outcomes = ['impression', 'not_presented', 'click', 'expired', 'dismiss'];
  let answered = 0;
  const answer = async () => {
    const item = shown[answered++ % shown.length]!;
    const body = { interactionId: item.interactionId, outcome: item.explicit ? outcomes[answered % 5] : 'click' };
    const { status, text } = await respond(body);
    assert.equal(status, 200, text);
  };
  const sweep = () =>
    server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
      expireReservations(tx, customerNumbers, 86_400_000),
    );
  for (let round = 0; round < 6; round++) {
    await Promise.all(Array.from({ length: 6 }, (_, i) => decide(i % 2 === 0 ? 'phone' : 'email')));
    await Promise.all([
      ...Array.from({ length: 6 }, (_, i) => decide(i % 2 === 0 ? 'phone' : 'email')),
      ...Array.from({ length: 6 }, () => answer()),
      sweep(),
    ]);
    // Reservations of the rounds before run out.
    now += 1_201_000;
  }
  // Whoever held the customer when the sweeper came has finished.
  await sweep();
  const open = await owner<{ n: number }>(
    `select count(*)::int as n from arbiter.interactions where reservation_state = 'open' and reservation_expires_at <= $1`,
    [new Date(now)],
  );
  assert.equal(open[0]!.n, 0);
  const history = await historyOf(customerId);
  assert.ok(history.some(({ settled }) => settled !== null));
  const { decisions, latest } = await assertOrder(customerId);
  assert.equal(decisions, 72);
  assert.ok(latest > decisions);
});

test("two decisions of one batch have successive numbers; empty ones count, dry runs and duplicates don't", async () => {
  const customerId = 'C-batch';
  const answers = await Promise.all(Array.from({ length: 12 }, () => recommend(customerId, 'email')));
  assert.ok(answers.every(({ status }) => status === 200));
  const empty = await recommend(customerId, 'email', { excludeOffers: await allOffers() });
  assert.equal(empty.body.count, 0);
  assert.equal((await recommend(customerId, 'email', { dryRun: true })).status, 200);
  const click = { recommendationId: answers[0]!.body.recommendationId, rank: 1, outcome: 'click', timestamp: iso() };
  assert.deepEqual([(await respond(click)).body.status, (await respond(click)).body.status], ['recorded', 'duplicate']);
  assert.equal((await respond({ ...click, outcome: 'no_such' })).status, 400);
  assert.equal((await assertOrder(customerId)).latest, 14);
  assert.deepEqual(
    (await decisionsOf(customerId)).map(({ seq, items }) => [seq, items > 0]),
    Array.from({ length: 13 }, (_, i) => [i + 1, i < 12]),
  );
});

const iso = () => new Date(now).toISOString();
const allOffers = async () => (await owner<{ id: string }>('select id from arbiter.offers')).map(({ id }) => id);

test("the expiry of an erased customer's reservation has no number; a locked customer's waits", async () => {
  const [gone, held] = ['C-gone', 'C-held'];
  for (const customerId of [gone, held]) assert.equal((await recommend(customerId, 'phone')).body.count, 2);
  await owner('delete from arbiter.customer_states where customer_id = $1', [gone]);
  now += 90_000_000;
  const sweep = () =>
    server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
      expireReservations(tx, customerNumbers, 2 * 86_400_000),
    );
  const release = await server.testDatabase.ownerHold(
    `select 1 from arbiter.customer_states where customer_id = '${held}' for update`,
  );
  await sweep();
  const settled = async (customerId: string) =>
    (
      await owner<{ state: string; n: number | null }>(
        `select reservation_state as state, reservation_settled_seq::int as n from arbiter.interactions
       where customer_id = $1 order by id`,
        [customerId],
      )
    ).map(({ state, n }) => [state, n]);
  assert.deepEqual(await settled(gone), [
    ['expired', null],
    ['expired', null],
  ]);
  assert.deepEqual(await settled(held), [
    ['open', null],
    ['open', null],
  ]);
  await release();
  await sweep();
  assert.deepEqual(await settled(held), [
    ['expired', 2],
    ['expired', 3],
  ]);
  assert.equal((await assertOrder(held)).latest, 3);
});
