import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CustomerEligibility, CustomerProfile } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** What a customer could get and why not (docs/design/api-access.md 16). */

let server: TestServer;
const clock = { now: () => Date.parse('2026-11-20T09:00:00Z') };
const ids: Record<string, string> = {};

const read = <Body>(customerId: string, tool: string, key = server.tenants[0].keys.viewer) =>
  server.call<Body & { readonly code?: string }>('GET', `/api/v1/customers/${encodeURIComponent(customerId)}/${tool}`, {
    key,
  });
const eligibility = async (customerId: string, query = '') => {
  const { status, body, text } = await read<CustomerEligibility>(customerId, `eligibility${query}`);
  assert.equal(status, 200, text);
  return body;
};
const offerOf = ({ offers }: CustomerEligibility, name: string) => {
  const found = offers.find(({ offerName }) => offerName === name);
  assert.ok(found, `${name} is not listed`);
  return found;
};
const effects = () =>
  server.testDatabase.ownerQuery(`select (select count(*) from arbiter.decisions)::int as decisions,
    (select count(*) from arbiter.interaction_history)::int as interactions, (select count(*) from arbiter.outbox)::int as outbox,
    (select count(*) from arbiter.customer_states)::int as customers, (select count(*) from arbiter.decision_traces)::int as traces`);

const names = [
  'Best',
  'Adults only',
  'Out of season',
  'Seen today',
  'Suppressed',
  'No creative',
  'Secret rule',
  'Web only',
];

before(async () => {
  server = await startTestServer({ clock, tenants: 2 });
  const schema = await server.createRecord('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', dataType: 'varchar', length: 255, isPrimaryKey: true, isNullable: false },
      { name: 'age', dataType: 'integer' },
      { name: 'illness', dataType: 'varchar', length: 32, neverStore: true },
    ].map((field) => ({ displayName: field.name, ...field })),
  });
  const filled = await server.call('POST', `/api/v1/schemas/${schema.id}/data`, {
    body: {
      rows: [
        { customer_id: 'C1', age: 17, illness: 'flu' },
        { customer_id: 'C2', age: 40, illness: null },
      ],
    },
  });
  assert.equal(filled.status, 201, filled.text);
  await server.createRecord('segments', {
    name: 'Young',
    baseSchemaId: schema.id,
    filters: { logic: 'and', conditions: [{ field: 'age', operator: 'lt', value: 18 }] },
    status: 'active',
  });
  ids.email = (await server.createRecord('channels', { name: 'Email', channelType: 'email' })).id!;
  ids.web = (await server.createRecord('channels', { name: 'Web', channelType: 'web' })).id!;
  ids.category = (await server.createRecord('categories', { name: 'All' })).id!;
  for (const [at, name] of names.entries()) {
    const offer = await server.createRecord('offers', {
      name,
      status: 'active',
      categoryId: ids.category,
      priority: 90 - at,
      ...(name === 'Out of season' ? { schedule: { startDate: '2027-01-01' } } : {}),
    });
    ids[name] = offer.id!;
    if (name === 'No creative') continue;
    for (const channel of name === 'Web only' ? ['web'] : ['email', 'web']) {
      await server.createRecord('creatives', {
        name: `${name} ${channel}`,
        offerId: offer.id,
        channelId: ids[channel],
        status: 'active',
      });
    }
  }
  await server.createRecord('offers', { name: 'Draft', status: 'draft', categoryId: ids.category });
  const rule = (name: string, offer: string, config: object) =>
    server.createRecord('qualification-rules', {
      name,
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: ids[offer],
      stage: 'eligibility',
      config,
    });
  await rule('Adults', 'Adults only', { attribute: 'age', operator: 'gte', value: 18 });
  await rule('Healthy', 'Secret rule', { attribute: 'illness', operator: 'eq', value: 'none' });
  ids.cap = (
    await server.createRecord('contact-policies', {
      name: 'Once a day',
      ruleType: 'frequency_cap',
      scope: 'offer',
      scopeId: ids['Seen today'],
      config: { maxPerDay: 1 },
    })
  ).id!;
  // On an offer that qualification blocks too: both are reported.
  await server.createRecord('contact-policies', {
    name: 'Never the young',
    ruleType: 'segment_exclusion',
    scope: 'offer',
    scopeId: ids['Adults only'],
    config: { excludeSegments: ['Young'] },
  });
  await server.createRecord('suppressions', {
    customerId: 'C1',
    scope: 'offer',
    scopeId: ids.Suppressed,
    days: 1,
    reason: 'no',
  });
  const flow = await server.createRecord('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        { id: 'qualify', type: 'qualify', config: {} },
        { id: 'policy', type: 'contact_policy', config: {} },
        { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
        { id: 'rank', type: 'rank', config: { method: 'topN' } },
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  await server.publishFlow(flow.id);
  for (const customerId of ['C1', 'C2']) {
    const excludeOffers = names.filter((name) => name !== 'Seen today').map((name) => ids[name]);
    const shown = await server.call<{ count: number }>('POST', '/api/v1/recommend', {
      body: { customerId, channel: 'email', excludeOffers },
    });
    assert.equal(shown.body.count, 1, shown.text);
  }
});

after(() => server?.close());

test('eligibility shows every gate of every active offer, and stores nothing', async () => {
  const before = await effects();
  const body = await eligibility('C1', '?channel=email');
  assert.deepEqual([body.customerId, body.known, body.evaluatedAt], ['C1', true, '2026-11-20T09:00:00.000Z']);
  assert.deepEqual(body.customer, { customer_id: 'C1', age: 17 }, 'what is never stored is not shown');
  assert.deepEqual(body.segments, ['Young']);
  assert.deepEqual(body.summary, {
    totalOffers: 8,
    eligibleCount: 1,
    ineligibleCount: 7,
    failedQualification: 2,
    blockedByContactPolicy: 2,
    suppressed: 1,
    blockedBySchedule: 1,
    noCreatives: 2,
  });
  const best = offerOf(body, 'Best');
  assert.deepEqual([best.eligible, best.rank, best.primaryReason, best.score], [true, 1, null, 0.9]);
  assert.deepEqual([best.qualificationPassed, best.contactPolicyBlocked, best.creativeCount], [true, false, 1]);
  const adults = offerOf(body, 'Adults only');
  assert.deepEqual([adults.rank, adults.score, adults.primaryReason], [null, null, 'qualification']);
  assert.deepEqual(adults.qualification[0]?.detail, {
    attribute: 'age',
    operator: 'gte',
    expected: 18,
    actual: 17,
  });
  assert.deepEqual(
    adults.policies.map(({ policyName, ruleType, blocked, detail }) => [policyName, ruleType, blocked, detail]),
    [['Never the young', 'segment_exclusion', true, { excludeSegments: ['Young'], matchedSegment: 'Young' }]],
  );
  const seen = offerOf(body, 'Seen today');
  assert.deepEqual(
    [seen.primaryReason, seen.contactPolicyBlocked, seen.policies[0]?.policyId],
    ['contact_policy', true, ids.cap],
  );
  assert.deepEqual(seen.policies[0]?.detail, { period: 'daily', max: 1, actual: 1 });
  assert.deepEqual(offerOf(body, 'Out of season').scheduleBlocked, true);
  assert.equal(offerOf(body, 'Suppressed').primaryReason, 'suppressed');
  assert.deepEqual(
    [offerOf(body, 'No creative').primaryReason, offerOf(body, 'No creative').creativeCount],
    ['no_creative', 0],
  );
  assert.equal(offerOf(body, 'Web only').primaryReason, 'no_creative');
  const secret = offerOf(body, 'Secret rule');
  assert.equal(secret.primaryReason, 'qualification');
  assert.ok(!JSON.stringify(body).includes('flu'), JSON.stringify(secret));
  assert.deepEqual(await effects(), before);
});

test('without a channel, checks every active channel', async () => {
  const body = await eligibility('C2');
  assert.deepEqual(
    body.offers.filter(({ eligible }) => eligible).map(({ offerName, rank }) => [offerName, rank]),
    [
      ['Best', 1],
      ['Adults only', 2],
      ['Suppressed', 3],
      ['Web only', 4],
    ],
  );
  assert.equal(offerOf(body, 'Best').creativeCount, 2);
  assert.equal(offerOf(body, 'Web only').creativeCount, 1);
  assert.equal((await eligibility('C2', '?channel=web')).summary.eligibleCount, 4);
  const nowhere = await eligibility('C2', '?channel=sms');
  assert.deepEqual([nowhere.summary.eligibleCount, offerOf(nowhere, 'Best').primaryReason], [0, 'no_channel']);
});

test('pages through eligibility, and rejects invalid cursors', async () => {
  const all = await eligibility('C1');
  assert.deepEqual([all.pagination.limit, all.pagination.total, all.pagination.hasMore], [200, 8, false]);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: CustomerEligibility = await eligibility('C1', `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.offers.map(({ offerId }) => offerId));
    cursor = page.pagination.nextCursor;
  }
  assert.deepEqual(
    seen,
    all.offers.map(({ offerId }) => offerId),
  );
  assert.equal((await eligibility('C1', '?limit=5000')).pagination.limit, 1000);
  for (const cursor of ['x', Buffer.from(ids.category!).toString('base64url')]) {
    const answer = await read<object>('C1', `eligibility?cursor=${cursor}`);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor']);
  }
});

test('handles unknown customers, odd IDs, other tenants and missing credentials', async () => {
  const unknown = await eligibility('nobody');
  assert.deepEqual([unknown.known, unknown.customer, unknown.segments], [false, {}, []]);
  assert.equal(offerOf(unknown, 'Adults only').primaryReason, 'qualification');
  const odd = 'a/b %2F ü?#';
  assert.equal((await eligibility(odd)).customerId, odd);
  assert.equal((await read('x'.repeat(255), 'profile')).status, 200);
  assert.equal((await read('x'.repeat(256), 'profile')).status, 400);
  const foreign = await read<CustomerEligibility>('C1', 'eligibility', server.tenants[1]!.keys.admin);
  assert.deepEqual([foreign.body.known, foreign.body.offers, foreign.body.customer], [false, [], {}]);
  const foreignProfile = await read<CustomerProfile>('C1', 'profile', server.tenants[1]!.keys.admin);
  assert.deepEqual(
    [foreignProfile.body.known, foreignProfile.body.counters, foreignProfile.body.ranked],
    [false, [], []],
  );
  for (const tool of ['eligibility', 'profile']) {
    const anonymous = await server.call('GET', `/api/v1/customers/C1/${tool}`, { key: null });
    assert.equal(anonymous.status, 401);
  }
});

test('the profile shows a decision stage by stage', async () => {
  const before = await effects();
  const { status, body, text } = await read<CustomerProfile>('C1', 'profile?channel=email');
  assert.equal(status, 200, text);
  assert.deepEqual([body.known, body.flow.key, body.flow.version], [true, 'main', 1]);
  assert.deepEqual([body.attributes, body.segments, body.metrics], [{ customer_id: 'C1', age: 17 }, ['Young'], {}]);
  const stages = body.stages.map(({ stage, in: before, out }) => [stage, before, out]);
  assert.deepEqual(stages.slice(0, 5), [
    ['inventory', 8, 7],
    ['match_creatives', 7, 5],
    ['qualify', 5, 3],
    ['suppression', 3, 2],
    ['contact_policy', 2, 1],
  ]);
  assert.deepEqual(body.stages[0]?.dropped, [
    { offerId: ids['Out of season'], offerName: 'Out of season', reason: 'schedule' },
  ]);
  assert.ok(body.stages.slice(0, 5).every(({ durationMs }) => durationMs !== null && durationMs >= 0));
  assert.deepEqual(body.qualificationRejections.map(({ offerName, ruleName }) => [offerName, ruleName]).sort(), [
    ['Adults only', 'Adults'],
    ['Secret rule', 'Healthy'],
  ]);
  assert.deepEqual(
    body.contactPolicyRejections.map(({ offerName, policyName, detail }) => [offerName, policyName, detail]),
    [['Seen today', 'Once a day', { period: 'daily', max: 1, actual: 1 }]],
  );
  assert.deepEqual(
    body.ranked.map(({ rank, offerName, score }) => [rank, offerName, score]),
    [[1, 'Best', 0.9]],
  );
  assert.deepEqual(body.ranked[0]?.components.emphasis, 0.9);
  const counter = body.counters.find(({ offerId }) => offerId === ids['Seen today']);
  assert.deepEqual(
    [counter?.channelId, counter?.counts.day, counter?.lastAt],
    [ids.email, 1, '2026-11-20T09:00:00.000Z'],
  );
  assert.ok(!text.includes('flu'));
  assert.deepEqual(await effects(), before);
  const none = await read<object>('C1', 'profile?flowId=none');
  assert.deepEqual([none.status, none.body.code], [404, 'not_found']);
});

test('with objectives, ranks match the response: in eligibility, why-not and the details of a decision', async () => {
  const flows = await server.call<{ data: { id: string; draftConfig: { nodes: { id: string }[] } }[] }>(
    'GET',
    '/api/v1/decision-flows',
  );
  const [flow] = flows.body.data;
  const { nodes } = flow!.draftConfig;
  const optimize = { id: 'optimize', type: 'optimize', config: { weights: { businessValue: 1 }, combine: 'replace' } };
  const draftConfig = {
    ...flow!.draftConfig,
    nodes: nodes.toSpliced(
      nodes.findIndex(({ id }) => id === 'rank'),
      0,
      optimize,
    ),
  };
  // The least of the priorities is worth most.
  await server.call('PUT', '/api/v1/offers', { body: { id: ids['Web only'], businessValue: 90 } });
  await server.call('PUT', '/api/v1/offers', { body: { id: ids.Best, businessValue: 20 } });
  const changed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: flow!.id, draftConfig } });
  assert.equal(changed.status, 200, changed.text);
  await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow!.id } });
  const shown = await server.call<{
    decisions: { offerId: string; score: number }[];
    meta: { scores: { offerId: string; score: number; rank: number }[] };
  }>('POST', '/api/v1/recommend', { body: { customerId: 'C3', channel: 'web', dryRun: true, debug: true } });
  const delivered = shown.body.decisions.map(({ offerId, score }) => [offerId, score]);
  assert.deepEqual(delivered.at(0), [ids['Web only'], 1]);
  assert.deepEqual(delivered.at(-1)?.at(0), ids.Best);
  const scores = shown.body.meta.scores.toSorted((a, b) => a.rank - b.rank);
  assert.deepEqual(
    scores.map(({ offerId, score }) => [offerId, score]),
    delivered,
  );
  const { offers } = await eligibility('C3', '?channel=web');
  const passing = offers.filter(({ rank }) => rank !== null).map(({ offerId, score }) => [offerId, score]);
  assert.deepEqual(passing, delivered);
  const asked = await read<{ rank: number; score: number; cutoffScore: number }>(
    'C3',
    `why-not/${ids.Best}?channel=web&limit=1`,
  );
  assert.deepEqual([asked.body.rank, asked.body.score, asked.body.cutoffScore], [delivered.length, 0, 1], asked.text);
});

test('orders equal scores like the decision: by the priority of the creative', async () => {
  const flows = await server.call<{ data: { id: string; draftConfig: { nodes: { id: string }[] } }[] }>(
    'GET',
    '/api/v1/decision-flows',
  );
  const [flow] = flows.body.data;
  const nodes = flow!.draftConfig.nodes.filter(({ id }) => id !== 'optimize');
  const draftConfig = { ...flow!.draftConfig, nodes };
  assert.equal(
    (await server.call('PUT', '/api/v1/decision-flows', { body: { id: flow!.id, draftConfig } })).status,
    200,
  );
  await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow!.id } });
  const push = await server.createRecord('channels', { name: 'Push', channelType: 'push' });
  const tied: string[] = [];
  for (const [name, priority, priorityOverride, weight] of [
    ['Likely first', 30, 40, 100],
    ['Really first', 20, 80, 50],
  ] as const) {
    const offer = await server.createRecord('offers', { name, status: 'active', categoryId: ids.category, priority });
    const creative = { name, offerId: offer.id, channelId: push.id, status: 'active', weight };
    await server.createRecord('creatives', { ...creative, constraints: { priorityOverride } });
    tied.push(offer.id!);
  }
  const shown = await server.call<{ decisions: { offerId: string; score: number }[] }>('POST', '/api/v1/recommend', {
    body: { customerId: 'C4', channel: 'push', dryRun: true },
  });
  const delivered = shown.body.decisions.map(({ offerId, score }) => [offerId, score]);
  assert.deepEqual(delivered, [
    [tied[1], 0.4],
    [tied[0], 0.4],
  ]);
  const { offers } = await eligibility('C4', '?channel=push');
  const passing = offers.filter(({ rank }) => rank !== null).map(({ offerId, score }) => [offerId, score]);
  assert.deepEqual(passing, delivered);
});
