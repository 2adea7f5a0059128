import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EvaluationResult, Study, StudyStarted } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../../catalogue/models/test-models.ts';
import { readModel, runQueue } from '../../model-training/test-training.ts';
import { passRewardDays, readStudy, runStudies } from '../test-studies.ts';

/** A draft with a model that has seen the outcomes it would be judged by. */

let server: TestServer;
let world: ModelWorld;
let modelId: string;
/** Between the decisions that the model was trained on and the others. */
let boundary: string;
let start: string;

const decide = async (name: string): Promise<void> => {
  for (let at = 0; at < 30; at += 1) {
    const answer = await world.recommend(`${name}${at}`, { limit: 1, attributes: { age: 20 + at, job: 'cook' } });
    await world.respond(answer, 1, at % 2 === 0 ? 'click' : 'dismiss');
  }
};

before(async () => {
  server = await startTestServer();
  world = await modelWorld(server, 3);
  await world.publish({ method: 'priority_weighted' });
  start = new Date().toISOString();
  await decide('Seen ');
  boundary = new Date(Date.now() + 1).toISOString();
  while (new Date().toISOString() <= boundary) await new Promise(setImmediate);
  await decide('Unseen ');
  modelId = await world.create('algorithm-models', {
    ...{ key: 'fresh', name: 'Fresh', modelType: 'bayesian', status: 'active', predictors: ['age', 'job'] },
    outcomeWeights: { click: 1 },
  });
  const trained = await server.call('POST', `/api/v1/algorithm-models/${modelId}/train`, { body: { to: boundary } });
  assert.equal(trained.status, 202, trained.text);
  assert.equal(await runQueue(server, 'model.train'), 1);
  assert.equal((await readModel(server, modelId)).training?.status, 'completed');
  const draftConfig = {
    version: 2,
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 's', type: 'score', config: { method: 'propensity', modelKey: 'fresh' } },
    ],
  };
  const changed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: world.flow, draftConfig } });
  assert.equal(changed.status, 200, changed.text);
});
after(() => server?.close());

async function evaluate(from: string, to: string): Promise<EvaluationResult> {
  const body = { version: 'draft', from, to, reward: 'positive', rewardDays: 1 };
  const started = await server.call<StudyStarted>('POST', '/api/v1/decision-flows/models/evaluate', { body });
  assert.equal(started.status, 202, started.text);
  await passRewardDays(server, started.body.studyId);
  await runStudies(server);
  const study = await readStudy<Study & { readonly result: EvaluationResult | null }>(server, started.body.studyId);
  assert.ok(study.result !== null, JSON.stringify(study.error));
  return study.result;
}

const later = () => new Date(Date.now() + 60_000).toISOString();

test('refuses a draft whose model was trained on outcomes of the range, with the earliest possible start', async () => {
  const { verdict, reasons, estimates, needed } = await evaluate(start, later());
  assert.deepEqual([verdict, reasons[0], estimates], ['refused', 'trained_on_window', null]);
  assert.deepEqual(needed, { explore: null, days: null, from: boundary });
  const first = await evaluate(start, boundary);
  assert.equal(first.reasons[0], 'trained_on_window');
});

test('accepts outcomes from the end of the training on', async () => {
  const { reasons, needed, excluded } = await evaluate(boundary, later());
  assert.ok(!reasons.includes('trained_on_window'), JSON.stringify(reasons));
  assert.equal(needed?.from, null);
  // Their records don't have the model's state, so another reason remains.
  assert.deepEqual(
    [reasons.includes('selection') || reasons.includes('no_decisions'), excluded.notEvaluable],
    [true, { state_missing: 30 }],
  );
});

test('outcomes from before the training’s own range count as unseen', async () => {
  const again = await server.call('POST', `/api/v1/algorithm-models/${modelId}/train`, { body: { from: boundary } });
  assert.equal(again.status, 202, again.text);
  await runQueue(server, 'model.train');
  const { needed } = await evaluate(boundary, later());
  assert.ok(needed?.from != null && needed.from > boundary, JSON.stringify(needed));
});
