import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DecisionPipeline, draftFlowConfig } from '@arbiter/contract';
import { idAt, newId } from '../../../../platform/ids.ts';
import { now, type SourceWorld, startSourceWorld } from './test-sources.ts';

/** Sources that read traces, and what they report without traces (docs/design/api-access.md 11). */

let world: SourceWorld;
before(async () => {
  world = await startSourceWorld();
});
after(() => world?.close());

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
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
     values ($1, $2, $2, $2, 'A', $3, $4, $5)`,
    [
      world.tenantId,
      idAt(Date.parse(at)),
      more.flow ?? 'main',
      {
        channelId: world.ids.web,
        customerSegments: [world.ids.segment],
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
    scoringResults: [{ offerId: world.ids.gold, score: 0.5 }],
    selectedOffers: [{ offerId: world.ids.gold, rank: 1 }],
    contactPolicyResults: [
      policy(world.ids.silver, 'blocked'),
      policy(world.ids.loan, 'blocked'),
      policy(world.ids.gold, 'passed'),
    ],
    dropped: [
      { offerId: world.ids.silver, reason: 'contact_policy' },
      { offerId: world.ids.loan, reason: 'contact_policy' },
    ],
  });
  await trace(
    '2026-11-20T23:20:00Z',
    {
      channelId: world.ids.mail,
      customerSegments: [],
      pipeline: [
        stage('inventory', 2, 2),
        stage('qualify', 2, 2),
        stage('contact_policy', 2, 2, {}, 1),
        stage('rank', 2, 1, { cut: 1 }),
      ],
      scoringResults: [
        { offerId: world.ids.gold, score: 1.5 },
        { offerId: world.ids.silver, score: 1 },
      ],
      selectedOffers: [{ offerId: world.ids.gold, rank: 1 }],
      contactPolicyResults: [policy(world.ids.gold, 'passed'), policy(world.ids.silver, 'skipped')],
      dropped: [{ offerId: world.ids.silver, reason: 'cut' }],
    },
    { flow: 'other' },
  );
  assert.deepEqual(await world.rows('funnel'), [
    { stage: 'Inventory', averageCandidates: 3, shareDropped: 0 },
    { stage: 'Qualification', averageCandidates: 3, shareDropped: 0.166667 },
    { stage: 'Contact policies', averageCandidates: 2.5, shareDropped: 0.4 },
    { stage: 'Ranking', averageCandidates: 1.5, shareDropped: 0.5 },
  ]);
  assert.deepEqual(
    (await world.rows('funnel', { decisionFlowKey: 'main' })).map((row) => [row.stage, row.averageCandidates]),
    [
      ['Inventory', 4],
      ['Qualification', 4],
      ['Contact policies', 3],
    ],
  );
  assert.equal((await world.rows('funnel', { channelId: world.ids.mail })).length, 4);
  assert.equal((await world.rows('funnel', { segmentId: world.ids.segment })).length, 3);
  assert.deepEqual(
    (await world.rows('decision_traces_summary')).map((row) => row.topReasons),
    [null, 'Not qualified (1)', 'Contact policy (2)', 'Ranked below the limit (1)'],
  );
  assert.deepEqual(await world.rows('why_not_ranked', { offerId: world.ids.silver }), [
    { fate: 'Selected', decisions: 0, share: 0 },
    { fate: 'Qualification', decisions: 0, share: 0 },
    { fate: 'Suppression', decisions: 0, share: 0 },
    { fate: 'Contact policy', decisions: 1, share: 0.5 },
    { fate: 'Capacity', decisions: 0, share: 0 },
    { fate: 'Scored too low', decisions: 1, share: 0.5 },
  ]);
  assert.deepEqual((await world.rows('why_not_ranked', { offerId: world.ids.gold }))[0], {
    fate: 'Selected',
    decisions: 2,
    share: 1,
  });
  assert.deepEqual(await world.rows('why_not_ranked', { offerId: newId() }), []);
  assert.deepEqual(await world.rows('contact_policy_pressure'), [
    { policy: 'Three a day', evaluated: 4, blocked: 2, share: 0.5 },
  ]);
  assert.deepEqual(await world.rows('contact_policy_pressure', { offerId: world.ids.gold }), [
    { policy: 'Three a day', evaluated: 2, blocked: 0, share: 0 },
  ]);
  const scores = await world.rows('score_distribution');
  assert.deepEqual(
    scores.filter((row) => Number(row.scores) > 0),
    [
      { group: 'Gold', from: 0.5, to: 0.55, scores: 1 },
      { group: 'Gold', from: 1.45, to: 1.5, scores: 1 },
      { group: 'Silver', from: 1, to: 1.05, scores: 1 },
    ],
  );
  assert.equal(scores.length, 40);
  const byCategory = await world.rows('score_distribution', { groupBy: 'category' });
  assert.deepEqual(
    [byCategory.length, byCategory.reduce((sum, row) => sum + Number(row.scores), 0), byCategory[0]?.group],
    [20, 3, 'Cards'],
  );
  await world.server.testDatabase.ownerQuery('delete from arbiter.decision_impressions where tenant_id = $1', [
    world.tenantId,
  ]);
  for (const [at, offers] of [
    ['2026-11-14T22:59:59Z', [world.ids.loan]],
    ['2026-11-14T23:00:00Z', [world.ids.gold, world.ids.silver]],
    ['2026-11-20T23:20:00Z', [world.ids.silver, world.ids.gold]],
    ['2026-11-20T23:21:00Z', [world.ids.gold]],
  ] as const) {
    await world.server.testDatabase.ownerQuery(
      `insert into arbiter.decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids) values ($1, $2, 'A', $3, $4)`,
      [world.tenantId, `${idAt(Date.parse(at)).slice(0, 34)}00`, at, [...offers]],
    );
  }
  assert.deepEqual(await world.rows('selection_frequency'), [
    { offer: 'Gold', eligible: 2, scored: 2, selected: 3, averageRank: 1.33 },
    { offer: 'Silver', eligible: 1, scored: 1, selected: 2, averageRank: 1.5 },
  ]);
  await world.server.testDatabase.ownerQuery(
    `update arbiter.decision_impressions set channel_ids = array[$2::uuid] where tenant_id = $1 and occurred_at > '2026-11-20T23:20:30Z'`,
    [world.tenantId, world.ids.web],
  );
  const [onWeb] = await world.rows('selection_frequency', { channelId: world.ids.web });
  assert.deepEqual([onWeb?.offer, onWeb?.selected, onWeb?.averageRank], ['Gold', 1, 1]);
});

test('decision-pipeline: five parts from traces, times of all decisions', async () => {
  await world.decided([
    ['2026-11-19T23:29:00Z', 5, 0],
    ['2026-11-20T23:20:00Z', 8, 1],
  ]);
  const { body, status, text } = await world.server.call<DecisionPipeline>(
    'GET',
    '/api/v1/dashboards/decision-pipeline',
  );
  assert.equal(status, 200, text);
  assert.deepEqual([body.windowHours, body.decisions, body.failed, body.tracesRead, body.notes], [24, 8, 1, 1, []]);
  assert.deepEqual(body.stages, [
    { stage: 'inventory', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'qualification', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'contact_policy', averageMs: 1, averageCandidates: 2, filterRate: 0 },
    { stage: 'scoring', averageMs: null, averageCandidates: null, filterRate: null },
    { stage: 'selection', averageMs: 1, averageCandidates: 2, filterRate: 0.5 },
  ]);
  const wide = await world.server.call<DecisionPipeline>('GET', '/api/v1/dashboards/decision-pipeline?windowHours=168');
  assert.deepEqual([wide.body.tracesRead, wide.body.decisions], [3, 13]);
  for (const hours of [0, 169]) {
    assert.equal(
      (await world.server.call('GET', `/api/v1/dashboards/decision-pipeline?windowHours=${hours}`)).status,
      400,
    );
  }
});

test('reports that traces are off or sampled, and reads at most 1,000', async () => {
  await world.put('tenant-settings', { decisionTraceSampleRate: 0.25 });
  assert.deepEqual((await world.data('funnel')).notes, ['Sampled: 25 % of decisions have a trace.']);
  await world.put('tenant-settings', { decisionTraceEnabled: false });
  assert.match((await world.data('selection_frequency')).notes.join(), /traces are off/);
  await world.put('tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  assert.deepEqual((await world.data('funnel')).notes, []);
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
     select $1, (substr($2, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $3, $3, 'A', 'many', $4, $5 from generate_series(1, 1000) n`,
    [world.tenantId, idAt(now), newId(), { pipeline: [stage('qualify', 2, 1)] }, new Date(now)],
  );
  const { rows: found, notes } = await world.data('funnel', { decisionFlowKey: 'many' });
  assert.deepEqual([found[0]?.averageCandidates, notes], [2, ['Based on the newest 1000 traces.']]);
});

test('shows figures of real decisions and responses', async () => {
  const key = world.server.tenants[1]!.keys.admin;
  const make = async (path: string, body: object) => {
    const answer = await world.server.call<{ id: string }>('POST', `/api/v1/${path}`, { body, key });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  await world.server.call('PUT', '/api/v1/tenant-settings', { body: settings, key });
  const category = await make('categories', { name: 'Cards' });
  const channelId = await make('channels', { name: 'Web', channelType: 'web', status: 'active' });
  const offerId = await make('offers', { name: 'Gold', status: 'active', categoryId: category });
  await make('creatives', { name: 'C', offerId, channelId, status: 'active', content: { headline: 'x' } });
  const flow = await make('decision-flows', { key: 'main', name: 'Main', draftConfig: draftFlowConfig(category) });
  await world.server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow }, key });
  const decision = await world.server.call<{ recommendationId: string; count: number }>('POST', '/api/v1/recommend', {
    body: { customerId: 'P', channelId },
    key,
  });
  assert.deepEqual([decision.status, decision.body.count], [200, 1], decision.text);
  const funnel = await world.ask('funnel', {}, key);
  assert.ok(
    funnel.body.rows.some(({ stageId }) => stageId === 'inventory'),
    JSON.stringify(funnel.body),
  );
  const [selected] = (await world.ask('selection_frequency', {}, key)).body.rows;
  assert.deepEqual([selected?.offer, selected?.selected, selected?.averageRank, selected?.scored], ['Gold', 1, 1, 1]);
  const fates = await world.ask('why_not_ranked', { offerId }, key);
  assert.deepEqual([fates.body.rows[0]?.fate, fates.body.rows[0]?.decisions], ['Selected', 1]);
});
