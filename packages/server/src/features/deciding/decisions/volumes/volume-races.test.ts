import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Offer, RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

// Races for what is counted across all customers, one interleaving per test: a transaction that stays open while the
// server decides or records plays the other process (docs/adr/0037).

let server: TestServer;
let channelId: string;
let explicitId: string;
let now = Date.parse('2026-11-20T10:00:00Z');
/** Milliseconds by which each clock read moves it. */
let tick = 0;
const dayMs = 86_400_000;

before(async () => {
  server = await startTestServer({
    clock: {
      now: () => {
        now += tick;
        return now;
      },
    },
  });
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
async function offerOf(budget: object, more: object = {}): Promise<Offer> {
  names += 1;
  const offer = await made('offers', { name: `Offer ${names}`, status: 'active', budget, ...more });
  for (const channel of [channelId, explicitId]) {
    const name = `Creative ${names} ${channel}`;
    await made('creatives', { name, offerId: offer.id, channelId: channel, status: 'active' });
  }
  return offer;
}

const allOffers = async () => (await server.call<{ data: Offer[] }>('GET', '/api/v1/offers?limit=200')).body.data;

let customers = 0;
/** A question of a new customer that only these offers can answer. */
async function questionFor(offers: readonly Offer[], more: object = {}) {
  const ids = new Set(offers.map(({ id }) => id));
  const excludeOffers = (await allOffers()).map(({ id }) => id).filter((id) => !ids.has(id));
  customers += 1;
  return { customerId: `customer ${customers}`, channelId, excludeOffers, ...more };
}
async function decide(question: object): Promise<RecommendAnswer> {
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: question });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
const show = async (offer: Offer, more: object = {}) => {
  const { decisions } = await decide(await questionFor([offer], more));
  return decisions[0] ?? null;
};
const isShown = async (offer: Offer, more: object = {}) => (await show(offer, more)) !== null;

const report = async (body: object): Promise<RespondAnswer> => {
  const answer = await server.call<RespondAnswer>('POST', '/api/v1/respond', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

const budgetOf = async ({ id }: Offer) => (await server.call<Offer>('GET', `/api/v1/offers/${id}`)).body.budget;
async function countOf({ id }: Offer): Promise<number> {
  const [row] = await query<{ n: string }>('select impressions as n from arbiter.volumes where subject_id = $1', [id]);
  return Number(row?.n);
}

const query = <Row = Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
  server.testDatabase.ownerQuery<Row>(text, values);

/** SQL of what another process does to an offer's row, or to its group's row. */
const changing = ({ id }: { readonly id: string }, changes: string) =>
  `update arbiter.volumes set ${changes} where subject_id = '${id}'`;
const taking = (subject: { readonly id: string }, count: number, cents = 0) =>
  changing(
    subject,
    `impressions = impressions + ${count}, day_impressions = day_impressions + ${count},
     spent_cents = spent_cents + ${cents}, day_spent_cents = day_spent_cents + ${cents}`,
  );

/** Sessions of the server that wait for a row of another transaction. */
async function waiting(): Promise<number> {
  const [row] = await query<{ n: string }>(
    `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row!.n);
}

/** Runs `act` after another transaction made a change, and commits that once `act` waits for it and `then` is done. */
async function beside<Result>(
  change: string,
  act: () => Promise<Result>,
  then: () => Promise<void> | void = () => undefined,
): Promise<Result> {
  const commit = await server.testDatabase.ownerHold(change);
  const acting = act();
  let settled = false;
  const done = () => {
    settled = true;
  };
  acting.then(done, done);
  try {
    while ((await waiting()) === 0) {
      assert.ok(!settled, 'it did not wait for the other transaction');
      await sleep(5);
    }
    await then();
  } finally {
    await commit();
  }
  return acting;
}

const limits = [
  { what: 'impressions ever', budget: { lifetimeMaxImpressions: 10 }, cents: 0 },
  { what: 'impressions of the day', budget: { dailyMaxImpressions: 10 }, cents: 0 },
  { what: 'cents ever', budget: { lifetimeCapCents: 100, costPerImpressionCents: 10 }, cents: 10 },
  { what: 'cents of the day', budget: { dailyCapCents: 100, costPerImpressionCents: 10 }, cents: 10 },
];
for (const { what, budget, cents } of limits) {
  test(`${what}: sees what others use between reading and raising`, async () => {
    const offer = await offerOf(budget);
    assert.equal(await isShown(offer), true);
    await query(taking(offer, 5, 5 * cents));
    const question = await questionFor([offer]);
    const { decisions } = await beside(taking(offer, 4, 4 * cents), () => decide(question));
    assert.deepEqual(decisions, [], 'nothing was left');
    assert.equal(await countOf(offer), 10);
    await query(taking(offer, -5, -5 * cents));
    const fits = await beside(taking(offer, 4, 4 * cents), async () => decide(question));
    assert.equal(fits.decisions.length, 1, 'the last piece');
    assert.equal(await countOf(offer), 10);
  });
}

test('locks a nearly used budget before the decision, which is then made once', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 10 });
  assert.equal(await isShown(offer), true);
  await query(taking(offer, 8));
  const question = await questionFor([offer]);
  assert.equal((await decide({ ...question, channelId: explicitId, dryRun: true })).count, 1);
  // The customer's row exists beforehand, so that creating it adds no trip to the count below.
  await decide({ ...question, excludeOffers: (await allOffers()).map(({ id }) => id) });
  const before = server.hot.trips();
  const { decisions } = await beside(taking(offer, 1), () => decide(question));
  assert.deepEqual(decisions, []);
  assert.equal(server.hot.trips() - before, 3, 'read, hold, commit');
  assert.equal(await countOf(offer), 10);
});

test('after a lost race, a response with several items shows what is left, and no more', async () => {
  const category = await made<{ id: string }>('categories', { name: 'Together' });
  const offers: Offer[] = [];
  for (let n = 0; n < 5; n++) offers.push(await offerOf({}, { categoryId: category.id }));
  const policy = await made<{ id: string }>('contact-policies', {
    name: 'Together',
    ruleType: 'budget_exhausted',
    scope: 'category',
    scopeId: category.id,
    config: { budgetField: 'impressions', threshold: 20 },
  });
  const all = async () => (await decide(await questionFor(offers, { limit: 5 }))).decisions.length;
  assert.equal(await all(), 5);
  assert.equal(await all(), 5);
  const sum = async () => (await Promise.all(offers.map(countOf))).reduce((a, b) => a + b, 0);
  // Others raise the category's row too: it is the lock under which its sum is compared.
  const [row] = await query<{ n: string }>('select count(*) as n from arbiter.volumes where subject_id = $1', [
    category.id,
  ]);
  assert.equal(Number(row!.n), 1);
  const others = (count: number) =>
    `with own as (${taking(category, count)} returning 1) ${taking(offers[4]!, count)} and exists (select from own)`;
  assert.equal(await beside(others(7), all), 3, '10, 7 by others, and the 3 that are left');
  assert.equal(await sum(), 20);
  assert.equal(await all(), 0);
  await query(taking(offers[4]!, -2));
  assert.equal(await beside(others(1), all), 1, 'with little left it waits before it decides');
  assert.equal(await sum(), 20);
  await server.call('DELETE', `/api/v1/contact-policies?id=${policy.id}`);
});

test('a limit holds even if another one of the same offer is used up and lifted', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 10 });
  const scope = { scope: 'offer', scopeId: offer.id };
  const config = { budgetField: 'impressions', threshold: 2, bypassable: true };
  const policy = await made<{ id: string }>('contact-policies', {
    name: 'Soft',
    ruleType: 'budget_exhausted',
    ...scope,
    config,
  });
  assert.deepEqual([await isShown(offer), await isShown(offer), await isShown(offer)], [true, true, false]);
  const override = await made<{ id: string }>('contact-policies', {
    name: 'Lifted',
    ruleType: 'allow_override',
    ...scope,
    config: { reason: 'campaign' },
  });
  assert.equal(await isShown(offer), true, 'the policy is lifted');
  await query(taking(offer, 3));
  const question = await questionFor([offer]);
  const { decisions } = await beside(taking(offer, 4), () => decide(question));
  assert.deepEqual(decisions, [], 'the budget of the offer is not');
  assert.equal(await countOf(offer), 10);
  for (const { id } of [policy, override]) await server.call('DELETE', `/api/v1/contact-policies?id=${id}`);
});

test('midnight between two reads of the clock: each impression counts for the day of its history', async () => {
  const looks: number[] = [];
  // As long as the whole decision fits before midnight: then every read has been the first of the new day once.
  for (let lead = 1; ; lead++) {
    const midnight = (Math.floor(now / dayMs) + 2) * dayMs;
    now = midnight - 3_600_000;
    const offer = await offerOf({ dailyMaxImpressions: 3 });
    assert.deepEqual([await isShown(offer), await isShown(offer)], [true, true]);
    const question = await questionFor([offer]);
    now = midnight - lead;
    tick = 1;
    await decide(question).finally(() => {
      tick = 0;
    });
    const isOver = now < midnight;
    now = midnight + 1_000;
    const [row] = await query<{ n: string }>(
      `select count(*) as n from arbiter.interaction_history where offer_id = $1 and occurred_at >= $2`,
      [offer.id, new Date(midnight)],
    );
    const today = Number(row!.n);
    looks.push(today);
    assert.equal((await budgetOf(offer)).currentDailyImpressions, today, `${lead} looks before midnight`);
    let shown = today;
    while (await isShown(offer)) shown += 1;
    assert.equal(shown, 3, `${lead} looks before midnight: the new day has all of its own`);
    if (isOver) break;
  }
  assert.ok(looks.length > 3 && looks.includes(1) && looks.includes(0), looks.join());
});

test("yesterday's reservation returns nothing to a day that has started since", async () => {
  const midnight = (Math.floor(now / dayMs) + 2) * dayMs;
  now = midnight - 10_000;
  const offer = await offerOf({ dailyMaxImpressions: 1 });
  const item = await show(offer, { channelId: explicitId });
  const theirs = changing(
    offer,
    `impressions = impressions + 1, day_impressions = 1, day_at = '${new Date(midnight + 1).toISOString()}'`,
  );
  const released = () => report({ interactionId: item!.interactionId, outcome: 'not_presented' });
  assert.equal((await beside(theirs, released)).impression, 'released');
  now = midnight + 2;
  assert.equal((await budgetOf(offer)).currentDailyImpressions, 1);
  assert.equal(await isShown(offer), false, 'the one of today was shown by another process');
});

test('decides again if the day is over', async () => {
  const midnight = (Math.floor(now / dayMs) + 2) * dayMs;
  now = midnight - 10_000;
  const offer = await offerOf({ dailyMaxImpressions: 10 });
  assert.equal(await isShown(offer), true);
  const theirs = changing(
    offer,
    `impressions = impressions + 1, day_impressions = 1, day_at = '${new Date(midnight + 1).toISOString()}'`,
  );
  const question = await questionFor([offer]);
  const { decisions } = await beside(
    theirs,
    () => decide(question),
    () => {
      now = midnight + 2;
    },
  );
  assert.equal(decisions.length, 1);
  assert.equal((await budgetOf(offer)).currentDailyImpressions, 2);
  const [row] = await query<{ at: Date }>(
    `select max(occurred_at) as at from arbiter.interaction_history where offer_id = $1`,
    [offer.id],
  );
  assert.equal(row!.at.getTime(), midnight + 2);
});

test('with another clock seconds ahead at midnight, no decision waits for midnight', async () => {
  const midnight = (Math.floor(now / dayMs) + 2) * dayMs;
  now = midnight - 10_000;
  const offer = await offerOf({ dailyMaxImpressions: 3 });
  assert.equal(await isShown(offer), true);
  await query(
    changing(offer, `impressions = 2, day_impressions = 1, day_at = '${new Date(midnight + 1).toISOString()}'`),
  );
  assert.deepEqual([await isShown(offer), await isShown(offer), await isShown(offer)], [true, true, false]);
  now = midnight + 2;
  assert.equal(await isShown(offer), false, 'three counted for the day that another process has begun');
});

test('a confirmation that waits past the expiry is late if its place was given away', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 1 });
  const item = await show(offer, { channelId: explicitId });
  now = Date.parse(item!.reservation!.expiresAt) - 1;
  const customer = `customer ${customers}`;
  const holding = `select from arbiter.customer_states where customer_id = '${customer}' for update`;
  const confirm = () => report({ interactionId: item!.interactionId, outcome: 'impression' });
  const answer = await beside(holding, confirm, async () => {
    now += 1;
    assert.equal(await isShown(offer), true, 'it ran out');
  });
  assert.equal(answer.impression, 'late');
  assert.equal(await countOf(offer), 2, 'both happened');
  const [row] = await query<{ n: string }>(
    `select count(*) as n from arbiter.interaction_history
      where offer_id = $1 and interaction_type = 'impression' and details ->> 'late' = 'true'`,
    [offer.id],
  );
  assert.equal(Number(row!.n), 1);
});

test("a confirmation that waits for the counter past the expiry is late; before, it isn't", async () => {
  for (const [waits, told] of [
    [0, 'confirmed'],
    [1, 'late'],
  ] as const) {
    const offer = await offerOf({ lifetimeMaxImpressions: 1 });
    const item = await show(offer, { channelId: explicitId });
    now = Date.parse(item!.reservation!.expiresAt) - 1;
    const confirm = () => report({ interactionId: item!.interactionId, outcome: 'click' });
    const wait = () => {
      now += waits;
    };
    const answer = await beside(changing(offer, 'impressions = impressions'), confirm, wait);
    assert.equal(answer.impression, told === 'confirmed' ? 'confirmed' : null, told);
    assert.equal(await isShown(offer), told !== 'confirmed', told);
  }
});

test('returns a swept reservation only once while a decision waits for the counter', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 1 });
  const item = await show(offer, { channelId: explicitId });
  now = Date.parse(item!.reservation!.expiresAt);
  const question = await questionFor([offer]);
  const sweeping = `with gone as (delete from arbiter.volume_reservations where offer_id = '${offer.id}' returning 1)
    update arbiter.volumes set impressions = impressions - 1, day_impressions = day_impressions - 1
     where subject_id = '${offer.id}' and exists (select from gone)`;
  assert.equal((await beside(sweeping, () => decide(question))).count, 1);
  assert.equal(await isShown(offer), false);
  assert.equal(await countOf(offer), 1);
});

test("holding one volume doesn't delay waiting for another, and both are requested at once", async () => {
  const tight = await offerOf({ lifetimeMaxImpressions: 2 });
  const roomy = await offerOf({ lifetimeMaxImpressions: 1_000 });
  assert.deepEqual([await isShown(tight), await isShown(roomy)], [true, true]);
  const question = await questionFor([tight, roomy], { limit: 2 });
  // It holds the first and can't raise the second: it releases the first and waits for both in order.
  const { decisions } = await beside(taking(roomy, 1), () => decide(question));
  assert.equal(decisions.length, 2);
  assert.deepEqual([await countOf(tight), await countOf(roomy)], [2, 3]);
});

test('a session that ends while raising leaves nothing behind', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 10 });
  assert.equal(await isShown(offer), true);
  const question = await questionFor([offer]);
  const { status } = await beside(
    taking(offer, 1),
    () => server.call('POST', '/api/v1/recommend', { body: question }),
    async () => {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
    },
  );
  const shown = status === 200 ? 1 : 0;
  assert.equal(await countOf(offer), 2 + shown);
  const [row] = await query<{ n: string }>(
    'select count(*) as n from arbiter.interaction_history where offer_id = $1',
    [offer.id],
  );
  assert.equal(Number(row!.n), 1 + shown);
});

test('counts an item at most once under contradicting reports, and a late impression above the cap', async () => {
  const offer = await offerOf({ lifetimeMaxImpressions: 1 });
  const item = await show(offer, { channelId: explicitId });
  const of = { interactionId: item!.interactionId };
  const reports = await beside(changing(offer, 'impressions = impressions'), () =>
    Promise.all([report({ ...of, outcome: 'not_presented' }), report({ ...of, outcome: 'impression' })]),
  );
  const [given, told] = reports.map(({ impression }) => impression);
  // Whatever the order, one item is counted at most once, and not lost.
  if (given === 'released') {
    assert.equal(told, 'late');
    assert.equal(await countOf(offer), 1);
    assert.equal(await isShown(offer), false);
  } else assert.deepEqual([given, told], [null, 'confirmed']);
  const other = await offerOf({ lifetimeMaxImpressions: 1 });
  const first = await show(other, { channelId: explicitId });
  const about = { interactionId: first!.interactionId };
  await report({ ...about, outcome: 'not_presented' });
  assert.equal(await isShown(other), true);
  assert.equal((await report({ ...about, outcome: 'impression' })).impression, 'late');
  assert.equal(await countOf(other), 2);
});
