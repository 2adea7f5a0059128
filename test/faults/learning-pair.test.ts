// Runs in one of 2 turns: caps, acknowledged writes and keys are tested in each (cap-*, kill, database, keyed-work-kill).

// Two processes learn at the same time: models learn each outcome once, both processes have the same state, and each replays
// decisions that the other made with an earlier one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson, type Json } from '@arbiter/engine';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { type Caller, itemsOf, must } from './api.ts';
import { type Pair, pairKinds, startPair } from './pair.ts';
import { createInstallation, type Installation } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

/** Outcomes that each model learns from both processes. */
const outcomes = sized('LEARNING_OUTCOMES', { short: 100, long: 1_000 });
/** Concurrent requests. */
const parallel = 20;
/** How long the models may take to learn. The schedule that finds what a stopped process left behind runs each minute. */
const patienceMs = 120_000;

const predictors = ['age', 'offer.priority'];
const logisticState = {
  ...{ bias: 0, weights: { age: 0.5, 'offer.priority': 0.2 }, categories: {} },
  ...{ means: { age: 40, 'offer.priority': 70 }, stds: { age: 10, 'offer.priority': 10 } },
};
const split = { split_feature: 0, threshold: 40, left_child: { leaf_value: -1 }, right_child: { leaf_value: 1 } };
const forest = { feature_names: ['age'], objective: 'binary', init_score: 0, trees: [{ tree_structure: split }] };
const binEdges = { age: [30, 50], 'offer.priority': [75] };
const models: Readonly<Record<string, { readonly body: object; readonly state?: object; readonly next?: object }>> = {
  thompson_bandit: { body: {} },
  epsilon_greedy: { body: {} },
  bayesian: { body: { predictors, config: { binEdges }, autoLearn: true, learnMode: 'continuous' } },
  online_learner: { body: { predictors } },
  scorecard: { body: { config: { rules: [{ id: 'a', field: 'age', operator: 'gte', value: 30, points: 9 }] } } },
  logistic_regression: { body: { predictors }, state: logisticState, next: { ...logisticState, bias: 3 } },
  gradient_boosted: { body: { predictors: ['age'] }, state: forest, next: { ...forest, init_score: 2 } },
};
const learning = ['thompson_bandit', 'epsilon_greedy', 'bayesian', 'online_learner'];

interface ShownModel {
  readonly trainingSamples: number;
  readonly stateHash: string;
  readonly modelState: { readonly [key: string]: Json };
}

const idOf = async (made: Promise<Readonly<Record<string, unknown>>>): Promise<string> => String((await made).id);

/** Creates two offers, and for each model type a model and a flow that scores with it. Returns the models' ids by type. */
async function load(call: Caller): Promise<ReadonlyMap<string, string>> {
  const create = (path: string, body: object) => idOf(must(call('POST', `/v1/${path}`, body)));
  const channelId = await create('channels', { name: 'Web', channelType: 'web', impressionMode: 'implicit' });
  for (const priority of [80, 60]) {
    const offerId = await create('offers', { name: `Offer ${priority}`, status: 'active', priority });
    await create('creatives', { name: `Creative ${priority}`, offerId, channelId, status: 'active' });
  }
  const ids = new Map<string, string>();
  for (const [modelType, { body, state }] of Object.entries(models)) {
    const id = await create('algorithm-models', {
      ...{ key: modelType, name: modelType, modelType, status: 'active', ...body },
    });
    if (state !== undefined) await must(call('PUT', `/v1/algorithm-models/${id}`, { modelState: state }));
    const score = { id: 's', type: 'score', config: { method: 'propensity', modelKey: modelType } };
    const draftConfig = { version: 2, nodes: [{ id: 'i', type: 'inventory' }, score] };
    const flow = await create('decision-flows', { key: modelType, name: modelType, draftConfig });
    await must(call('POST', '/v1/decision-flows/publish', { id: flow }));
    ids.set(modelType, id);
  }
  return ids;
}

const decide = (call: Caller, modelType: string, customerId: string, age: number) =>
  must(call('POST', '/v1/recommend', { customerId, decisionFlowKey: modelType, limit: 2, attributes: { age } }));

const show = async (call: Caller, id: string): Promise<ShownModel> =>
  (await must(call('GET', `/v1/algorithm-models/${id}`))) as unknown as ShownModel;

async function until(what: string, holds: () => Promise<boolean>, pair: Pair): Promise<void> {
  const elapsed = stopwatch();
  while (!(await holds())) {
    assertInTime(elapsed() < patienceMs, `${what}: not within ${patienceMs} ms\n${pair.warnings()}`);
    await sleep(100);
  }
}

for (const kind of pairKinds) {
  describe(`models on ${kind}`, () => {
    let db: TestDatabase;
    let installation: Installation;
    let pair: Pair;
    let nodes: readonly [Caller, Caller];
    let ids: ReadonlyMap<string, string>;
    before(async () => {
      db = await createTestDatabase();
      installation = await createInstallation({ DATABASE_URL: db.url, SCHEDULER: 'on' }, ['Learning']);
      pair = await startPair(installation, kind);
      const { key } = installation.tenants[0]!;
      nodes = [await pair.caller(0, key), await pair.caller(1, key)];
      ids = await load(nodes[0]);
    });
    after(async () => {
      await installation?.stopAll();
      await db?.close();
    });

    /** Asks one process and reports to the other, in turns. Returns how many outcomes were positive. */
    async function teach(modelType: string): Promise<number> {
      let positive = 0;
      const one = async (at: number) => {
        const [asked, told] = at % 2 === 0 ? nodes : ([nodes[1], nodes[0]] as const);
        const answer = await decide(asked, modelType, `${modelType} ${at}`, 20 + (at % 50));
        const outcome = at % 3 === 0 ? 'click' : 'dismiss';
        if (outcome === 'click') positive += 1;
        const [{ interactionId } = assert.fail('nothing was decided')] = itemsOf(answer);
        await must(told('POST', '/v1/respond', { interactionId, outcome }));
      };
      for (let first = 0; first < outcomes; first += parallel) {
        await Promise.all(Array.from({ length: Math.min(parallel, outcomes - first) }, (_, at) => one(first + at)));
      }
      return positive;
    }

    test('counts each outcome once, shares one state, and replays decisions of the other process', async () => {
      const early = new Map<string, Readonly<Record<string, unknown>>>();
      for (const [at, modelType] of Object.keys(models).entries()) {
        early.set(modelType, await decide(nodes[at % 2 === 0 ? 0 : 1], modelType, 'Early', 44));
      }
      const positives = new Map<string, number>();
      await Promise.all(learning.map(async (modelType) => positives.set(modelType, await teach(modelType))));
      for (const modelType of learning) {
        const id = ids.get(modelType)!;
        await until(`${modelType} learns`, async () => (await show(nodes[0], id)).trainingSamples >= outcomes, pair);
        const [one, other] = [await show(nodes[0], id), await show(nodes[1], id)];
        assert.deepEqual([one.trainingSamples, other.trainingSamples], [outcomes, outcomes], modelType);
        const hash = createHash('sha256').update(canonicalJson(one.modelState)).digest('hex');
        assert.deepEqual([one.stateHash, other.stateHash], [hash, hash], modelType);
        assert.equal(positivesIn(modelType, one.modelState), positives.get(modelType), modelType);
      }
      for (const [modelType, { next }] of Object.entries(models)) {
        const model = `/v1/algorithm-models/${ids.get(modelType)!}`;
        if (next !== undefined) await must(nodes[0]('PUT', model, { modelState: next }));
        const answer = early.get(modelType)!;
        for (const call of nodes) {
          const replay = await must(call('POST', `/v1/decisions/${String(answer.recommendationId)}/replay`, {}));
          assert.deepEqual([replay.identical, replay.differences], [true, []], modelType);
        }
      }
    });
  });
}

/** Positive outcomes that a state has counted; the online learner's state doesn't tell. */
function positivesIn(modelType: string, state: ShownModel['modelState']): number | undefined {
  const arms = Object.values((state.arms ?? {}) as Readonly<Record<string, Readonly<Record<string, number>>>>);
  if (modelType === 'thompson_bandit') return arms.reduce((sum, { alpha = 1 }) => sum + alpha - 1, 0);
  if (modelType === 'epsilon_greedy') return arms.reduce((sum, { totalReward = 0 }) => sum + totalReward, 0);
  if (modelType === 'bayesian') return (state.classes as { readonly pos: number }).pos;
  assert.equal(state.n, outcomes);
  return Math.ceil(outcomes / 3);
}
