import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type DecisionHealth,
  type DecisionPipeline,
  draftFlowConfig,
  type Problem,
  type ReportColumn,
  type ReportRow,
  type ReportSourceFacts,
  reportSourceKeys,
} from '@arbiter/contract';
import { systemActor } from '../../db/index.ts';
import { startTestServer, type TestServer } from '../../main/test-server.ts';
import { idAt, newId } from '../../platform/ids.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../notifications/test-destination.ts';

/** Each source against figures counted by hand (docs/design/api-access.md 11). The tenant's zone is Berlin. */

/** 00:30 on 21 November in Berlin; in UTC it is still the 20th. */
const now = Date.parse('2026-11-20T23:30:00Z');
let server: TestServer;
let peer: TestDestination;
const ids = { cards: '', loans: '', gold: '', silver: '', loan: '', web: '', mail: '', flow: '', segment: '' };
let tenantId: string;

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now }, config: reachesDestinations });
  tenantId = server.tenants[0].id;
  peer = await startDestination();
  peer.on('/dead', says(500));
  await put('tenant-settings', { timezone: 'Europe/Berlin', decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  ids.cards = await made('categories', { name: 'Cards' });
  ids.loans = await made('categories', { name: 'Loans' });
  ids.web = await made('channels', { name: 'Web', channelType: 'web', status: 'active' });
  ids.mail = await made('channels', { name: 'Mail', channelType: 'email', status: 'active' });
  const offer = (name: string, categoryId: string, more: object = {}) =>
    made('offers', { name, categoryId, status: 'active', ...more });
  ids.gold = await offer('Gold', ids.cards, {
    budget: { lifetimeCapCents: 10_000, costPerImpressionCents: 10, costPerClickCents: 100 },
  });
  ids.silver = await offer('Silver', ids.cards, { budget: { lifetimeCapCents: 500 } });
  ids.loan = await offer('Loan', ids.loans, { status: 'paused' });
  const schema = await made('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 255,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'age', displayName: 'Age', dataType: 'integer' },
    ],
  });
  const filled = await server.call('POST', `/api/v1/schemas/${schema}/data`, {
    body: {
      rows: [
        { customer_id: 'A', age: 70 },
        { customer_id: 'B', age: 30 },
        { customer_id: 'C', age: 80 },
      ],
    },
  });
  assert.equal(filled.status, 201, filled.text);
  ids.segment = await made('segments', {
    name: 'Elders',
    baseSchemaId: schema,
    status: 'active',
    filters: { logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 60 }] },
  });
});
after(() => Promise.all([server?.close(), peer?.close()]));

async function made(path: string, body: object): Promise<string> {
  const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body.id;
}
async function put(path: string, body: object): Promise<void> {
  const answer = await server.call('PUT', `/api/v1/${path}`, { body });
  assert.equal(answer.status, 200, answer.text);
}

interface Data {
  readonly params: object;
  readonly columns: ReportColumn[];
  readonly rows: ReportRow[];
  readonly notes: string[];
}
const ask = (type: string, query: Readonly<Record<string, string | number>> = {}, key?: string) =>
  server.call<Data & Omit<Problem, 'status'>>(
    'GET',
    `/api/v1/dashboard-data?${new URLSearchParams({ type, ...Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)])) })}`,
    key === undefined ? {} : { key },
  );
async function data(type: string, query: Readonly<Record<string, string | number>> = {}): Promise<Data> {
  const { status, body, text } = await ask(type, query);
  assert.equal(status, 200, text);
  // What is in a row is told by the columns, but for the ids of what is named.
  for (const row of body.rows) {
    const keys = Object.keys(row).filter((name) => !name.endsWith('Id'));
    assert.deepEqual(keys.sort(), body.columns.map(({ key }) => key).sort(), type);
  }
  return body;
}
/** Rows without the ids beside the names. */
const rows = async (type: string, query: Readonly<Record<string, string | number>> = {}) =>
  (await data(type, query)).rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([k]) => !k.endsWith('Id'))),
  );

interface Total {
  readonly day: string;
  readonly offer: string;
  readonly channel?: string | null;
  readonly counts: readonly [
    impressions: number,
    positive: number,
    negative: number,
    neutral: number,
    clicks: number,
    converts: number,
    value: number,
  ];
}
async function count(totals: readonly Total[], tenant = tenantId): Promise<void> {
  await server.testDatabase.ownerQuery('delete from arbiter.daily_totals where tenant_id = $1', [tenant]);
  for (const { day, offer, channel = null, counts } of totals) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.daily_totals (tenant_id, day, offer_id, channel_id, direction, impressions, positive, negative, neutral,
         clicks, converts, total_value) values ($1, $2, $3, $4, 'outbound', $5, $6, $7, $8, $9, $10, $11)`,
      [tenant, day, offer, channel, ...counts],
    );
  }
}
const usual = (): Total[] => [
  { day: '2026-11-21', offer: ids.gold, channel: ids.web, counts: [100, 20, 5, 3, 12, 4, 80.5] },
  { day: '2026-11-20', offer: ids.gold, channel: ids.mail, counts: [50, 5, 1, 0, 3, 1, 20] },
  { day: '2026-11-15', offer: ids.silver, channel: ids.web, counts: [30, 3, 0, 1, 2, 0, 0] },
  { day: '2026-11-15', offer: ids.loan, channel: null, counts: [10, 1, 0, 0, 0, 1, 1000] },
  // The day before the first of seven.
  { day: '2026-11-14', offer: ids.silver, channel: ids.web, counts: [7, 7, 7, 7, 7, 7, 7] },
];

test('sources: each is listed with its columns and parameters; what one does not know is 400', async () => {
  const list = await server.call<{ data: ReportSourceFacts[] }>('GET', '/api/v1/reports/sources', {
    key: server.tenants[0].keys.viewer,
  });
  assert.deepEqual(
    list.body.data.map(({ sourceKey }) => sourceKey),
    [...reportSourceKeys],
  );
  for (const source of list.body.data) {
    const { sourceKey, params, columns } = source;
    const query = Object.fromEntries(params.flatMap(({ name, required }) => (required ? [[name, newId()]] : [])));
    const { columns: answered } = await data(sourceKey, query);
    assert.deepEqual(answered, columns, sourceKey);
    const known = params.map(({ name }) => String(name));
    const others = { days: 5, limit: 5, offerId: newId(), decisionFlowKey: 'x', groupBy: 'channel', baselineDays: 5 };
    for (const [name, value] of Object.entries(others)) {
      if (known.includes(name)) continue;
      const refused = await ask(sourceKey, { ...query, [name]: value });
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, `query.${name}`], sourceKey);
    }
    for (const name of Object.keys(query)) {
      assert.deepEqual((await ask(sourceKey)).body.errors?.[0]?.path, `query.${name}`);
    }
  }
  for (const query of [
    { type: 'nothing' },
    { type: 'summary', days: '0' },
    { type: 'summary', days: '366' },
    { type: 'offer_performance', limit: '0' },
    { type: 'offer_performance', limit: '501' },
    { type: 'offer_performance_grouped', groupBy: 'offer' },
    { type: 'score_distribution', groupBy: 'segment' },
    { type: 'anomaly_candidates', baselineDays: '0' },
    { type: 'summary', bogus: 'x' },
  ]) {
    const { type, ...rest } = query;
    assert.equal((await ask(type, rest)).status, 400, JSON.stringify(query));
  }
  assert.equal((await ask('summary', { days: 1 })).status, 200);
  assert.equal((await ask('summary', { days: 365 })).status, 200);
});

test('offer_performance: seven days of the zone, the most shown first; filters', async () => {
  await count(usual());
  const gold = {
    offer: 'Gold',
    impressions: 150,
    positives: 25,
    conversions: 5,
    revenue: 100.5,
    ctr: 0.1,
    cvr: 0.033333,
  };
  const silver = { offer: 'Silver', impressions: 30, positives: 3, conversions: 0, revenue: 0, ctr: 0.066667, cvr: 0 };
  const loan = { offer: 'Loan', impressions: 10, positives: 1, conversions: 1, revenue: 1000, ctr: 0, cvr: 0.1 };
  assert.deepEqual(await rows('offer_performance'), [gold, silver, loan]);
  assert.deepEqual(await rows('offer_performance', { limit: 1 }), [gold]);
  // Berlin's 21st is all that one day holds.
  assert.deepEqual(await rows('offer_performance', { days: 1 }), [
    { offer: 'Gold', impressions: 100, positives: 20, conversions: 4, revenue: 80.5, ctr: 0.12, cvr: 0.04 },
  ]);
  assert.deepEqual(await rows('offer_performance', { days: 8, offerId: ids.silver }), [
    { offer: 'Silver', impressions: 37, positives: 10, conversions: 7, revenue: 7, ctr: 0.243243, cvr: 0.189189 },
  ]);
  assert.deepEqual(await rows('offer_performance', { channelId: ids.mail }), [
    { offer: 'Gold', impressions: 50, positives: 5, conversions: 1, revenue: 20, ctr: 0.06, cvr: 0.02 },
  ]);
  assert.deepEqual(await rows('offer_performance', { categoryId: ids.loans }), [loan]);
  assert.deepEqual(await rows('offer_performance', { categoryId: ids.loans, offerId: ids.gold }), []);
  assert.deepEqual(await rows('offer_performance', { offerId: newId() }), []);
  assert.deepEqual(await rows('offer_performance', { offerId: 'x' }), [], 'a malformed id is an unknown one');
  const { body } = await ask('offer_performance', {}, server.tenants[1]!.keys.viewer);
  assert.deepEqual(body.rows, [], 'another tenant has none of it');
});

test('offer_performance_grouped by channel and category; channel_effectiveness; acceptance_rate', async () => {
  await count(usual());
  const [web, mail, none] = await rows('offer_performance_grouped');
  assert.deepEqual(web, {
    group: 'Web',
    impressions: 130,
    positives: 23,
    conversions: 4,
    revenue: 80.5,
    ctr: 0.107692,
    cvr: 0.030769,
  });
  assert.deepEqual([mail?.group, mail?.impressions, none?.group, none?.impressions], ['Mail', 50, null, 10]);
  assert.deepEqual(
    (await rows('offer_performance_grouped', { groupBy: 'category' })).map((row) => [
      row.group,
      row.impressions,
      row.revenue,
    ]),
    [
      ['Cards', 180, 100.5],
      ['Loans', 10, 1000],
    ],
  );
  assert.deepEqual(await rows('channel_effectiveness', { limit: 2 }), [
    { channel: 'Web', impressions: 130, conversions: 4, rate: 0.030769, revenue: 80.5 },
    { channel: 'Mail', impressions: 50, conversions: 1, rate: 0.02, revenue: 20 },
  ]);
  assert.deepEqual((await rows('acceptance_rate', { limit: 2 })).slice(0, 2), [
    { offer: 'Gold', impressions: 150, positive: 25, negative: 6, neutral: 3, rate: 0.166667 },
    { offer: 'Silver', impressions: 30, positive: 3, negative: 0, neutral: 1, rate: 0.1 },
  ]);
});

test('daily_trend and revenue_trend: every day of the zone, days without figures too', async () => {
  await count(usual());
  assert.deepEqual(await rows('daily_trend'), [
    { day: '2026-11-15', impressions: 40, conversions: 1 },
    { day: '2026-11-16', impressions: 0, conversions: 0 },
    { day: '2026-11-17', impressions: 0, conversions: 0 },
    { day: '2026-11-18', impressions: 0, conversions: 0 },
    { day: '2026-11-19', impressions: 0, conversions: 0 },
    { day: '2026-11-20', impressions: 50, conversions: 1 },
    { day: '2026-11-21', impressions: 100, conversions: 4 },
  ]);
  assert.deepEqual(await rows('revenue_trend', { days: 2 }), [
    { day: '2026-11-20', revenue: 20 },
    { day: '2026-11-21', revenue: 80.5 },
  ]);
  assert.equal((await rows('daily_trend', { days: 365 })).length, 365);
});

async function event(
  at: string,
  customerId: string,
  offerId: string,
  type: 'impression' | 'response',
  more: { readonly channelId?: string; readonly value?: number; readonly outcome?: string } = {},
): Promise<void> {
  const id = idAt(Date.parse(at));
  await server.testDatabase.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       is_conversion, offer_id, channel_id, conversion_value, occurred_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
    [
      tenantId,
      id,
      customerId,
      type,
      type === 'impression' ? 'impression' : (more.outcome ?? 'click'),
      type === 'impression' ? 'neutral' : 'positive',
      type === 'impression' ? 'outbound' : 'inbound',
      more.value !== undefined,
      offerId,
      more.channelId ?? null,
      more.value ?? null,
      at,
    ],
  );
}

test('segments: history of their members only, days of the zone on both sides of midnight', async () => {
  await server.testDatabase.ownerQuery('delete from arbiter.interactions where tenant_id = $1', [tenantId]);
  // A and C are of the segment, B is not. 23:00 UTC is midnight in Berlin.
  await event('2026-11-20T22:59:59.999Z', 'A', ids.gold, 'impression', { channelId: ids.web });
  await event('2026-11-20T23:00:00Z', 'A', ids.gold, 'impression', { channelId: ids.web });
  await event('2026-11-20T23:10:00Z', 'A', ids.gold, 'response', {
    channelId: ids.web,
    value: 12.5,
    outcome: 'convert',
  });
  await event('2026-11-20T23:10:00Z', 'C', ids.silver, 'impression', { channelId: ids.mail });
  await event('2026-11-20T23:10:00Z', 'B', ids.gold, 'impression', { channelId: ids.web });
  await event('2026-11-20T23:11:00Z', 'B', ids.gold, 'response', { channelId: ids.web });
  const gold = { offer: 'Gold', impressions: 1, positives: 1, conversions: 1, revenue: 12.5, ctr: 0, cvr: 1 };
  const silver = { offer: 'Silver', impressions: 1, positives: 0, conversions: 0, revenue: 0, ctr: 0, cvr: 0 };
  const found = await rows('offer_performance', { days: 1, segmentId: ids.segment });
  assert.deepEqual(
    found.toSorted((a, b) => (String(a.offer) < String(b.offer) ? -1 : 1)),
    [gold, silver],
  );
  assert.deepEqual(await rows('daily_trend', { days: 2, segmentId: ids.segment }), [
    { day: '2026-11-20', impressions: 1, conversions: 0 },
    { day: '2026-11-21', impressions: 2, conversions: 1 },
  ]);
  const grouped = await data('offer_performance_grouped', { days: 1, groupBy: 'segment' });
  assert.deepEqual(
    grouped.rows.map(({ group, impressions, revenue }) => [group, impressions, revenue]),
    [['Elders', 2, 12.5]],
  );
  assert.ok(grouped.notes.length > 0);
  assert.deepEqual(await rows('offer_performance', { segmentId: newId() }), []);
});

test('summary: what is active, and the days of the zone', async () => {
  await count(usual());
  await decided([
    ['2026-11-14T22:59:00Z', 100, 0],
    ['2026-11-14T23:00:00Z', 3, 1],
    ['2026-11-20T23:29:00Z', 4, 2],
  ]);
  assert.deepEqual(await rows('summary'), [
    {
      activeOffers: 2,
      activeChannels: 2,
      activeFlows: 0,
      activeExperiments: 0,
      activeJourneys: 0,
      activeTriggers: 0,
      pendingApprovals: 0,
      decisions: 7,
      impressions: 190,
      conversions: 6,
      revenue: 1100.5,
    },
  ]);
});

/** Minutes with so many decisions and failures, of 3 candidates each, one of them blocked; each took 1 ms or so. */
async function decided(minutes: readonly [at: string, decisions: number, failed: number][]): Promise<void> {
  await server.testDatabase.ownerQuery('delete from arbiter.decision_minutes where tenant_id = $1', [tenantId]);
  for (const [at, decisions, failed] of minutes) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
         policy_blocked, degraded, policy_errors, compute_errors, durations)
       values ($1, $2, $3, 1, 0, $4::int, 1, $5, $6::int, $4::int, 2, 0, 0, $7)`,
      [
        tenantId,
        at,
        newId(),
        decisions,
        failed === 0 ? {} : { internal: failed },
        3 * decisions,
        `{${Array.from({ length: 25 }, (_, bucket) => (bucket === 24 ? decisions : 0)).join(',')}}`,
      ],
    );
  }
}

test('decision-health: sums and shares by day of the zone', async () => {
  await decided([
    ['2026-11-19T22:59:00Z', 50, 0],
    ['2026-11-19T23:00:00Z', 6, 2],
    ['2026-11-20T23:10:00Z', 10, 0],
  ]);
  const { body, status, text } = await server.call<DecisionHealth>(
    'GET',
    '/api/v1/dashboards/decision-health/summary?days=2',
  );
  assert.equal(status, 200, text);
  const { p50Ms, p95Ms, p99Ms, ...rest } = body;
  assert.ok(p50Ms !== null && p50Ms === p95Ms && p95Ms === p99Ms && p50Ms > 0);
  assert.deepEqual(rest, {
    days: 2,
    from: '2026-11-19T23:00:00.000Z',
    to: '2026-11-20T23:30:00.000Z',
    decisions: 16,
    failed: 2,
    errorRate: 0.111111,
    empty: 2,
    emptyRate: 0.125,
    degraded: 4,
    degradedRate: 0.25,
    candidates: 48,
    policyBlocked: 16,
    policyBlockRate: 0.333333,
    daily: [
      { day: '2026-11-20', decisions: 6, failed: 2, empty: 1, degraded: 2 },
      { day: '2026-11-21', decisions: 10, failed: 0, empty: 1, degraded: 2 },
    ],
  });
  for (const days of [0, 91]) {
    assert.equal((await server.call('GET', `/api/v1/dashboards/decision-health/summary?days=${days}`)).status, 400);
  }
});

test('budget_burn: what is left, what a day costs, and when it is used up', async () => {
  await count([
    { day: '2026-11-21', offer: ids.gold, counts: [70, 0, 0, 0, 7, 0, 0] },
    // Without prices an outcome costs what it was worth.
    { day: '2026-11-20', offer: ids.silver, counts: [9, 1, 0, 0, 0, 1, 3.5] },
  ]);
  await server.testDatabase.ownerQuery('delete from arbiter.volumes where tenant_id = $1', [tenantId]);
  for (const [offer, cents] of [
    [ids.gold, 4_000],
    [ids.silver, 500],
  ] as const) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.volumes (tenant_id, kind, subject_id, impressions, spent_cents, day_impressions, day_spent_cents, day_at)
       values ($1, 'offer', $2, 0, $3, 0, 0, $4)`,
      [tenantId, offer, cents, new Date(now)],
    );
  }
  assert.deepEqual(await rows('budget_burn'), [
    // 70 impressions at 0.10 and 7 clicks at 1.00 are 14.00, 2.00 a day; 60.00 last for 30 days.
    { offer: 'Gold', allocated: 100, spent: 40, remaining: 60, burnRate: 2, exhaustedOn: '2026-12-21' },
    { offer: 'Silver', allocated: 5, spent: 5, remaining: 0, burnRate: 0.5, exhaustedOn: '2026-11-21' },
  ]);
});

test('anomaly_candidates: the last days without today against those before, in standard errors', async () => {
  const totals: Total[] = [];
  for (let at = 1; at <= 12; at++) {
    const day = new Date(Date.parse('2026-11-21') - at * 86_400_000).toISOString().slice(0, 10);
    // Two days of 200, before them ten days of 90 and 110 in turn: mean 100, variance 1000 / 9.
    const impressions = at <= 2 ? 200 : at % 2 === 0 ? 90 : 110;
    totals.push({ day, offer: ids.gold, counts: [impressions, 0, 0, 0, 0, 0, 0] });
  }
  totals.push({ day: '2026-11-21', offer: ids.gold, counts: [9_999, 0, 0, 0, 0, 0, 0] });
  await count(totals);
  const found = await rows('anomaly_candidates', { days: 2, baselineDays: 10 });
  // 100 / sqrt(1000 / 9 / 2)
  const row = { metric: 'impressions', now: 200, baseline: 100, z: 13.42, severity: 'critical' };
  assert.deepEqual(found, [
    { ...row, object: 'All offers' },
    { ...row, object: 'Gold' },
  ]);
  assert.deepEqual(await rows('anomaly_candidates', { days: 2, baselineDays: 6 }), [], 'too few days to compare with');
});

test('experiment_results and model_metrics_trend: none without experiments, and of a model that has learned nothing', async () => {
  const experiments = await data('experiment_results', { experimentId: newId() });
  assert.deepEqual([experiments.rows, experiments.notes], [[], ['There are no experiments.']]);
  const modelId = await made('algorithm-models', {
    key: 'bandit',
    name: 'Bandit',
    modelType: 'thompson_bandit',
    status: 'active',
    autoLearn: true,
    learnMode: 'continuous',
  });
  assert.deepEqual(await rows('model_metrics_trend', { modelId }), []);
  await server.testDatabase.ownerQuery(
    `update arbiter.model_states set state_version = 7, samples = 120, learned_at = $2 where model_id = $1`,
    [modelId, new Date('2026-11-20T10:00:00Z')],
  );
  assert.deepEqual(await rows('model_metrics_trend', { modelId }), [
    { version: 7, trainedAt: '2026-11-20T10:00:00.000Z', auc: null, logLoss: null, samples: 120 },
  ]);
});

test('system_health: what waits, is dead, is late; destinations that are left alone', async () => {
  const before = (await rows('system_health'))[0]!;
  await server.testDatabase.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     values ($1, $2, 'report.run', '{}', 'x', 6, now())`,
    [tenantId, newId()],
  );
  const template = await made('reports/templates', { name: 'T', dataSources: [{ sourceKey: 'summary' }] });
  const schedule = await made('reports/schedules', { templateId: template, name: 'S', cronExpression: '0 0 * * *' });
  const late = (seconds: number) =>
    server.testDatabase.ownerQuery('update arbiter.report_schedules set next_run_at = $2 where id = $1', [
      schedule,
      new Date(now - seconds * 1000),
    ]);
  await late(120);
  assert.equal((await rows('system_health'))[0]?.schedulesLate, 0, 'two minutes are not late');
  await late(121);
  await server.database.withTenant(tenantId, systemActor('test'), async (tx) => {
    await tx.query(`insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', $2)`, [
      tenantId,
      new Date(now - 90_500),
    ]);
  });
  const destination = await made('notifications/providers', {
    kind: 'webhook',
    name: 'Dead',
    config: { url: peer.url('/dead') },
  });
  for (let tries = 0; tries < 5; tries++) {
    await server.call('POST', '/api/v1/notifications/send', {
      body: { providerIds: [destination], notification: { title: 'T', message: 'M' } },
    });
  }
  const after = (await rows('system_health'))[0]!;
  assert.deepEqual(
    [after.deadLetters, after.schedulesLate, after.outboxLagSeconds, after.breakersOpen],
    [Number(before.deadLetters) + 1, 1, 90.5, 1],
  );
  const other = await ask('system_health', {}, server.tenants[1]!.keys.viewer);
  assert.deepEqual(
    [other.body.rows[0]?.deadLetters, other.body.rows[0]?.schedulesLate, other.body.rows[0]?.breakersOpen],
    [0, 0, 0],
  );
  await server.call('DELETE', `/api/v1/reports/templates/${template}`);
});

const stage = (name: string, candidates: number, passed: number, dropped: object = {}, durationMs = 1) => ({
  stage: name,
  nodeId: name,
  candidates,
  passed,
  topScore: null,
  method: null,
  dropped,
  warnings: [],
  durationMs,
});
async function trace(at: string, body: object, more: { readonly flow?: string } = {}): Promise<void> {
  await server.testDatabase.ownerQuery(
    `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
     values ($1, $2, $2, $2, 'A', $3, $4, $5)`,
    [
      tenantId,
      idAt(Date.parse(at)),
      more.flow ?? 'main',
      {
        channelId: ids.web,
        customerSegments: [ids.segment],
        pipeline: [],
        scoringResults: [],
        selectedOffers: [],
        contactPolicyResults: [],
        dropped: [],
        ...body,
      },
      at,
    ],
  );
}
const policyId = newId();
const policy = (offerId: string, status: string) => ({ offerId, policyId, policyName: 'Three a day', status });

test('sources of traces: funnel, summary with reasons, fates, scores, pressure, selection', async () => {
  await trace('2026-11-14T22:59:59Z', { pipeline: [stage('qualify', 1_000, 0)] });
  await trace('2026-11-14T23:00:00Z', {
    pipeline: [
      stage('inventory', 4, 4),
      stage('qualify', 4, 3, { qualification: 1 }),
      stage('contact_policy', 3, 1, { contact_policy: 2 }, 3),
    ],
    scoringResults: [{ offerId: ids.gold, score: 0.5 }],
    selectedOffers: [{ offerId: ids.gold, rank: 1 }],
    contactPolicyResults: [policy(ids.silver, 'blocked'), policy(ids.loan, 'blocked'), policy(ids.gold, 'passed')],
    dropped: [
      { offerId: ids.silver, reason: 'contact_policy' },
      { offerId: ids.loan, reason: 'contact_policy' },
    ],
  });
  await trace(
    '2026-11-20T23:20:00Z',
    {
      channelId: ids.mail,
      customerSegments: [],
      pipeline: [
        stage('inventory', 2, 2),
        stage('qualify', 2, 2),
        stage('contact_policy', 2, 2, {}, 1),
        stage('rank', 2, 1, { cut: 1 }),
      ],
      scoringResults: [
        { offerId: ids.gold, score: 1.5 },
        { offerId: ids.silver, score: 1 },
      ],
      selectedOffers: [{ offerId: ids.gold, rank: 1 }],
      contactPolicyResults: [policy(ids.gold, 'passed'), policy(ids.silver, 'skipped')],
      dropped: [{ offerId: ids.silver, reason: 'cut' }],
    },
    { flow: 'other' },
  );
  assert.deepEqual(await rows('funnel'), [
    { stage: 'inventory', averageCandidates: 3, shareDropped: 0 },
    { stage: 'qualify', averageCandidates: 3, shareDropped: 0.166667 },
    { stage: 'contact_policy', averageCandidates: 2.5, shareDropped: 0.4 },
    { stage: 'rank', averageCandidates: 2, shareDropped: 0.5 },
  ]);
  assert.deepEqual(
    (await rows('funnel', { decisionFlowKey: 'main' })).map((row) => [row.stage, row.averageCandidates]),
    [
      ['inventory', 4],
      ['qualify', 4],
      ['contact_policy', 3],
    ],
  );
  assert.equal((await rows('funnel', { channelId: ids.mail })).length, 4);
  assert.equal((await rows('funnel', { segmentId: ids.segment })).length, 3);
  assert.deepEqual(
    (await rows('decision_traces_summary')).map((row) => row.topReasons),
    [null, 'qualification (1)', 'contact_policy (2)', 'cut (1)'],
  );
  assert.deepEqual(await rows('why_not_ranked', { offerId: ids.silver }), [
    { fate: 'Selected', decisions: 0, share: 0 },
    { fate: 'Qualification', decisions: 0, share: 0 },
    { fate: 'Suppression', decisions: 0, share: 0 },
    { fate: 'Contact policy', decisions: 1, share: 0.5 },
    { fate: 'Capacity', decisions: 0, share: 0 },
    { fate: 'Scored too low', decisions: 1, share: 0.5 },
  ]);
  assert.deepEqual((await rows('why_not_ranked', { offerId: ids.gold }))[0], {
    fate: 'Selected',
    decisions: 2,
    share: 1,
  });
  assert.deepEqual(await rows('why_not_ranked', { offerId: newId() }), []);
  assert.deepEqual(await rows('contact_policy_pressure'), [
    { policy: 'Three a day', evaluated: 4, blocked: 2, share: 0.5 },
  ]);
  assert.deepEqual(await rows('contact_policy_pressure', { offerId: ids.gold }), [
    { policy: 'Three a day', evaluated: 2, blocked: 0, share: 0 },
  ]);
  const scores = await rows('score_distribution');
  assert.deepEqual(
    scores.filter((row) => Number(row.scores) > 0),
    [
      { group: 'Gold', from: 0.5, to: 0.55, scores: 1 },
      { group: 'Gold', from: 1.45, to: 1.5, scores: 1 },
      { group: 'Silver', from: 1, to: 1.05, scores: 1 },
    ],
  );
  assert.equal(scores.length, 40);
  const byCategory = await rows('score_distribution', { groupBy: 'category' });
  assert.deepEqual(
    [byCategory.length, byCategory.reduce((sum, row) => sum + Number(row.scores), 0), byCategory[0]?.group],
    [20, 3, 'Cards'],
  );
  await server.testDatabase.ownerQuery('delete from arbiter.decision_impressions where tenant_id = $1', [tenantId]);
  for (const [at, offers] of [
    ['2026-11-14T22:59:59Z', [ids.loan]],
    ['2026-11-14T23:00:00Z', [ids.gold, ids.silver]],
    ['2026-11-20T23:20:00Z', [ids.silver, ids.gold]],
    ['2026-11-20T23:21:00Z', [ids.gold]],
  ] as const) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids) values ($1, $2, 'A', $3, $4)`,
      [tenantId, `${idAt(Date.parse(at)).slice(0, 34)}00`, at, [...offers]],
    );
  }
  assert.deepEqual(await rows('selection_frequency'), [
    { offer: 'Gold', eligible: 2, scored: 2, selected: 3, averageRank: 1.33 },
    { offer: 'Silver', eligible: 1, scored: 1, selected: 2, averageRank: 1.5 },
  ]);
  await server.testDatabase.ownerQuery(
    `update arbiter.decision_impressions set channel_ids = array[$2::uuid] where tenant_id = $1 and occurred_at > '2026-11-20T23:20:30Z'`,
    [tenantId, ids.web],
  );
  const [onWeb] = await rows('selection_frequency', { channelId: ids.web });
  assert.deepEqual([onWeb?.offer, onWeb?.selected, onWeb?.averageRank], ['Gold', 1, 1]);
});

test('decision-pipeline: five parts from traces, times of all decisions', async () => {
  await decided([
    ['2026-11-19T23:29:00Z', 5, 0],
    ['2026-11-20T23:20:00Z', 8, 1],
  ]);
  const { body, status, text } = await server.call<DecisionPipeline>('GET', '/api/v1/dashboards/decision-pipeline');
  assert.equal(status, 200, text);
  assert.deepEqual([body.windowHours, body.decisions, body.failed, body.tracesRead, body.notes], [24, 8, 1, 1, []]);
  assert.deepEqual(body.stages, [
    { stage: 'inventory', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'qualification', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'contact_policy', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'scoring', averageMs: null, averageCandidates: null, filterRate: null },
    { stage: 'selection', averageMs: 1, averageCandidates: 2, filterRate: 0.5 },
  ]);
  const wide = await server.call<DecisionPipeline>('GET', '/api/v1/dashboards/decision-pipeline?windowHours=168');
  assert.deepEqual([wide.body.tracesRead, wide.body.decisions], [3, 13]);
  for (const hours of [0, 169]) {
    assert.equal((await server.call('GET', `/api/v1/dashboards/decision-pipeline?windowHours=${hours}`)).status, 400);
  }
});

test('traces that are off or sampled are told, and at most 1,000 of them are read', async () => {
  await put('tenant-settings', { decisionTraceSampleRate: 0.25 });
  assert.deepEqual((await data('funnel')).notes, ['Sampled: 25 % of decisions leave a trace.']);
  await put('tenant-settings', { decisionTraceEnabled: false });
  assert.match((await data('selection_frequency')).notes.join(), /traces are off/);
  await put('tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  assert.deepEqual((await data('funnel')).notes, []);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
     select $1, (substr($2, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $3, $3, 'A', 'many', $4, $5 from generate_series(1, 1000) n`,
    [tenantId, idAt(now), newId(), { pipeline: [stage('qualify', 2, 1)] }, new Date(now)],
  );
  const { rows: found, notes } = await data('funnel', { decisionFlowKey: 'many' });
  assert.deepEqual([found[0]?.averageCandidates, notes], [2, ['Worked out from the newest 1000 traces.']]);
});

test('figures of real decisions and responses come through', async () => {
  const key = server.tenants[1]!.keys.admin;
  const make = async (path: string, body: object) => {
    const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body, key });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  await server.call('PUT', '/api/v1/tenant-settings', { body: settings, key });
  const category = await make('categories', { name: 'Cards' });
  const channelId = await make('channels', { name: 'Web', channelType: 'web', status: 'active' });
  const offerId = await make('offers', { name: 'Gold', status: 'active', categoryId: category });
  await make('creatives', { name: 'C', offerId, channelId, status: 'active', content: { headline: 'x' } });
  const flow = await make('decision-flows', { key: 'main', name: 'Main', draftConfig: draftFlowConfig(category) });
  await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow }, key });
  const decision = await server.call<{ recommendationId: string; count: number }>('POST', '/api/v1/recommend', {
    body: { customerId: 'P', channelId },
    key,
  });
  assert.deepEqual([decision.status, decision.body.count], [200, 1], decision.text);
  const funnel = await ask('funnel', {}, key);
  assert.ok(
    funnel.body.rows.some(({ stage: name }) => name === 'inventory'),
    JSON.stringify(funnel.body),
  );
  const [selected] = (await ask('selection_frequency', {}, key)).body.rows;
  assert.deepEqual([selected?.offer, selected?.selected, selected?.averageRank, selected?.scored], ['Gold', 1, 1, 1]);
  const fates = await ask('why_not_ranked', { offerId }, key);
  assert.deepEqual([fates.body.rows[0]?.fate, fates.body.rows[0]?.decisions], ['Selected', 1]);
});
