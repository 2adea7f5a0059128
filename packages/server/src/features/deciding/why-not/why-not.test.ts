import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, WhyNotAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Why-not over HTTP: each kind of gate with its details, flips carried out through the API, and who may ask. */

const start = Date.parse('2026-03-10T09:00:00.000Z');
let now = start;
let server: TestServer;
let channelId: string;
let schemaId: string;
/** IDs of offers by name, best priority first. */
const offers: Record<string, string> = {};

async function make(resource: string, body: object, key?: string): Promise<string> {
  const made = await server.call<{ id: string }>('POST', `/api/v1/${resource}`, { body, ...(key ? { key } : {}) });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
async function makeOffer(name: string, priority: number, more: object = {}): Promise<string> {
  const offerId = await make('offers', { name, status: 'active', priority, ...more });
  await make('creatives', { name, offerId, channelId, status: 'active' });
  offers[name] = offerId;
  return offerId;
}
async function drop(resource: string, id: string): Promise<void> {
  const dropped = await server.call('DELETE', `/api/v1/${resource}?id=${id}`);
  assert.ok(dropped.status === 200 || dropped.status === 204, dropped.text);
}
async function putRow(row: object): Promise<void> {
  const { status, text } = await server.call('POST', `/api/v1/schemas/${schemaId}/data`, { body: { rows: [row] } });
  assert.equal(status, 201, text);
}
const path = (customerId: string, offer: string): string =>
  `/api/v1/customers/${encodeURIComponent(customerId)}/why-not/${offers[offer] ?? offer}`;
async function whyNot(customerId: string, offer: string, query = ''): Promise<WhyNotAnswer> {
  const { status, body, text } = await server.call<WhyNotAnswer>('GET', `${path(customerId, offer)}${query}`);
  assert.equal(status, 200, text);
  return body;
}
async function whyNotWith(customerId: string, offer: string, body: object): Promise<WhyNotAnswer> {
  const answer = await server.call<WhyNotAnswer>('POST', path(customerId, offer), { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
async function shown(customerId: string, more: object = {}): Promise<string[]> {
  const body = { customerId, channelId, limit: 5, dryRun: true, ...more };
  const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(status, 200, text);
  return answer.decisions.map(({ offerId }) => offerId);
}
const blockedGates = ({ gates }: WhyNotAnswer) => gates.filter(({ status }) => status === 'blocked');
const ofKind = ({ flips }: WhyNotAnswer, kind: string) => flips.filter((flip) => flip.kind === kind);

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  channelId = await make('channels', { name: 'Web', channelType: 'web' });
  const column = (name: string, dataType: string, more: object = {}) => ({
    name,
    displayName: name,
    dataType,
    ...more,
  });
  schemaId = await make('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      column('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
      column('age', 'integer'),
      column('income', 'decimal', { precision: 10, scale: 2 }),
      column('tier', 'varchar', { length: 10 }),
      column('joined', 'date'),
      column('religion', 'text', { isSensitive: true }),
      column('secret', 'text', { neverStore: true }),
    ],
  });
  for (const [at, name] of ['Best', 'Good', 'Fair', 'Poor'].entries()) await makeOffer(name, 90 - 10 * at);
});
after(() => server?.close());

test('reports an offer in the response with its rank, and searches nothing', async () => {
  const answer = await whyNot('somebody', 'Good', `?channelId=${channelId}&limit=3`);
  const { selected, verdict, rank, flips, search, exploration, cutoffScore, summary, offerName } = answer;
  assert.deepEqual(
    { selected, verdict, rank, flips, exploration, offerName },
    { selected: true, verdict: 'eligible', rank: 2, flips: [], exploration: 'greedy', offerName: 'Good' },
  );
  assert.equal(search.executions, 0);
  assert.equal(cutoffScore, 0.7, 'the third of three');
  assert.match(summary, /rank 2/);
  assert.ok(answer.gates.every(({ status }) => status !== 'blocked'));
  assert.equal((await whyNot('somebody', 'Good', `?channelId=${channelId}&limit=5`)).cutoffScore, null, 'it has room');
});

test('the smallest priority flips an offer behind the cut, as a PUT of the offer proves', async () => {
  const answer = await whyNot('somebody', 'Poor', `?channelId=${channelId}&limit=2`);
  assert.deepEqual(
    [answer.verdict, answer.selected, answer.rank, answer.score, answer.cutoffScore],
    ['eligible', false, 4, 0.6, 0.8],
  );
  const [priority] = ofKind(answer, 'priority');
  // With 80 it ties with Good and follows by id only, so either may be the smallest.
  const to = Number(priority?.changes[0]?.to);
  const tied = offers.Poor! < offers.Good! ? 80 : 81;
  assert.deepEqual(priority?.changes, [{ path: 'offer.priority', from: 60, to: tied }]);
  const [score] = ofKind(answer, 'score');
  assert.equal(score?.changes[0]?.path, 'score');
  assert.ok(Number(score?.changes[0]?.to) > 0.8 && Number(score?.changes[0]?.to) <= 0.800001);
  const put = async (value: number) => {
    const body = { id: offers.Poor, priority: value };
    const { status, text } = await server.call('PUT', '/api/v1/offers', { body });
    assert.equal(status, 200, text);
  };
  await put(to);
  assert.equal((await shown('somebody', { limit: 2 }))[Number(priority?.resultRank) - 1], offers.Poor);
  await put(to - 1);
  assert.ok(!(await shown('somebody', { limit: 2 })).includes(offers.Poor!), 'one less is not enough');
  await put(60);
});

test('rules show their values, and writing the suggested row satisfies them', async () => {
  const scoped = { scope: 'offer', scopeId: offers.Fair };
  const rule = (name: string, config: object, ruleType = 'attribute_condition') =>
    make('qualification-rules', { name, ruleType, config, stage: 'eligibility', ...scoped });
  const rules = [
    await rule('Of age', { attribute: 'age', operator: 'gte', value: 18 }),
    await rule('Tiers', { attribute: 'tier', operator: 'in', value: ['gold', 'silver', 'much too long a word'] }),
    await rule('Income', { attribute: 'income', operator: 'gt', value: 1000.5 }),
  ];
  await putRow({ customer_id: 'young', age: 17, tier: 'basic', income: 900 });
  const answer = await whyNot('young', 'Fair', `?channelId=${channelId}`);
  assert.equal(answer.verdict, 'blocked');
  assert.equal(answer.rank, null);
  const told = blockedGates(answer).map(({ stage, id, name, ruleType, reason, detail }) => ({
    stage,
    id,
    name,
    ruleType,
    reason,
    detail,
  }));
  assert.deepEqual(
    told.find(({ name }) => name === 'Of age'),
    {
      stage: 'qualify',
      id: rules[0],
      name: 'Of age',
      ruleType: 'attribute_condition',
      reason: 'age is 17, required gte 18',
      detail: { attribute: 'age', operator: 'gte', expected: 18, actual: 17 },
    },
  );
  assert.equal(told.length, 3, 'all of them, not only the first');
  // Ordered by path and value; the tier that the column cannot hold is no proposal.
  const sets = ofKind(answer, 'attribute').map(({ changes }) => changes);
  assert.deepEqual(sets, [
    [
      { path: 'customer.age', from: 17, to: 18 },
      { path: 'customer.income', from: 900, to: 1000.6 },
      { path: 'customer.tier', from: 'basic', to: 'gold' },
    ],
    [
      { path: 'customer.age', from: 17, to: 18 },
      { path: 'customer.income', from: 900, to: 1000.6 },
      { path: 'customer.tier', from: 'basic', to: 'silver' },
    ],
  ]);
  for (const [at, changes] of sets.entries()) {
    const customerId = `grown-${at}`;
    const row = Object.fromEntries(changes.map(({ path: name, to }) => [name.slice('customer.'.length), to]));
    await putRow({ customer_id: customerId, ...row });
    assert.ok((await shown(customerId)).includes(offers.Fair!));
    for (const left of Object.keys(row)) {
      const partial = `${customerId}-without-${left}`;
      await putRow({
        age: 17,
        tier: 'basic',
        income: 900,
        ...row,
        [left]: { age: 17, tier: 'basic', income: 900 }[left],
        customer_id: partial,
      });
      assert.ok(!(await shown(partial)).includes(offers.Fair!), `${left} is needed`);
    }
  }
  for (const id of rules) await drop('qualification-rules', id);
});

test('flips of request attributes and segments change the request, and POST accepts a whole one', async () => {
  const scoped = { scope: 'offer', scopeId: offers.Fair, stage: 'eligibility' };
  const rules = [
    await make('qualification-rules', {
      name: 'Page',
      ruleType: 'attribute_condition',
      config: { attribute: 'attributes.page', operator: 'exists' },
      ...scoped,
    }),
    await make('qualification-rules', {
      name: 'Club',
      ruleType: 'segment_required',
      config: { requiredSegments: ['club', 'vip'] },
      ...scoped,
    }),
  ];
  const answer = await whyNot('anybody', 'Fair', `?channelId=${channelId}`);
  assert.deepEqual(
    answer.flips.map(({ changes }) => changes),
    [
      [
        { path: 'attributes.page', from: null, to: 'x', any: true },
        { path: 'segments', from: null, to: 'club' },
        { path: 'segments', from: null, to: 'vip' },
      ],
    ],
  );
  assert.deepEqual(blockedGates(answer).find(({ name }) => name === 'Club')?.detail, {
    required: ['club', 'vip'],
    actual: [],
  });
  const asked = { channelId, attributes: { page: 'home' }, segments: ['vip'] };
  const closer = await whyNotWith('anybody', 'Fair', asked);
  assert.deepEqual(
    closer.flips.map(({ changes }) => changes),
    [[{ path: 'segments', from: null, to: 'club' }]],
  );
  assert.ok((await shown('anybody', { ...asked, segments: ['vip', 'club'] })).includes(offers.Fair!));
  assert.equal((await whyNotWith('anybody', 'Fair', { ...asked, segments: ['vip', 'club'] })).selected, true);
  const excluded = await whyNotWith('anybody', 'Good', { channelId, excludeOffers: [offers.Good] });
  assert.deepEqual([blockedGates(excluded)[0]?.name, excluded.flips], ['excluded', []]);
  for (const id of rules) await drop('qualification-rules', id);
});

test('never suggests sensitive and unstored columns', async () => {
  await putRow({ customer_id: 'private', age: 40, religion: 'none', secret: 'no' });
  const scoped = { scope: 'offer', scopeId: offers.Fair, stage: 'eligibility', ruleType: 'attribute_condition' };
  for (const attribute of ['religion', 'secret']) {
    const config = { attribute, operator: 'eq', value: 'yes' };
    const id = await make('qualification-rules', { name: attribute, config, ...scoped });
    const answer = await whyNot('private', 'Fair', `?channelId=${channelId}`);
    assert.equal(blockedGates(answer)[0]?.name, attribute);
    assert.deepEqual(answer.flips, [], attribute);
    await drop('qualification-rules', id);
  }
});

test('with two customer schemas and one column name, suggests and changes the value the decision reads', async () => {
  const second = await make('schemas', {
    name: 'clients',
    displayName: 'Clients',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'client_id', displayName: 'Id', dataType: 'varchar', length: 64, isPrimaryKey: true, isNullable: false },
      { name: 'age', displayName: 'Age', dataType: 'integer' },
    ],
  });
  const rule = await make('qualification-rules', {
    name: 'Of age',
    ruleType: 'attribute_condition',
    config: { attribute: 'age', operator: 'gte', value: 18 },
    stage: 'eligibility',
    scope: 'offer',
    scopeId: offers.Fair,
  });
  const putClient = async (row: object) => {
    const { status, text } = await server.call('POST', `/api/v1/schemas/${second}/data`, { body: { rows: [row] } });
    assert.equal(status, 201, text);
  };
  const putBoth = async (customerId: string, age: unknown) => {
    await putRow({ customer_id: customerId, age });
    await putClient({ client_id: customerId, age: 15 });
  };
  const putOne = (customerId: string, age: unknown) => putClient({ client_id: customerId, age });
  for (const put of [putBoth, putOne]) {
    await put(`${put.name} 16`, 16);
    const [flip] = (await whyNot(`${put.name} 16`, 'Fair', `?channelId=${channelId}`)).flips;
    assert.deepEqual(flip?.changes, [{ path: 'customer.age', from: 16, to: 18 }]);
    assert.ok(!(await shown(`${put.name} 16`)).includes(offers.Fair!));
    await put(`${put.name} 18`, flip?.changes[0]?.to);
    assert.ok((await shown(`${put.name} 18`)).includes(offers.Fair!), put.name);
  }
  await drop('qualification-rules', rule);
  await drop('schemas', second);
});

test('suggests a column unless a segment that the flow reads uses it', async () => {
  await putRow({ customer_id: 'young', age: 17, income: 10 });
  const segment = (name: string, field: string) =>
    make('segments', {
      name,
      status: 'active',
      baseSchemaId: schemaId,
      filters: [{ field, operator: 'gte', value: 50 }],
    });
  const segments = [await segment('Seniors', 'age'), await segment('Rich', 'income')];
  const scoped = { scope: 'offer', stage: 'eligibility' };
  const reader = await make('qualification-rules', {
    name: 'For the rich',
    ruleType: 'segment_required',
    config: { requiredSegments: ['rich'] },
    scopeId: offers.Poor,
    ...scoped,
  });
  for (const [attribute, flips] of [
    ['age', [[{ path: 'customer.age', from: 17, to: 18 }]]],
    ['income', []],
  ] as const) {
    const id = await make('qualification-rules', {
      name: attribute,
      ruleType: 'attribute_condition',
      config: { attribute, operator: 'gte', value: 18 },
      scopeId: offers.Fair,
      ...scoped,
    });
    const answer = await whyNot('young', 'Fair', `?channelId=${channelId}`);
    assert.deepEqual(
      ofKind(answer, 'attribute').map(({ changes }) => changes),
      flips,
      attribute,
    );
    await drop('qualification-rules', id);
  }
  await drop('qualification-rules', reader);
  for (const id of segments) await drop('segments', id);
});

test('a cooldown and a cap end at the given instant, and not a second earlier', async () => {
  const scoped = { scope: 'offer', scopeId: offers.Best };
  const seen = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'contacted', channelId, limit: 1 },
  });
  assert.equal(seen.body.decisions[0]?.offerId, offers.Best, seen.text);
  now += 3_600_000;
  const cases = [
    { ruleType: 'cooldown', config: { cooldownHours: 30 }, at: start + 30 * 3_600_000 },
    { ruleType: 'frequency_cap', config: { maxPerDay: 1 }, at: Date.parse('2026-03-11T00:00:00Z') },
    { ruleType: 'frequency_cap', config: { maxPerWeek: 1 }, at: Date.parse('2026-03-16T00:00:00Z') },
    { ruleType: 'frequency_cap', config: { windows: [{ max: 1, hours: 5 }] }, at: start + 5 * 3_600_000 },
    { ruleType: 'frequency_cap', config: { maxTotal: 1 }, at: null },
  ];
  for (const { ruleType, config, at } of cases) {
    const id = await make('contact-policies', { name: 'Limit', ruleType, config, ...scoped });
    const answer = await whyNot('contacted', 'Best', `?channelId=${channelId}`);
    const [gate] = blockedGates(answer);
    assert.deepEqual([gate?.stage, gate?.id, gate?.name, gate?.ruleType], ['contact_policy', id, 'Limit', ruleType]);
    const flips = answer.flips.map((flip) => [flip.kind, flip.at, flip.changes, flip.verified]);
    const label = JSON.stringify(config);
    assert.deepEqual(flips, at === null ? [] : [['time', new Date(at).toISOString(), [], true]], label);
    if (at !== null) {
      const then = async (instant: number) =>
        (await whyNotWith('contacted', 'Best', { channelId, now: new Date(instant).toISOString() })).selected;
      assert.deepEqual([await then(at), await then(at - 1_000)], [true, false], label);
    }
    await drop('contact-policies', id);
  }
  now = start;
});

test("gives a record's instant as of then, whatever the customer has seen since", async () => {
  const hour = 3_600_000;
  const cases = [
    { ruleType: 'cooldown', config: { cooldownHours: 30 }, at: start + 30 * hour },
    { ruleType: 'frequency_cap', config: { maxPerDay: 1 }, at: Date.parse('2026-03-11T00:00:00Z') },
    { ruleType: 'frequency_cap', config: { windows: [{ max: 1, hours: 5 }] }, at: start + 5 * hour },
    { ruleType: 'frequency_cap', config: { maxTotal: 1 }, at: null },
  ];
  for (const [number, { ruleType, config, at }] of cases.entries()) {
    const customerId = `recorded ${number}`;
    const decide = (limit: number) =>
      server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, channelId, limit } });
    now = start;
    const policy = { name: 'Limit', ruleType, config, scope: 'offer', scopeId: offers.Best };
    assert.equal((await decide(1)).body.decisions[0]?.offerId, offers.Best);
    const id = await make('contact-policies', policy);
    now += hour;
    const { recommendationId, decisions } = (await decide(1)).body;
    assert.notEqual(decisions[0]?.offerId, offers.Best);
    await drop('contact-policies', id);
    now += hour;
    const later = (await decide(5)).body.decisions;
    assert.ok(later.some(({ offerId }) => offerId === offers.Best));
    const answer = await whyNot(customerId, 'Best', `?decisionId=${recommendationId}`);
    assert.deepEqual(
      answer.flips.map((flip) => [flip.kind, flip.at, flip.changes, flip.verified]),
      at === null ? [] : [['time', new Date(at).toISOString(), [], true]],
      JSON.stringify(config),
    );
  }
  now = start;
});

test('gives no time for a record if earlier contacts arrived after it', async () => {
  const policy = await make('contact-policies', {
    name: 'Rest',
    ruleType: 'cooldown',
    config: { cooldownHours: 30 },
    scope: 'offer',
    scopeId: offers.Best,
  });
  const decide = () =>
    server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId: 'late', channelId, limit: 1 } });
  assert.equal((await decide()).body.decisions[0]?.offerId, offers.Best);
  now += 3_600_000;
  const { recommendationId } = (await decide()).body;
  const flipsNow = async () =>
    (await whyNot('late', 'Best', `?decisionId=${recommendationId}`)).flips.map(({ kind, at }) => [kind, at]);
  assert.deepEqual(await flipsNow(), [['time', new Date(start + 30 * 3_600_000).toISOString()]]);
  const contact = { customerId: 'late', outcome: 'impression', offerId: offers.Best, channelId };
  const timestamp = new Date(now - 60_000).toISOString();
  const reported = await server.call('POST', '/api/v1/respond', { body: { ...contact, timestamp } });
  assert.equal(reported.status, 200, reported.text);
  assert.deepEqual(await flipsNow(), []);
  await drop('contact-policies', policy);
  now = start;
});

test('each type of policy and rule shows the values it compared', async () => {
  const shownOnce = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'well known', channelId, limit: 1 },
  });
  const { recommendationId } = shownOnce.body;
  const body = { recommendationId, rank: 1, outcome: 'dismiss' };
  const responded = await server.call('POST', '/api/v1/respond', { body });
  assert.equal(responded.status, 200, responded.text);
  await putRow({ customer_id: 'well known', joined: '2026-01-09' });
  now += 3_600_000;
  const ruleGates: [string, object, object][] = [
    ['recency_check', { attribute: 'joined', maxDays: 30 }, { attribute: 'joined', maxDays: 30, actualDays: 60 }],
    ['segment_required', { requiredSegments: ['vip'] }, { required: ['vip'], actual: [] }],
    [
      'offer_attribute',
      { attribute: 'priority', operator: 'lt', value: 50 },
      { operator: 'lt', expected: 50, actual: 90 },
    ],
    ['propensity_threshold', { minScore: 0.9 }, { model: null, minScore: 0.9, actualScore: 0.454545 }],
  ];
  const policyGates: [string, object, object][] = [
    ['cooldown', { cooldownHours: 30 }, { cooldownHours: 30, hoursSinceLast: 1 }],
    ['frequency_cap', { maxPerWeek: 1 }, { period: 'weekly', max: 1, actual: 1 }],
    ['customer_total_cap', { maxTotal: 1 }, { period: 'alltime', max: 1, actual: 1 }],
    ['cross_channel_cap', { maxTotal: 1 }, { period: 'daily', max: 1, actual: 1 }],
    ['time_window', { startHour: 18, endHour: 20 }, { startHour: 18, endHour: 20, currentHour: 10, timezone: 'UTC' }],
    ['segment_exclusion', { excludeSegments: ['vip'] }, { excludeSegments: ['vip'], matchedSegment: 'vip' }],
    ['outcome_based', { afterOutcome: 'dismiss', suppressForDays: 7 }, { suppressForDays: 7, lastOutcome: 'dismiss' }],
  ];
  const ask = async (ruleType: string) => {
    const segments = ruleType === 'segment_exclusion' ? ['vip'] : [];
    const answer = await whyNotWith('well known', 'Best', { channelId, segments });
    const found = blockedGates(answer);
    return { answer, gate: found.find((each) => each.ruleType === ruleType) };
  };
  for (const [ruleType, config, detail] of ruleGates) {
    const rule = { name: ruleType, ruleType, config, scope: 'offer', scopeId: offers.Best, stage: 'eligibility' };
    const made = await server.call<{ id: string }>('POST', '/api/v1/qualification-rules', { body: rule });
    assert.equal(made.status, 201, made.text);
    const { gate } = await ask(ruleType);
    assert.equal(gate?.stage, 'qualify', ruleType);
    assert.partialDeepStrictEqual(gate?.detail, detail, ruleType);
    await drop('qualification-rules', made.body.id);
  }
  for (const [ruleType, config, detail] of policyGates) {
    const policy = { name: ruleType, ruleType, config, scope: 'offer', scopeId: offers.Best };
    const id = await make('contact-policies', policy);
    const { gate, answer } = await ask(ruleType);
    assert.equal(gate?.stage, 'contact_policy', JSON.stringify(answer.gates));
    assert.partialDeepStrictEqual(gate?.detail, detail, ruleType);
    await drop('contact-policies', id);
  }
  const config = { excludeOfferIds: [offers.Best] };
  const exclusive = { name: 'One of them', ruleType: 'mutual_exclusion', config, scope: 'offer', scopeId: offers.Good };
  const id = await make('contact-policies', exclusive);
  const answer = await whyNot('newcomer', 'Good', `?channelId=${channelId}`);
  assert.equal(answer.verdict, 'eligible', 'it was ranked, and left when the other was taken');
  const [gate] = blockedGates(answer);
  assert.deepEqual([gate?.stage, gate?.id], ['admission', id]);
  assert.partialDeepStrictEqual(gate?.detail, { conflictingOfferId: offers.Best });
  assert.ok(ofKind(answer, 'priority').length === 1, 'with more priority it would be the one');
  await drop('contact-policies', id);
  now = start;
});

test("schedule, stock, an emergency exclusion, a suppression and the offer's own cap are gates with their cause", async () => {
  await makeOffer('Later', 99, { schedule: { startDate: '2026-03-12', startHour: 8 } });
  const later = await whyNot('somebody', 'Later', `?channelId=${channelId}`);
  assert.deepEqual(
    blockedGates(later).map(({ stage, id, name, detail }) => ({ stage, id, name, detail })),
    [{ stage: 'inventory', id: null, name: 'schedule', detail: { cause: 'not_started' } }],
  );
  assert.deepEqual(
    later.flips.map(({ kind, at }) => [kind, at]),
    [['time', '2026-03-12T08:00:00.000Z']],
  );
  await makeOffer('Stopped', 98, { emergencyExcluded: true, emergencyReason: 'recall' });
  const stopped = await whyNot('somebody', 'Stopped', `?channelId=${channelId}`);
  assert.deepEqual(blockedGates(stopped)[0]?.detail, { final: true });
  assert.deepEqual([blockedGates(stopped)[0]?.name, stopped.flips], ['emergency_excluded', []]);
  const suppression = { customerId: 'held', scope: 'offer', scopeId: offers.Good, reason: 'complaint' };
  await make('suppressions', { ...suppression, expiresAt: '2026-03-20T10:11:12.000Z' });
  const held = await whyNot('held', 'Good', `?channelId=${channelId}`);
  assert.deepEqual([blockedGates(held)[0]?.stage, blockedGates(held)[0]?.name], ['suppression', 'suppressed']);
  assert.deepEqual(
    held.flips.map(({ kind, at }) => [kind, at]),
    [['time', '2026-03-20T10:11:12.000Z']],
  );
  const never = await make('contact-policies', {
    name: 'Asked us not to',
    ruleType: 'do_not_contact',
    scope: 'global',
    config: { condition: { field: 'customer.tier', operator: 'eq', value: 'never' } },
  });
  await putRow({ customer_id: 'left alone', tier: 'never' });
  const alone = await whyNot('left alone', 'Good', `?channelId=${channelId}`);
  assert.deepEqual(alone.flips, []);
  assert.equal(JSON.parse(JSON.stringify(blockedGates(alone)[0]?.detail)).final, true);
  await drop('contact-policies', never);
  for (const name of ['Later', 'Stopped']) await drop('offers', offers[name]!);
});

test("an offer that isn't a candidate says why: its status, its deletion, no creative", async () => {
  const paused = await make('offers', { name: 'Paused', status: 'paused' });
  const cases: [string, object][] = [[paused, { status: 'paused' }]];
  const archived = await make('offers', { name: 'Archived', status: 'archived' });
  cases.push([archived, { status: 'archived', final: true }]);
  const deleted = await make('offers', { name: 'Deleted', status: 'active' });
  await drop('offers', deleted);
  cases.push([deleted, { status: 'deleted', final: true }]);
  for (const [id, detail] of cases) {
    const answer = await whyNot('somebody', id, `?channelId=${channelId}`);
    const [gate] = blockedGates(answer);
    assert.deepEqual([gate?.stage, gate?.id, gate?.name, gate?.detail], ['inventory', null, 'status', detail]);
    assert.deepEqual([answer.verdict, answer.flips], ['blocked', []]);
  }
  for (const id of [paused, archived]) await drop('offers', id);
});

test('uses the plan and inputs of a recorded decision, whatever has changed since', async () => {
  const id = await make('qualification-rules', {
    name: 'Old enough',
    ruleType: 'attribute_condition',
    config: { attribute: 'age', operator: 'gte', value: 21 },
    scope: 'offer',
    scopeId: offers.Good,
    stage: 'eligibility',
  });
  await putRow({ customer_id: 'recorded', age: 20 });
  const decided = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'recorded', channelId, limit: 5 },
  });
  const decisionId = decided.body.recommendationId!;
  await drop('qualification-rules', id);
  assert.equal((await whyNot('recorded', 'Good', `?channelId=${channelId}`)).selected, true, 'now it would be shown');
  const answer = await whyNot('recorded', 'Good', `?decisionId=${decisionId}`);
  assert.deepEqual(
    [answer.selected, answer.exploration, blockedGates(answer)[0]?.name],
    [false, 'recorded', 'Old enough'],
  );
  assert.deepEqual(
    answer.flips.map(({ changes }) => changes),
    [[{ path: 'customer.age', from: 20, to: 21 }]],
  );
  for (const [customerId, asked] of [
    ['somebody else', decisionId],
    ['recorded', offers.Good],
    ['recorded', 'nonsense'],
  ]) {
    const refused = await server.call('GET', `${path(customerId!, 'Good')}?decisionId=${asked}`);
    assert.equal(refused.status, 404, refused.text);
  }
  const foreign = await server.call('GET', `${path('recorded', 'Good')}?decisionId=${decisionId}`, {
    key: server.tenants[1]!.keys.viewer,
  });
  assert.equal(foreign.status, 404, foreign.text);
});

test('unknown and foreign offers are 404, bad input is 400, and each question is audited without the customer', async () => {
  const unknown = '0190a1b2-0000-7000-8000-000000000000';
  for (const id of [unknown, 'nonsense']) assert.equal((await server.call('GET', path('somebody', id))).status, 404);
  const other = { key: server.tenants[1]!.keys.admin };
  assert.equal((await server.call('GET', path('somebody', 'Good'), other)).status, 404);
  const bad: [object, string][] = [
    [{ now: '1999-12-31T23:59:59Z' }, '/now'],
    [{ now: '2101-01-01T00:00:00Z' }, '/now'],
    [{ now: 'soon' }, '/now'],
    [{ limit: 0 }, '/limit'],
    [{ placement: 'a', placements: [{ placementId: unknown }] }, '/placement'],
  ];
  for (const [body, at] of bad) {
    const answer = await server.call<{ errors: { path: string }[] }>('POST', path('somebody', 'Good'), { body });
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, at], answer.text);
  }
  const both = await server.call<{ errors: { path: string }[] }>(
    'GET',
    `${path('somebody', 'Good')}?decisionId=${unknown}&limit=3`,
  );
  assert.deepEqual([both.status, both.body.errors[0]?.path], [400, '/limit'], both.text);
  const nobody = await server.call('GET', path('anonymous', 'Good'));
  assert.equal(nobody.status, 400, nobody.text);
  const flow = await server.call('GET', `${path('somebody', 'Good')}?flowId=no-such-flow`);
  assert.equal(flow.status, 404, flow.text);
  assert.equal(
    (await server.call('POST', path('somebody', 'Good'), { body: { now: '2100-12-31T23:59:59.999Z' } })).status,
    200,
  );
  await whyNot('a name to keep', 'Good');
  const audit = await server.call<{ data: { action: string; entityType: string; entityId: string }[] }>(
    'GET',
    '/api/v1/audit-logs?entityType=whyNot&limit=1',
  );
  assert.deepEqual(
    audit.body.data.map(({ action, entityType, entityId }) => [action, entityType, entityId]),
    [['read', 'whyNot', offers.Good]],
  );
  assert.doesNotMatch(audit.text, /a name to keep/);
  assert.match(audit.text, /"customerHash":"[0-9a-f]{64}"/);
});

test('nothing is stored: no decision, no state, no contact', async () => {
  const count = async () => (await server.call<{ total: number }>('GET', '/api/v1/decisions')).body.total;
  const before = await count();
  for (let at = 0; at < 3; at++) await whyNot('never seen', 'Best', `?channelId=${channelId}&limit=1`);
  assert.equal(await count(), before);
  const history = await server.call<{ data: unknown[] }>('GET', '/api/v1/interaction-history?customerId=never%20seen');
  assert.deepEqual(history.body.data, []);
});

test('gates of a flow: its inventory, a filter, a missing creative, the minimum score, a placement', async () => {
  const bare = await make('offers', { name: 'Bare', status: 'active', priority: 95 });
  const placementId = await make('placements', {
    name: 'Hero',
    key: 'hero',
    channelId,
    maxSlots: 2,
    targeting: { field: 'attributes.page', operator: 'neq', value: 'checkout' },
  });
  const nodes = [
    {
      id: 'i',
      type: 'inventory',
      config: { scope: 'offers', offerIds: [offers.Best, offers.Good, offers.Fair, bare] },
    },
    { id: 'm', type: 'match_creatives', config: { requireCreative: true } },
    {
      id: 'f',
      type: 'filter',
      config: {
        combinator: 'OR',
        conditions: [
          { field: 'attributes.basket', operator: 'gt', value: 2.5 },
          { field: 'offer.name', operator: 'neq', value: 'Good' },
        ],
      },
    },
    { id: 's', type: 'score', config: { method: 'priority_weighted', minScore: 0.75 } },
    { id: 'r', type: 'rank', config: { method: 'topN' } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const id = await make('decision-flows', { key: 'gated', name: 'Gated', draftConfig });
  await server.publishFlow(id);
  const query = `?channelId=${channelId}&flowId=gated`;
  const gate = async (offer: string, more = '') => {
    const answer = await whyNot('passer-by', offer, query + more);
    const [first] = blockedGates(answer);
    return { answer, told: [first?.stage, first?.nodeId, first?.name, first?.id] };
  };
  assert.deepEqual((await gate('Poor')).told, ['inventory', null, 'not_in_inventory', null]);
  assert.deepEqual((await gate(bare)).told, ['match_creatives', 'm', 'no_creative', null]);
  const filtered = await gate('Good');
  assert.deepEqual(filtered.told, ['filter', 'f', 'filter', null]);
  assert.deepEqual(
    filtered.answer.flips.map(({ changes }) => changes),
    [[{ path: 'attributes.basket', from: null, to: 2.6 }]],
  );
  const weak = await gate('Fair');
  assert.deepEqual(weak.told, ['score', 's', 'min_score', null]);
  assert.deepEqual(blockedGates(weak.answer)[0]?.detail, { score: 0.7, minScore: 0.75 });
  const nowhere = await whyNot('passer-by', 'Best', `?channel=phone&flowId=gated`);
  assert.deepEqual(
    blockedGates(nowhere).map(({ stage, name }) => [stage, name]),
    [['request', 'no_channel']],
  );
  const closed = await whyNotWith('passer-by', 'Best', {
    placement: 'hero',
    decisionFlowKey: 'gated',
    attributes: { page: 'checkout' },
  });
  assert.deepEqual(blockedGates(closed)[0]?.name, 'placement_targeting');
  const open = await whyNotWith('passer-by', 'Best', {
    placements: [{ placementId }],
    decisionFlowKey: 'gated',
    attributes: { page: 'home' },
  });
  assert.equal(open.selected, true);
});

test("flips of random blocks work when they're carried out through the API", async () => {
  const conditions = [
    { attribute: 'age', operator: 'gte', value: 18 },
    { attribute: 'age', operator: 'lt', value: 60 },
    { attribute: 'income', operator: 'gt', value: 99.75 },
    { attribute: 'tier', operator: 'in', value: ['gold', 'silver'] },
    { attribute: 'joined', operator: 'within_last_days', value: 30 },
    { attribute: 'attributes.page', operator: 'eq', value: 'cart' },
    { attribute: 'attributes.total', operator: 'gte', value: 50 },
  ];
  const names = ['Best', 'Good', 'Fair', 'Poor'];
  await makeOffer('Evening', 95);
  const rules: string[] = [];
  for (const [at, config] of conditions.entries()) {
    for (const name of [names[at % 4]!, names[(at * 3 + 1) % 4]!]) {
      const rule = {
        name: `${config.attribute} ${at} ${name}`,
        ruleType: 'attribute_condition',
        config,
        stage: 'eligibility',
      };
      rules.push(await make('qualification-rules', { ...rule, scope: 'offer', scopeId: offers[name] }));
    }
  }
  const policy = await make('contact-policies', {
    name: 'By day',
    ruleType: 'time_window',
    config: { startHour: 10, endHour: 20 },
    scope: 'offer',
    scopeId: offers.Evening,
  });
  let carried = 0;
  const kinds = new Set<string>();
  for (let at = 0; at < 12; at++) {
    const pick = <T>(values: readonly T[], by: number): T => values[(at * by + by) % values.length]!;
    const row = {
      age: pick([15, 17, 30, 65, null], 3),
      income: pick([50, 99.75, 120], 2),
      tier: pick(['gold', 'basic', null], 5),
      joined: pick(['2026-03-01', '2025-01-01', null], 7),
    };
    const attributes = { ...(at % 2 === 0 ? { page: 'cart' } : {}), total: pick([10, 50, 70], 11) };
    const limit = pick([1, 2, 4], 1);
    await putRow({ customer_id: `random-${at}`, ...row });
    const present = await shown(`random-${at}`, { attributes, limit });
    for (const name of [...names, 'Evening']) {
      const answer = await whyNotWith(`random-${at}`, name, { channelId, attributes, limit });
      assert.equal(answer.selected, present.includes(offers[name]!), `${at} ${name}`);
      for (const [number, flip] of answer.flips.entries()) {
        const customerId = `random-${at}-${name}-${number}`;
        const changed: Record<string, unknown> = { ...row, customer_id: customerId };
        const asked: Record<string, unknown> = { ...attributes };
        for (const { path: to, to: value } of flip.changes) {
          const [namespace, key = ''] = to.split('.');
          if (namespace === 'customer') changed[key] = value;
          else if (namespace === 'attributes') asked[key] = value;
        }
        await putRow(changed);
        const label = `${customerId} ${JSON.stringify(flip)}`;
        const body = { channelId, attributes: asked, limit };
        if (flip.kind === 'attribute') {
          assert.equal((await shown(customerId, body))[flip.resultRank - 1], offers[name], label);
        } else if (flip.kind === 'time') {
          const then = Date.parse(flip.at ?? '');
          const at = async (instant: number) =>
            (await whyNotWith(customerId, name, { ...body, now: new Date(instant).toISOString() })).selected;
          assert.deepEqual([await at(then), await at(then - 1_000)], [true, false], label);
        } else if (flip.kind === 'priority') {
          const put = (priority: unknown) =>
            server.call('PUT', '/api/v1/offers', { body: { id: offers[name], priority } });
          assert.equal((await put(flip.changes[0]?.to)).status, 200);
          assert.equal((await shown(customerId, body))[flip.resultRank - 1], offers[name], label);
          await put(flip.changes[0]?.from);
        } else continue;
        kinds.add(flip.kind);
        carried += 1;
      }
    }
  }
  assert.ok(carried >= 30, `${carried} flips`);
  assert.deepEqual([...kinds].sort(), ['attribute', 'priority', 'time']);
  for (const id of rules) await drop('qualification-rules', id);
  await drop('contact-policies', policy);
  await drop('offers', offers.Evening!);
});
