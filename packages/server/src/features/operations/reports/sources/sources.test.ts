import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DecisionHealth, type ReportSourceFacts, reportSourceKeys } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { createTrainingSchema, readModel, runQueue } from '../../../deciding/model-training/test-training.ts';
import { now, type SourceWorld, startSourceWorld, type Total } from './test-sources.ts';

/** Sources of figures against what was counted by hand (docs/design/api-access.md 11). The tenant's zone is Berlin. */

let world: SourceWorld;
before(async () => {
  world = await startSourceWorld();
});
after(() => world?.close());

test('sources: lists each with its columns and parameters, and returns 400 for unknown ones', async () => {
  const list = await world.server.call<{ data: ReportSourceFacts[] }>('GET', '/api/v1/reports/sources', {
    key: world.server.tenants[0].keys.viewer,
  });
  assert.deepEqual(
    list.body.data.map(({ sourceKey }) => sourceKey),
    [...reportSourceKeys],
  );
  for (const source of list.body.data) {
    const { sourceKey, params, columns } = source;
    const query = Object.fromEntries(params.flatMap(({ name, required }) => (required ? [[name, newId()]] : [])));
    const { columns: answered } = await world.data(sourceKey, query);
    assert.deepEqual(answered, columns, sourceKey);
    const known = params.map(({ name }) => String(name));
    const others = { days: 5, limit: 5, offerId: newId(), decisionFlowKey: 'x', groupBy: 'channel', baselineDays: 5 };
    for (const [name, value] of Object.entries(others)) {
      if (known.includes(name)) continue;
      const refused = await world.ask(sourceKey, { ...query, [name]: value });
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, `query.${name}`], sourceKey);
    }
    for (const name of Object.keys(query)) {
      assert.deepEqual((await world.ask(sourceKey)).body.errors?.[0]?.path, `query.${name}`);
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
    assert.equal((await world.ask(type, rest)).status, 400, JSON.stringify(query));
  }
  assert.equal((await world.ask('summary', { days: 1 })).status, 200);
  assert.equal((await world.ask('summary', { days: 365 })).status, 200);
});

test('each response names its days and its filters', async () => {
  const scopeOf = async (type: string, query: Readonly<Record<string, string | number>> = {}) => {
    const { period, filters } = await world.data(type, query);
    return { period, filters };
  };
  assert.deepEqual(
    await scopeOf('offer_performance', { days: 1, channelId: world.ids.web, categoryId: world.ids.cards }),
    {
      period: { from: '2026-11-21', to: '2026-11-21' },
      filters: [
        { label: 'Channel', value: 'Web' },
        { label: 'Category', value: 'Cards' },
      ],
    },
  );
  assert.deepEqual(
    await scopeOf('why_not_ranked', { offerId: world.ids.gold.toUpperCase(), decisionFlowKey: 'main' }),
    {
      period: { from: '2026-11-15', to: '2026-11-21' },
      filters: [
        { label: 'Offer', value: 'Gold' },
        { label: 'Flow', value: 'main' },
      ],
    },
  );
  assert.deepEqual(await scopeOf('anomaly_candidates', { days: 2 }), {
    period: { from: '2026-11-19', to: '2026-11-20' },
    filters: [{ label: 'Compared with', value: 'the previous 28 days' }],
  });
  assert.deepEqual(await scopeOf('system_health'), { period: null, filters: [] });
  const stranger = newId();
  assert.deepEqual((await scopeOf('daily_trend', { offerId: stranger })).filters, [
    { label: 'Offer', value: stranger },
  ]);
});

test('offer_performance: seven days of the zone, most impressions first, with filters', async () => {
  await world.count(world.usual());
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
  assert.deepEqual(await world.rows('offer_performance'), [gold, silver, loan]);
  assert.deepEqual(await world.rows('offer_performance', { limit: 1 }), [gold]);
  // Berlin's 21st is all that one day holds.
  assert.deepEqual(await world.rows('offer_performance', { days: 1 }), [
    { offer: 'Gold', impressions: 100, positives: 20, conversions: 4, revenue: 80.5, ctr: 0.12, cvr: 0.04 },
  ]);
  assert.deepEqual(await world.rows('offer_performance', { days: 8, offerId: world.ids.silver }), [
    { offer: 'Silver', impressions: 37, positives: 10, conversions: 7, revenue: 7, ctr: 0.243243, cvr: 0.189189 },
  ]);
  assert.deepEqual(await world.rows('offer_performance', { channelId: world.ids.mail }), [
    { offer: 'Gold', impressions: 50, positives: 5, conversions: 1, revenue: 20, ctr: 0.06, cvr: 0.02 },
  ]);
  assert.deepEqual(await world.rows('offer_performance', { categoryId: world.ids.loans }), [loan]);
  assert.deepEqual(await world.rows('offer_performance', { categoryId: world.ids.loans, offerId: world.ids.gold }), []);
  assert.deepEqual(await world.rows('offer_performance', { offerId: newId() }), []);
  assert.deepEqual(await world.rows('offer_performance', { offerId: 'x' }), [], 'a malformed id is an unknown one');
  const { body } = await world.ask('offer_performance', {}, world.server.tenants[1]!.keys.viewer);
  assert.deepEqual(body.rows, [], 'another tenant has none of it');
});

test('offer_performance_grouped by channel and category; channel_effectiveness; acceptance_rate', async () => {
  await world.count(world.usual());
  const [web, mail, none] = await world.rows('offer_performance_grouped');
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
    (await world.rows('offer_performance_grouped', { groupBy: 'category' })).map((row) => [
      row.group,
      row.impressions,
      row.revenue,
    ]),
    [
      ['Cards', 180, 100.5],
      ['Loans', 10, 1000],
    ],
  );
  assert.deepEqual(await world.rows('channel_effectiveness', { limit: 2 }), [
    { channel: 'Web', impressions: 130, conversions: 4, rate: 0.030769, revenue: 80.5 },
    { channel: 'Mail', impressions: 50, conversions: 1, rate: 0.02, revenue: 20 },
  ]);
  assert.deepEqual((await world.rows('acceptance_rate', { limit: 2 })).slice(0, 2), [
    { offer: 'Gold', impressions: 150, positive: 25, negative: 6, neutral: 3, rate: 0.166667 },
    { offer: 'Silver', impressions: 30, positive: 3, negative: 0, neutral: 1, rate: 0.1 },
  ]);
});

test('daily_trend and revenue_trend: every day of the zone, including days without figures', async () => {
  await world.count(world.usual());
  assert.deepEqual(await world.rows('daily_trend'), [
    { day: '2026-11-15', impressions: 40, conversions: 1 },
    { day: '2026-11-16', impressions: 0, conversions: 0 },
    { day: '2026-11-17', impressions: 0, conversions: 0 },
    { day: '2026-11-18', impressions: 0, conversions: 0 },
    { day: '2026-11-19', impressions: 0, conversions: 0 },
    { day: '2026-11-20', impressions: 50, conversions: 1 },
    { day: '2026-11-21', impressions: 100, conversions: 4 },
  ]);
  assert.deepEqual(await world.rows('revenue_trend', { days: 2 }), [
    { day: '2026-11-20', revenue: 20 },
    { day: '2026-11-21', revenue: 80.5 },
  ]);
  assert.equal((await world.rows('daily_trend', { days: 365 })).length, 365);
});

test("segments: only their members' history, by days of the zone on both sides of midnight", async () => {
  await world.server.testDatabase.ownerQuery('delete from arbiter.interactions where tenant_id = $1', [world.tenantId]);
  // A and C are of the segment, B is not. 23:00 UTC is midnight in Berlin.
  await world.event('2026-11-20T22:59:59.999Z', 'A', world.ids.gold, 'impression', { channelId: world.ids.web });
  await world.event('2026-11-20T23:00:00Z', 'A', world.ids.gold, 'impression', { channelId: world.ids.web });
  await world.event('2026-11-20T23:10:00Z', 'A', world.ids.gold, 'response', {
    channelId: world.ids.web,
    value: 12.5,
    outcome: 'convert',
  });
  await world.event('2026-11-20T23:10:00Z', 'C', world.ids.silver, 'impression', { channelId: world.ids.mail });
  await world.event('2026-11-20T23:10:00Z', 'B', world.ids.gold, 'impression', { channelId: world.ids.web });
  await world.event('2026-11-20T23:11:00Z', 'B', world.ids.gold, 'response', { channelId: world.ids.web });
  const gold = { offer: 'Gold', impressions: 1, positives: 1, conversions: 1, revenue: 12.5, ctr: 0, cvr: 1 };
  const silver = { offer: 'Silver', impressions: 1, positives: 0, conversions: 0, revenue: 0, ctr: 0, cvr: 0 };
  const found = await world.rows('offer_performance', { days: 1, segmentId: world.ids.segment });
  assert.deepEqual(
    found.toSorted((a, b) => (String(a.offer) < String(b.offer) ? -1 : 1)),
    [gold, silver],
  );
  assert.deepEqual(await world.rows('daily_trend', { days: 2, segmentId: world.ids.segment }), [
    { day: '2026-11-20', impressions: 1, conversions: 0 },
    { day: '2026-11-21', impressions: 2, conversions: 1 },
  ]);
  const grouped = await world.data('offer_performance_grouped', { days: 1, groupBy: 'segment' });
  assert.deepEqual(
    grouped.rows.map(({ group, impressions, revenue }) => [group, impressions, revenue]),
    [['Elders', 2, 12.5]],
  );
  assert.ok(grouped.notes.length > 0);
  assert.deepEqual(await world.rows('offer_performance', { segmentId: newId() }), []);
});

test('summary: active records, and the days of the zone', async () => {
  await world.count(world.usual());
  await world.decided([
    ['2026-11-14T22:59:00Z', 100, 0],
    ['2026-11-14T23:00:00Z', 3, 1],
    ['2026-11-20T23:29:00Z', 4, 2],
  ]);
  const nodes = [
    { id: 'start', type: 'entry_trigger', config: {} },
    { id: 'end', type: 'exit', config: {} },
  ];
  const journeyId = await world.server.create('journeys', {
    ...{ name: 'Welcome', status: 'active', definition: { nodes, edges: [{ from: 'start', to: 'end' }] } },
  });
  const action = { eventType: 'purchase', actionType: 'journey_enroll', actionConfig: { journeyId } };
  for (const [name, status] of [
    ['Welcome back', 'active'],
    ['Thank you', 'active'],
    ['Later', 'paused'],
  ]) {
    await world.server.create('triggers', { name, status, ...action });
  }
  assert.deepEqual(await world.rows('summary'), [
    {
      activeOffers: 2,
      activeChannels: 2,
      activeFlows: 0,
      activeExperiments: 0,
      activeJourneys: 1,
      activeTriggers: 2,
      pendingApprovals: 0,
      decisions: 7,
      impressions: 190,
      conversions: 6,
      revenue: 1100.5,
    },
  ]);
});

test('decision-health: sums and shares by day of the zone', async () => {
  await world.decided([
    ['2026-11-19T22:59:00Z', 50, 0],
    ['2026-11-19T23:00:00Z', 6, 2],
    ['2026-11-20T23:10:00Z', 10, 0],
  ]);
  const { body, status, text } = await world.server.call<DecisionHealth>(
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
    assert.equal(
      (await world.server.call('GET', `/api/v1/dashboards/decision-health/summary?days=${days}`)).status,
      400,
    );
  }
});

test('budget_burn: what is left, the cost per day, and when it runs out', async () => {
  await world.count([
    { day: '2026-11-21', offer: world.ids.gold, counts: [70, 0, 0, 0, 7, 0, 0] },
    // Without prices an outcome costs what it was worth.
    { day: '2026-11-20', offer: world.ids.silver, counts: [9, 1, 0, 0, 0, 1, 3.5] },
  ]);
  await world.server.testDatabase.ownerQuery('delete from arbiter.volumes where tenant_id = $1', [world.tenantId]);
  for (const [offer, cents] of [
    [world.ids.gold, 4_000],
    [world.ids.silver, 500],
  ] as const) {
    await world.server.testDatabase.ownerQuery(
      `insert into arbiter.volumes (tenant_id, kind, subject_id, impressions, spent_cents, day_impressions, day_spent_cents, day_at)
       values ($1, 'offer', $2, 0, $3, 0, 0, $4)`,
      [world.tenantId, offer, cents, new Date(now)],
    );
  }
  assert.deepEqual(await world.rows('budget_burn'), [
    // 70 impressions at 0.10 and 7 clicks at 1.00 are 14.00, 2.00 a day; 60.00 last for 30 days.
    { offer: 'Gold', allocated: 100, spent: 40, remaining: 60, burnRate: 2, exhaustedOn: '2026-12-21' },
    { offer: 'Silver', allocated: 5, spent: 5, remaining: 0, burnRate: 0.5, exhaustedOn: '2026-11-21' },
  ]);
});

test('anomaly_candidates: the last days before today against earlier ones, in standard errors', async () => {
  const totals: Total[] = [];
  for (let at = 1; at <= 12; at++) {
    const day = new Date(Date.parse('2026-11-21') - at * 86_400_000).toISOString().slice(0, 10);
    // Two days of 200, before them ten days of 90 and 110 in turn: mean 100, variance 1000 / 9.
    const impressions = at <= 2 ? 200 : at % 2 === 0 ? 90 : 110;
    totals.push({ day, offer: world.ids.gold, counts: [impressions, 0, 0, 0, 0, 0, 0] });
  }
  totals.push({ day: '2026-11-21', offer: world.ids.gold, counts: [9_999, 0, 0, 0, 0, 0, 0] });
  await world.count(totals);
  const found = await world.rows('anomaly_candidates', { days: 2, baselineDays: 10 });
  // 100 / sqrt(1000 / 9 / 2)
  const row = { metric: 'impressions', now: 200, baseline: 100, z: 13.42, severity: 'critical' };
  assert.deepEqual(found, [
    { ...row, object: 'All offers' },
    { ...row, object: 'Gold' },
  ]);
  assert.deepEqual(
    await world.rows('anomaly_candidates', { days: 2, baselineDays: 6 }),
    [],
    'too few days to compare with',
  );
});

test('experiment_results and model_metrics_trend: empty without experiments, and for a model that learned nothing', async () => {
  const experiments = await world.data('experiment_results', { experimentId: newId() });
  assert.deepEqual([experiments.rows, experiments.notes], [[], ['No experiment has started yet.']]);
  const modelId = await world.made('algorithm-models', {
    key: 'bandit',
    name: 'Bandit',
    modelType: 'thompson_bandit',
    status: 'active',
    autoLearn: true,
    learnMode: 'continuous',
  });
  assert.deepEqual(await world.rows('model_metrics_trend', { modelId }), []);
  await world.server.testDatabase.ownerQuery(
    `update arbiter.model_states set state_version = 7, samples = 120, learned_at = $2 where model_id = $1`,
    [modelId, new Date('2026-11-20T10:00:00Z')],
  );
  assert.deepEqual(await world.rows('model_metrics_trend', { modelId }), [
    { version: 7, trainedAt: '2026-11-20T10:00:00.000Z', auc: null, logLoss: null, samples: 120 },
  ]);
});

test('model_metrics_trend shows each training of a model with its AUC and log loss, oldest first', async () => {
  const modelId = await world.made('algorithm-models', {
    ...{ key: 'bayes', name: 'Bayes', modelType: 'bayesian' },
    predictors: ['age'],
    targetSchemaKey: 'report_people',
    targetField: 'accepted',
  });
  await createTrainingSchema(world.server, 'report_people');
  for (let at = 0; at < 2; at++) {
    const asked = await world.server.call('POST', `/api/v1/algorithm-models/${modelId}/train`, { body: {} });
    assert.equal(asked.status, 202, asked.text);
    await runQueue(world.server, 'model.train');
  }
  const { metricsHistory } = await readModel(world.server, modelId);
  const rows = await world.rows('model_metrics_trend', { modelId });
  assert.deepEqual(
    rows.map(({ version, samples }) => [version, samples]),
    [
      [2, 240],
      [3, 240],
    ],
  );
  for (const [at, { auc, logLoss, trainedAt }] of rows.entries()) {
    const shown = metricsHistory[1 - at]!;
    assert.ok(Math.abs(Number(auc) - shown.auc!) < 1e-3 && Math.abs(Number(logLoss) - shown.logLoss) < 1e-3);
    assert.equal(trainedAt, shown.trainedAt);
  }
});

/** Creates a pipeline that is this many seconds late. Returns how to change that. */
async function latePipeline(first: number): Promise<(seconds: number) => Promise<unknown>> {
  const connectorId = await world.made('connectors', { name: 'Late', type: 'postgresql' });
  const schemaId = await world.made('schemas', {
    ...{ name: 'late_rows', displayName: 'Late', schemaType: 'event' },
    fields: [{ name: 'amount', displayName: 'Amount', dataType: 'integer' }],
  });
  const schedule = { cronExpression: '0 0 * * *' };
  const id = await world.made('pipelines', { name: 'Late', connectorId, schemaId, schedule, status: 'active' });
  const late = (seconds: number) =>
    world.server.testDatabase.ownerQuery('update arbiter.pipelines set next_run_at = $2 where id = $1', [
      id,
      new Date(now - seconds * 1000),
    ]);
  await late(first);
  return late;
}

test('system_health: waiting, dead and late work, and paused destinations', async () => {
  const before = (await world.rows('system_health'))[0]!;
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     values ($1, $2, 'report.run', '{}', 'x', 6, now())`,
    [world.tenantId, newId()],
  );
  const template = await world.made('reports/templates', { name: 'T', dataSources: [{ sourceKey: 'summary' }] });
  const schedule = await world.made('reports/schedules', {
    templateId: template,
    name: 'S',
    cronExpression: '0 0 * * *',
  });
  const late = (seconds: number) =>
    world.server.testDatabase.ownerQuery('update arbiter.report_schedules set next_run_at = $2 where id = $1', [
      schedule,
      new Date(now - seconds * 1000),
    ]);
  await late(120);
  assert.equal((await world.rows('system_health'))[0]?.schedulesLate, 0, 'two minutes are not late');
  await late(121);
  const pipeline = await latePipeline(120);
  assert.equal((await world.rows('system_health'))[0]?.pipelinesLate, 0, 'two minutes are not late');
  await pipeline(121);
  await world.server.database.withTenant(world.tenantId, systemActor('test'), async (tx) => {
    await tx.query(`insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', $2)`, [
      world.tenantId,
      new Date(now - 90_500),
    ]);
  });
  const destination = await world.made('notifications/providers', {
    kind: 'webhook',
    name: 'Dead',
    config: { url: world.peer.url('/dead') },
  });
  for (let tries = 0; tries < 5; tries++) {
    await world.server.call('POST', '/api/v1/notifications/send', {
      body: { providerIds: [destination], notification: { title: 'T', message: 'M' } },
    });
  }
  const after = (await world.rows('system_health'))[0]!;
  assert.deepEqual(
    [after.deadLetters, after.schedulesLate, after.pipelinesLate, after.outboxLagSeconds, after.breakersOpen],
    [Number(before.deadLetters) + 1, 1, 1, 90.5, 1],
  );
  const other = await world.ask('system_health', {}, world.server.tenants[1]!.keys.viewer);
  assert.deepEqual(
    [other.body.rows[0]?.deadLetters, other.body.rows[0]?.schedulesLate, other.body.rows[0]?.breakersOpen],
    [0, 0, 0],
  );
  await world.server.call('DELETE', `/api/v1/reports/templates/${template}`);
});
