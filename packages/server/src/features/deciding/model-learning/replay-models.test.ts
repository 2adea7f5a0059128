import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { createOutboxDispatcher } from '../../operations/stream/index.ts';
import { learnReports } from './learn.service.ts';

/**
 * A decision that a model of each type scored replays byte for byte, whatever becomes of the model. Another process and
 * random catalogues are tested by test/replays.
 */

/** Outcomes that the models learn after the decision. */
const furtherUpdates = sized('FURTHER_UPDATES', { short: 200, long: 1_000 });
/** Outcomes that one decision brings. */
const offers = 4;

let server: TestServer;
let world: ModelWorld;
before(async () => {
  server = await startTestServer();
  world = await modelWorld(server, offers);
});
after(() => server?.close());

const predictors = ['age', 'offer.priority'];
const binEdges = { age: [30, 50], 'offer.priority': [75] };
const logisticState = {
  bias: 0,
  weights: { age: 0.5, 'offer.priority': 0.2 },
  means: { age: 40, 'offer.priority': 70 },
  stds: { age: 10, 'offer.priority': 10 },
  categories: {},
};
const forest = {
  feature_names: ['age'],
  objective: 'binary',
  init_score: 0,
  trees: [
    {
      tree_structure: {
        split_feature: 0,
        threshold: 40,
        left_child: { leaf_value: -1 },
        right_child: { leaf_value: 1 },
      },
    },
  ],
};
/** States that training would make, and others that follow. */
const trainedStates: Readonly<Record<string, readonly [first: object, next: object]>> = {
  logistic_regression: [logisticState, { ...logisticState, bias: 3 }],
  gradient_boosted: [forest, { ...forest, init_score: 2 }],
};
const types: Readonly<Record<string, object>> = {
  scorecard: { config: { rules: [{ id: 'a', field: 'age', operator: 'gte', value: 30, points: 9 }] } },
  bayesian: { predictors, config: { binEdges }, autoLearn: true, learnMode: 'continuous' },
  logistic_regression: { predictors },
  gradient_boosted: { predictors: ['age'] },
  thompson_bandit: {},
  epsilon_greedy: {},
  online_learner: { predictors },
};

const put = async (id: string, body: object) => {
  const done = await server.call('PUT', `/api/v1/algorithm-models/${id}`, { body });
  assert.equal(done.status, 200, done.text);
};
const promote = async (id: string, toStatus: string) => {
  const done = await server.call('POST', `/api/v1/algorithm-models/${id}/promote`, { body: { toStatus } });
  assert.equal(done.status, 200, done.text);
};
const hashOf = async (id: string) =>
  (await server.call<{ stateHash: string }>('GET', `/api/v1/algorithm-models/${id}`)).body.stateHash;

async function learnAll(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  const learn = () =>
    server.database.withTenant(server.tenants[0].id, systemActor('test'), learnReports(testLoadPorts.keys));
  while (await learn());
}

/** Lets the model that scores learn as many outcomes. */
async function learnMore(modelType: string): Promise<void> {
  const all = Array.from({ length: furtherUpdates / offers }, (_, at) => at);
  for (let first = 0; first < all.length; first += 10) {
    await Promise.all(
      all.slice(first, first + 10).map(async (at) => {
        const answer = await world.recommend(`${modelType}-${at}`, {
          limit: offers,
          attributes: { age: 20 + (at % 50) },
        });
        for (let rank = 1; rank <= answer.decisions.length; rank++) {
          await world.respond(answer, rank, (at + rank) % 3 === 0 ? 'click' : 'dismiss');
        }
      }),
    );
  }
  await learnAll();
}

const decided: RecommendAnswer[] = [];

/** A decision scores with the state that the model has. */
async function scoresAsAsked(id: string, answer: RecommendAnswer): Promise<void> {
  for (const { offerId, score } of answer.decisions) {
    const body = { attributes: { age: 44 }, offerId };
    const asked = await server.call<{ score: number }>('POST', `/api/v1/algorithm-models/${id}/score`, { body });
    assert.equal(score, asked.body.score, asked.text);
    assert.notEqual(score, 0.5);
  }
}

for (const [modelType, more] of Object.entries(types)) {
  test(`${modelType}: decisions replay after updates, promotion, erasure and deletion`, async () => {
    const body = { key: modelType, name: modelType, modelType, status: 'active', family: `of-${modelType}` };
    const id = await world.create('algorithm-models', { ...body, ...more });
    const [trained, next] = trainedStates[modelType] ?? [];
    if (trained !== undefined) await put(id, { modelState: trained });
    await world.publish({ method: 'propensity', modelKey: modelType });
    const answer = await world.recommend('Kept', { limit: 3, attributes: { age: 44 } });
    assert.deepEqual(
      answer.decisions.map(({ modelKey, propensitySource }) => [modelKey, propensitySource]),
      answer.decisions.map(() => [modelType, 'model']),
    );
    decided.push(answer);
    if (trained !== undefined) await scoresAsAsked(id, answer);
    const before = await hashOf(id);
    const learns = modelType !== 'scorecard' && trained === undefined;
    if (learns) {
      await learnMore(modelType);
      const { trainingSamples } = (
        await server.call<{ trainingSamples: number }>('GET', `/api/v1/algorithm-models/${id}`)
      ).body;
      assert.equal(trainingSamples, furtherUpdates);
      assert.notEqual(await hashOf(id), before);
    } else if (next !== undefined) {
      await put(id, { modelState: next });
      assert.notEqual(await hashOf(id), before);
    }
    await world.replays(answer);
    for (const toStatus of ['challenger', 'champion']) await promote(id, toStatus);
    await world.replays(answer);
    const other = await world.create('algorithm-models', { ...body, key: `${modelType}-2`, ...more });
    for (const toStatus of ['challenger', 'champion']) await promote(other, toStatus);
    await world.replays(answer);
    if (modelType === 'scorecard') return;
    // The flow names something else, so that the model may be deleted; its states stay.
    await world.publish({ method: 'priority_weighted' });
    assert.equal((await server.call('DELETE', `/api/v1/algorithm-models/${id}`)).status, 204);
    await world.replays(answer);
  });
}

test('decisions still replay after others were erased', async () => {
  for (const modelType of Object.keys(types)) {
    const customerId = `${modelType}-0`;
    const erased = await server.call('DELETE', `/api/v1/customers/${customerId}/data?scope=everything`, {
      headers: { 'x-confirm-delete': customerId },
    });
    assert.equal(erased.status, 200, erased.text);
  }
  assert.equal(decided.length, Object.keys(types).length);
  for (const answer of decided) await world.replays(answer);
});
