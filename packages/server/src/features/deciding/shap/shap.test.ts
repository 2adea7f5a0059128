import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DecisionShap, ModelShap } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';

let server: TestServer;
let world: ModelWorld;
let modelId: string;
const models = '/api/v1/algorithm-models';

const leaf = (leaf_value: number, leaf_count: number) => ({ leaf_value, leaf_count });
/** X10 of the design, and a tree that reads the offer. */
const modelState = {
  feature_names: ['f0', 'f1', 'offer.priority'],
  objective: 'binary',
  init_score: -1,
  trees: [
    {
      tree_structure: {
        split_feature: 'f0',
        threshold: 40,
        internal_count: 100,
        left_child: {
          split_feature: 'f1',
          threshold: 2,
          internal_count: 60,
          left_child: leaf(-0.4, 45),
          right_child: leaf(0.2, 15),
        },
        right_child: {
          split_feature: 'f1',
          threshold: 5,
          internal_count: 40,
          left_child: leaf(0.1, 10),
          right_child: leaf(0.9, 30),
        },
      },
    },
    {
      tree_structure: {
        split_feature: 'offer.priority',
        threshold: 85,
        internal_count: 4,
        left_child: leaf(0, 2),
        right_child: leaf(0.5, 2),
      },
    },
  ],
};

before(async () => {
  server = await startTestServer({ tenants: 2 });
  world = await modelWorld(server, 3);
  const settings = await server.call('PUT', '/api/v1/tenant-settings', {
    body: { decisionTraceEnabled: true, decisionTraceSampleRate: 1 },
  });
  assert.equal(settings.status, 200, settings.text);
  modelId = await world.create('algorithm-models', {
    key: 'boosted',
    name: 'Boosted',
    modelType: 'gradient_boosted',
    status: 'active',
  });
  const put = await server.call('PUT', `${models}/${modelId}`, { body: { modelState } });
  assert.equal(put.status, 200, put.text);
  const published = await world.publish({
    method: 'propensity',
    modelKey: 'boosted',
    propensitySource: 'model_first',
    computeShap: true,
  });
  assert.equal(published.status, 200, published.text);
});
after(() => server.close());

type Problem = { readonly code: string; readonly errors: readonly { readonly path: string }[] };
const explain = (id: string, body: object, key?: string) =>
  server.call<DecisionShap & Problem>('POST', `/api/v1/decisions/${id}/shap`, {
    body,
    ...(key === undefined ? {} : { key }),
  });
const optIn = async (llmExplanationsEnabled: boolean, key?: string) => {
  const changed = await server.call('PUT', '/api/v1/tenant-settings', {
    body: { aiAnalyzerSettings: { llmExplanationsEnabled } },
    ...(key === undefined ? {} : { key }),
  });
  assert.equal(changed.status, 200, changed.text);
};
/** A decision, with its id. */
async function decide(customerId: string, body: object = {}) {
  const answer = await world.recommend(customerId, body);
  return { ...answer, recommendationId: String(answer.recommendationId) };
}
const unknown = '00000000-0000-4000-8000-000000000000';

test('reveals nothing before the tenant has opted in', async () => {
  for (const id of [unknown, 'nonsense', (await decide('C0')).recommendationId]) {
    const answer = await explain(id, { modelId: unknown, attributes: {} });
    assert.deepEqual([answer.status, answer.body.code], [403, 'explanations_not_enabled'], answer.text);
  }
  const ofModel = await server.call<Problem>('POST', `${models}/${unknown}/shap`, { body: {} });
  assert.deepEqual([ofModel.status, ofModel.body.code], [403, 'explanations_not_enabled']);
});

test('explains what the decision read, and replays it to the same bytes', async () => {
  await optIn(true);
  const answer = await decide('C1', { attributes: { f0: 35, f1: 3 } });
  await world.replays(answer);
  const explained = await explain(answer.recommendationId, { modelId, offerId: world.offers[0], attributes: {} });
  assert.equal(explained.status, 200, explained.text);
  const { decisionTraceId, ...body } = explained.body;
  assert.deepEqual(body, {
    modelId,
    modelName: 'Boosted',
    offerId: world.offers[0],
    shapValues: { f0: -0.17, f1: 0.24, 'offer.priority': 0.25 },
    baseline: -0.62,
    rawMargin: -0.3,
    additivityResidual: body.additivityResidual,
    featureCount: 3,
    method: 'tree_path_dependent',
    coverSource: 'data',
    score: 0.425557,
  });
  assert.ok(body.additivityResidual <= 1e-9);
  const scored = answer.decisions.find(({ offerId }) => offerId === world.offers[0]);
  assert.equal(scored?.score, 0.425557);
  for (const id of [decisionTraceId!, answer.requestId]) {
    assert.deepEqual((await explain(id, { modelId, offerId: world.offers[0], attributes: {} })).body, explained.body);
  }
  const trace = await server.call<Record<string, { offerId: string; contributions: unknown }[]>>(
    'GET',
    `/api/v1/decision-traces/${decisionTraceId}`,
  );
  assert.deepEqual(
    (trace.body.scoringResults ?? []).find(({ offerId }) => offerId === world.offers[0])?.contributions,
    [
      { feature: 'offer.priority', value: 0.25 },
      { feature: 'f1', value: 0.24 },
      { feature: 'f0', value: -0.17 },
    ],
  );
});

test('explains given attributes; absent or unsuitable ones are missing, and so is an unnamed offer', async () => {
  const { recommendationId } = await decide('C2');
  const given = await explain(recommendationId, { modelId, attributes: { f0: 35, f1: 3 } });
  assert.deepEqual(
    [given.body.offerId, given.body.shapValues],
    [null, { f0: -0.17, f1: 0.24, 'offer.priority': -0.25 }],
  );
  const absent = await explain(recommendationId, { modelId, attributes: { f1: 'three', extra: true } });
  const missing = await explain(recommendationId, { modelId, attributes: { f0: null } });
  assert.deepEqual(absent.body.shapValues, missing.body.shapValues);
  assert.equal(absent.body.rawMargin, -1.4);
});

test('rounds to the requested decimals; 0 leaves the numbers as they are', async () => {
  const { recommendationId } = await decide('C3');
  const values = async (round?: number) =>
    (
      await explain(recommendationId, {
        modelId,
        attributes: { f0: 35, f1: 3 },
        ...(round === undefined ? {} : { round }),
      })
    ).body;
  assert.equal((await values(2)).score, 0.31);
  assert.equal((await values(15)).score, 0.310025518872388);
  const raw = await values(0);
  const sum = Object.values(raw.shapValues).reduce((total, value) => total + value, raw.baseline);
  assert.ok(Math.abs(sum - raw.rawMargin) <= 1e-9);
  assert.notEqual(raw.score, (await values()).score);
});

test("rejects what it can't explain, in the order of the contract", async () => {
  const { recommendationId } = await decide('C4');
  const scorecard = await world.create('algorithm-models', { key: 'card', name: 'Card', modelType: 'scorecard' });
  const untrained = await world.create('algorithm-models', {
    key: 'bare',
    name: 'Bare',
    modelType: 'gradient_boosted',
  });
  const cases: readonly [id: string, body: object, status: number, code: string][] = [
    [unknown, { modelId, attributes: {} }, 404, 'not_found'],
    ['nonsense', { modelId, attributes: {} }, 404, 'not_found'],
    [recommendationId, { modelId: unknown, attributes: {} }, 404, 'not_found'],
    [recommendationId, { modelId, offerId: unknown, attributes: {} }, 404, 'not_found'],
    [recommendationId, { modelId: scorecard, attributes: {} }, 400, 'model_unsupported'],
    [recommendationId, { modelId: untrained, attributes: {} }, 400, 'model_unsupported'],
    [recommendationId, { modelId }, 400, 'validation_failed'],
    [recommendationId, { attributes: {} }, 400, 'validation_failed'],
    [recommendationId, { modelId, attributes: {}, round: 16 }, 400, 'validation_failed'],
    [recommendationId, { modelId, attributes: {}, round: 1.5 }, 400, 'validation_failed'],
    [recommendationId, { modelId, attributes: {}, round: -1 }, 400, 'validation_failed'],
  ];
  for (const [id, body, status, code] of cases) {
    const answer = await explain(id, body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${JSON.stringify(body)}: ${answer.text}`);
  }
  const other = server.tenants[1]!.keys.admin;
  await optIn(true, other);
  const foreign = await explain(recommendationId, { modelId, attributes: {} }, other);
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found']);
});

test('writes the audit row of the contract', async () => {
  const { recommendationId } = await decide('C5');
  const { body } = await explain(recommendationId, { modelId, offerId: world.offers[1], attributes: {} });
  const log = await server.call<{
    data: { entityId: string; entityType: string; changes: Record<string, { after: unknown }> }[];
  }>('GET', '/api/v1/audit-logs?action=compute_shap&limit=1');
  const [row] = log.body.data;
  assert.deepEqual([row?.entityType, row?.entityId], ['decision_trace', body.decisionTraceId]);
  const changes = Object.fromEntries(Object.entries(row!.changes).map(([name, change]) => [name, change.after]));
  const { modelName, offerId, featureCount, baseline, rawMargin, additivityResidual } = body;
  assert.deepEqual(changes, { modelId, modelName, offerId, featureCount, baseline, rawMargin, additivityResidual });
});

test('has no recorded inputs of an erased customer, but accepts given ones', async () => {
  const { recommendationId } = await decide('Erased', { attributes: { f0: 35, f1: 3 } });
  const erased = await server.call('DELETE', '/api/v1/customers/Erased/data?scope=all', {
    headers: { 'x-confirm-delete': 'Erased' },
  });
  assert.equal(erased.status, 200, erased.text);
  const recorded = await explain(recommendationId, { modelId, attributes: {} });
  assert.deepEqual([recorded.status, recorded.body.code], [409, 'inputs_unavailable'], recorded.text);
  const given = await explain(recommendationId, { modelId, attributes: { f0: 35, f1: 3 } });
  assert.deepEqual([given.status, given.body.decisionTraceId], [200, null]);
});

test('explains a model over recent decisions, with the results of its scores', async () => {
  const high = await decide('C6', { attributes: { f0: 50, f1: 9 } });
  await world.respond(high, 1, 'accept');
  const answer = await server.call<ModelShap>('POST', `${models}/${modelId}/shap`, { body: { sampleSize: 500 } });
  assert.equal(answer.status, 200, answer.text);
  const { body } = answer;
  assert.ok(body.sampleSize >= 18);
  assert.equal(body.baseline, -0.62);
  assert.deepEqual(body.features.map(({ feature }) => feature).toSorted(), ['f0', 'f1', 'offer.priority']);
  for (const [at, { meanAbsolute }] of body.features.entries()) {
    assert.ok(at === 0 || meanAbsolute <= body.features[at - 1]!.meanAbsolute);
  }
  assert.equal(body.calibration.length, 10);
  assert.equal(
    body.calibration.reduce((sum, { count }) => sum + count, 0),
    body.sampleSize,
  );
  // -1 + 0.9 + 0.5, and without the tree of the offer -0.1.
  const [accepted] = body.calibration.filter(({ positives }) => positives === 1);
  assert.equal(accepted?.from, 0.5);
  const small = await server.call<ModelShap>('POST', `${models}/${modelId}/shap`, { body: { sampleSize: 2 } });
  assert.equal(small.body.sampleSize, 2);
});

test('allows 30 explanations a minute per tenant', async () => {
  const { recommendationId } = await decide('C7');
  const statuses = new Set<number>();
  for (let at = 0; at < 31; at++) {
    const { status } = await explain(recommendationId, { modelId, attributes: { f0: 1 } });
    statuses.add(status);
    if (status === 429) break;
  }
  assert.deepEqual([...statuses].toSorted(), [200, 429]);
});
