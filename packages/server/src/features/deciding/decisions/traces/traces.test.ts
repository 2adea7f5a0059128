import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { DecisionRecord, Explanation, RecommendAnswer } from '@arbiter/contract';
import { u } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** Stored traces: which decisions have one, and its content (docs/design/api-decisioning.md 11). */

let server: TestServer;
let shiftMs = 0;
const ids: Record<string, string> = {};

async function set(path: string, body: object): Promise<void> {
  const { status, text } = await server.call('PUT', `/api/v1/${path}`, { body });
  assert.equal(status, 200, text);
}
async function publish(key: string, nodes: readonly object[], flowConfig: object = {}): Promise<void> {
  const id = await server.create('decision-flows', { key, name: key, draftConfig: { version: 2, nodes, flowConfig } });
  await server.publishFlow(id);
}
async function decide(body: object): Promise<RecommendAnswer> {
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

type Row = Readonly<Record<string, unknown>>;
interface Trace {
  readonly id: string;
  readonly requestId: string;
  readonly summary: Row & {
    readonly channelCoupling: readonly Row[];
    readonly droppedByReason: Record<string, number>;
  };
  readonly result: { readonly count: number; readonly topOffer: Row | null };
  readonly totalDurationMs: number;
  readonly pipeline: readonly (Row & {
    readonly stage: string;
    readonly nodeId: string | null;
    readonly method: string;
  })[];
  readonly scoringResults: readonly (Row & { readonly score: number; readonly offerId: string })[];
  readonly selectedOffers: readonly (Row & { readonly offerId: string })[];
  readonly qualificationResults: readonly (Row & { readonly offerId: string })[];
  readonly contactPolicyResults: readonly (Row & { readonly offerId: string })[];
  readonly suppressionResults: readonly (Row & { readonly offerId: string })[];
  readonly dropped: readonly (Row & { readonly offerId: string; readonly reason: string })[];
}
async function traceOf(answer: RecommendAnswer): Promise<Trace & Row> {
  const { status, body, text } = await server.call<Trace & Row>(
    'GET',
    `/api/v1/decision-traces/${answer.trace.traceId}`,
    { key: server.tenants[0].keys.viewer },
  );
  assert.equal(status, 200, text);
  return body;
}
interface Page {
  readonly traces: readonly Trace[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
const list = async (query: string) => (await server.call<Page>('GET', `/api/v1/decision-traces?${query}`)).body;

const inventory = { id: 'i', type: 'inventory', config: {} };
const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => Date.now() + shiftMs } });
  await set('tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  ids.web = await server.create('channels', { name: 'Web', channelType: 'web', couplingMode: 'atomic' });
  ids.mail = await server.create('channels', { name: 'Mail', channelType: 'email', couplingMode: 'partial' });
  ids.hero = await server.create('placements', { name: 'Hero', channelId: ids.web });
  ids.side = await server.create('placements', { name: 'Side', channelId: ids.web });
  ids.inbox = await server.create('placements', { name: 'Inbox', channelId: ids.mail });
  for (const [at, name] of ['A', 'B', 'C', 'Poor', 'Rested', 'Capped'].entries()) {
    ids[name] = await server.create('offers', { name, status: 'active', priority: 90 - at * 10 });
    for (const channelId of [ids.web, ids.mail]) {
      await server.create('creatives', {
        name: `${name} ${channelId}`,
        offerId: ids[name],
        channelId,
        status: 'active',
      });
    }
  }
  ids.rule = await server.create('qualification-rules', {
    name: 'Rich',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: ids.Poor,
    config: { attribute: 'attributes.income', operator: 'gt', value: 10 },
  });
  ids.policy = await server.create('contact-policies', {
    name: 'Not for those who left',
    ruleType: 'segment_exclusion',
    scope: 'offer',
    scopeId: ids.Capped,
    config: { excludeSegments: ['left'] },
  });
  const suppression = { customerId: 'C', scope: 'offer', scopeId: ids.Rested, days: 1, reason: 'asked' };
  await server.create('suppressions', suppression);
  const only = { conditions: [{ field: 'offer.name', operator: 'neq', value: 'C' }] };
  await publish('called', [inventory, { id: 'f', type: 'filter', config: only }, score]);
  const isVip = [{ field: 'attributes.vip', operator: 'eq', value: true }];
  await publish('whole', [
    inventory,
    { id: 'c', type: 'conditional', config: { conditions: isVip, onTrue: { action: 'call_flow', flowKey: 'called' } } },
    { id: 'k', type: 'call_flow', config: { flowKey: 'called', mode: 'narrow' } },
    score,
    { id: 'o', type: 'optimize', config: { weights: { margin: 1 }, combine: 'blend' } },
    { id: 'g', type: 'group', config: { allocation: 'greedy' } },
    { id: 'x', type: 'compute', config: { formulaExtras: [{ key: 'one', formula: '1' }] } },
    { id: 'p', type: 'set_properties', config: { properties: [{ key: 'note', value: 'n' }] } },
  ]);
  await publish('plain', [inventory, score, { id: 'r', type: 'rank', config: { method: 'topN' } }]);
});
after(() => server?.close());

test('sampling is exact: none at 0, all at 1, in between by the seed; never a dry run', async () => {
  const stored = async (requestIds: readonly string[], body: object = {}) => {
    const kept: string[] = [];
    for (const requestId of requestIds) {
      const { trace, requestId: own } = await decide({
        customerId: 'S',
        decisionFlowKey: 'plain',
        limit: 1,
        requestId,
        ...body,
      });
      const found = (await list(`requestId=${own}`)).traces.map(({ id }) => id);
      assert.deepEqual(found, trace.traceId === null ? [] : [trace.traceId]);
      if (trace.traceId !== null) kept.push(own);
    }
    return kept;
  };
  const some = () => Array.from({ length: 24 }, () => randomUUID());
  const all = some();
  assert.deepEqual(await stored(all), all);
  assert.deepEqual(await stored(some(), { dryRun: true }), []);
  await set('tenant-settings', { decisionTraceSampleRate: 0 });
  assert.deepEqual(await stored(some()), []);
  await set('tenant-settings', { decisionTraceSampleRate: 0.5 });
  const half = some();
  assert.deepEqual(
    await stored(half),
    half.filter((requestId) => u(`trace:${requestId}`) < 0.5),
  );
  await set('tenant-settings', { decisionTraceSampleRate: 1, decisionTraceEnabled: false });
  assert.deepEqual(await stored(some()), []);
  await set('tenant-settings', { decisionTraceEnabled: true });
});

test('a trace has every array, and every row its members', async () => {
  const answer = await decide({
    customerId: 'C',
    decisionFlowKey: 'whole',
    segments: ['left'],
    attributes: { vip: true },
    placements: [{ placementId: ids.inbox, limit: 2 }],
  });
  const trace = await traceOf(answer);
  const record = await server.call<Row>('GET', `/api/v1/decisions/${answer.recommendationId}`);
  const said = {
    id: answer.trace.traceId,
    customerId: 'C',
    requestId: answer.requestId,
    recommendationId: answer.recommendationId,
    source: 'recommend',
    decisionFlowKey: 'whole',
    decisionFlowId: answer.decisionFlowId,
    decisionFlowVersion: 1,
    configVersion: answer.freshness.configVersion,
    planHash: record.body.planHash,
    channel: null,
    channelId: null,
    placement: null,
    customerSegments: ['left'],
    controlGroup: false,
    degradedScoring: false,
    experimentAssignment: null,
    totalDurationMs: answer.trace.summary.durationMs,
    summary: answer.trace.summary,
  };
  for (const [name, value] of Object.entries(said)) assert.deepEqual(trace[name], value, name);
  for (const name of ['seed', 'inputsHash', 'createdAt']) assert.equal(typeof trace[name], 'string', name);
  assert.deepEqual(trace.placements, [{ placementId: ids.inbox, limit: 2 }]);
  const [first] = answer.decisions;
  assert.deepEqual(trace.result, {
    count: answer.count,
    topOffer: { offerId: first?.offerId, score: first?.score },
  });

  const keysOf = (rows: readonly object[]) => [...new Set(rows.map((row) => Object.keys(row).sort().join(' ')))];
  assert.deepEqual(keysOf(trace.pipeline), [
    'candidates dropped durationMs method nodeId passed stage topScore warnings',
  ]);
  assert.deepEqual(keysOf(trace.scoringResults), [
    'components contributions creativeWeight evidence exponents method modelKey modelType offerId priority propensitySource rank score shadowScores',
  ]);
  assert.deepEqual(keysOf(trace.selectedOffers), [
    'channelId creativeId interactionId mandatory offerId offerName placementId rank score selection',
  ]);
  assert.deepEqual(keysOf(trace.qualificationResults), [
    'detail offerId passed penalty reason ruleId ruleName ruleType stage status',
  ]);
  assert.deepEqual(keysOf(trace.contactPolicyResults), [
    'blocked detail offerId overriddenBy policyId policyName reason ruleType status',
  ]);
  assert.deepEqual(keysOf(trace.suppressionResults), ['blocked expiresAt offerId policyId reason scope']);
  assert.deepEqual(keysOf(trace.dropped), ['detail nodeId offerId offerName policyId reason ruleId stage']);

  assert.deepEqual(
    trace.selectedOffers.map(({ offerId, rank, score, interactionId, creativeId, placementId }) => ({
      ...{ offerId, rank, score, interactionId, creativeId, placementId },
    })),
    answer.decisions.map(({ offerId, rank, score, interactionId, creativeId, placementId }) => ({
      ...{ offerId, rank, score, interactionId, creativeId, placementId },
    })),
  );
  const scores = trace.scoringResults.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
    'best first',
  );
  const rule = trace.qualificationResults.find(({ offerId }) => offerId === ids.Poor);
  assert.deepEqual([rule?.status, rule?.passed, rule?.ruleId, rule?.ruleName], ['failed', false, ids.rule, 'Rich']);
  const policy = trace.contactPolicyResults.find(({ offerId }) => offerId === ids.Capped);
  assert.deepEqual([policy?.status, policy?.blocked, policy?.policyId], ['blocked', true, ids.policy]);
  const [suppressed] = trace.suppressionResults;
  assert.deepEqual(
    [suppressed?.offerId, suppressed?.blocked, suppressed?.scope, typeof suppressed?.expiresAt],
    [ids.Rested, true, 'offer', 'string'],
  );
  const reasonOf = (name: string) => trace.dropped.find(({ offerId }) => offerId === ids[name])?.reason;
  assert.deepEqual(['C', 'Poor', 'Rested', 'Capped'].map(reasonOf), [
    'filter',
    'qualification',
    'suppressed',
    'contact_policy',
  ]);
  assert.equal(new Set(trace.dropped.map(({ offerId }) => offerId)).size, trace.dropped.length, 'one row an offer');
  const counted = Object.fromEntries(
    [...Map.groupBy(trace.dropped, ({ reason }) => reason)].map(([reason, rows]) => [reason, rows.length]),
  );
  assert.deepEqual(trace.summary.droppedByReason, counted);
});

test('includes each stage by name, with its time: conditions, calls, objectives and groups too', async () => {
  const stagesOf = async (vip: boolean) => {
    const answer = await decide({
      customerId: 'D',
      decisionFlowKey: 'whole',
      attributes: { vip },
      placements: [{ placementId: ids.inbox, limit: 2 }],
    });
    const { pipeline } = await traceOf(answer);
    for (const { durationMs } of pipeline) assert.ok(typeof durationMs === 'number' && durationMs >= 0);
    return pipeline.map(({ stage, nodeId }) => `${stage} ${nodeId}`);
  };
  const plain = await stagesOf(false);
  const vip = await stagesOf(true);
  const named = [
    'conditional c',
    'call_flow:called/filter k/f',
    'optimize o',
    'group g',
    'compute x',
    'set_properties p',
  ];
  for (const name of named) assert.ok(plain.includes(name), `${name} of ${plain}`);
  assert.ok(vip.includes('call_flow:called/filter c.onTrue/f'), `${vip}`);
  assert.ok(!plain.includes('call_flow:called/filter c.onTrue/f'), `${plain}`);
});

test('reports coupling by channel, with what it emptied', async () => {
  const placements = [ids.hero, ids.side, ids.inbox].map((placementId) => ({ placementId, limit: 1 }));
  const excludeOffers = ['A', 'B', 'C', 'Rested', 'Poor'].map((name) => ids[name]);
  const answer = await decide({
    customerId: 'C',
    decisionFlowKey: 'plain',
    placements,
    excludeOffers,
    deduplicate: true,
  });
  const { summary } = await traceOf(answer);
  const rows = new Map(summary.channelCoupling.map((row) => [row.channelId, row]));
  assert.deepEqual([...rows.keys()].sort(), [ids.web, ids.mail].sort(), 'each channel that was asked for');
  const web = rows.get(ids.web);
  assert.deepEqual([web?.mode, web?.source], ['atomic', 'channel']);
  assert.deepEqual([web?.emptyPlacements, web?.suppressedPlacements], [[ids.side], [ids.hero]]);
  assert.equal(rows.get(ids.mail)?.mode, 'partial');
  const keys = 'cascaded channelId emptyPlacements mode source suppressedPlacements';
  for (const row of rows.values()) assert.equal(Object.keys(row).sort().join(' '), keys);
});

test('lists 50 by default, 200 at most, newest first, by customer and request; a row is the whole trace', async () => {
  const answers: RecommendAnswer[] = [];
  for (let at = 0; at < 3; at += 1) answers.push(await decide({ customerId: 'L', decisionFlowKey: 'plain', limit: 1 }));
  const newest = answers.map(({ trace }) => trace.traceId).reverse();
  const all = await list('customerId=L');
  assert.deepEqual([all.total, all.limit, all.offset, all.traces.map(({ id }) => id)], [3, 50, 0, newest]);
  const page = await list('customerId=L&limit=1&offset=1');
  assert.deepEqual([page.total, page.limit, page.offset, page.traces.map(({ id }) => id)], [3, 1, 1, [newest[1]]]);
  assert.deepEqual([(await list('limit=200')).limit, (await list('limit=201')).limit], [200, 200]);
  assert.deepEqual((await list('customerId=L&offset=3')).traces, []);
  assert.deepEqual((await list(`requestId=${answers[1]!.requestId}`)).traces[0], await traceOf(answers[1]!));
  assert.equal((await list(`requestId=${answers[1]!.requestId}&customerId=S`)).total, 0);
  assert.equal((await list('requestId=garbage')).total, 0);
  for (const query of ['limit=0', 'offset=-1', 'limit=x', 'fate=lost', 'source=mail', 'version=0']) {
    assert.equal((await server.call('GET', `/api/v1/decision-traces?${query}`)).status, 400, query);
  }
  const key = server.tenants[1]!.keys.admin;
  const path = `/api/v1/decision-traces/${newest[0]}`;
  assert.equal((await server.call('GET', path, { key })).status, 404);
  assert.equal((await server.call<Page>('GET', '/api/v1/decision-traces', { key })).body.total, 0);
  for (const id of ['garbage', randomUUID()]) {
    assert.equal((await server.call('GET', `/api/v1/decision-traces/${id}`)).status, 404);
  }
});

test('each filter over time and source has traces on both sides', async () => {
  const first = await decide({ customerId: 'T' });
  shiftMs += 1000;
  const second = await decide({ customerId: 'T' });
  const found = async (query: string) => (await list(`customerId=T&${query}`)).traces.map(({ requestId }) => requestId);
  const { createdAt } = await traceOf(second);
  const at = encodeURIComponent(String(createdAt));
  assert.deepEqual(await found(`from=${at}`), [second.requestId]);
  assert.deepEqual(await found(`to=${at}`), [first.requestId]);
  assert.deepEqual(await found('source=recommend'), [second.requestId, first.requestId]);
  assert.deepEqual(await found('source=campaign'), []);
});

test('an explanation comes from the trace, and is the same when the decision has to be repeated', async () => {
  const explained = async (id: string | null) => {
    const { status, body, text } = await server.call<DecisionRecord>(
      'GET',
      `/api/v1/decisions/${id}?include=explanation`,
      { key: server.tenants[0].keys.viewer },
    );
    assert.equal(status, 200, text);
    assert.ok(body.explanation, text);
    return body.explanation;
  };
  const { recommendationId, trace } = await decide({
    customerId: 'C',
    decisionFlowKey: 'whole',
    segments: ['left'],
    attributes: { income: 5, vip: true },
    limit: 2,
  });
  const fromTrace = await explained(recommendationId);
  assert.equal(fromTrace.source, 'trace');
  assert.ok(fromTrace.stages.length > 0 && fromTrace.items.length > 0 && fromTrace.scores.length > 0);
  assert.ok(fromTrace.dropped.some(({ offerId }) => offerId === ids.Capped));
  assert.ok(fromTrace.gates?.policies.some(({ policyId }) => policyId === ids.policy));

  await server.testDatabase.ownerQuery('delete from arbiter.decision_traces where id = $1', [trace.traceId]);
  const repeated = await explained(recommendationId);
  assert.equal(repeated.source, 'replay');
  assert.equal(repeated.summary.durationMs, null);
  const withoutTimes = ({ source, stages, summary, ...rest }: Explanation) => ({
    ...rest,
    stages: stages.map((stage) => ({ ...stage, durationMs: 0 })),
    summary: { ...summary, durationMs: 0 },
  });
  assert.deepEqual(withoutTimes(repeated), withoutTimes(fromTrace));

  const key = server.tenants[1]!.keys.admin;
  const path = `/api/v1/decisions/${recommendationId}`;
  assert.equal((await server.call('GET', `${path}?include=explanation`, { key })).status, 404);
  const plain = await server.call<DecisionRecord>('GET', path);
  assert.ok(!('explanation' in plain.body), plain.text);
  assert.equal((await server.call('GET', `${path}?include=explanations`)).status, 400);
});
