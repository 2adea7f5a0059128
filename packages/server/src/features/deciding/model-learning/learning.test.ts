import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { createOutboxDispatcher } from '../../operations/stream/index.ts';
import { learnReports, learnSilence } from './learn.service.ts';

let server: TestServer;
let world: ModelWorld;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  world = await modelWorld(server, 3);
});
after(() => server.close());

type Arms = Record<string, { alpha: number; beta: number; pulls: number; totalReward: number }>;
const read = async (id: string) => {
  const got = await server.call<{
    modelState: { arms: Arms; totalPulls?: number };
    stateVersion: number;
    stateHash: string;
    trainingSamples: number;
    version: number;
    status: string;
  }>('GET', `/api/v1/algorithm-models/${id}`);
  assert.equal(got.status, 200, got.text);
  return got.body;
};

async function publishOutbox(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

/** Sends one response twice at the same time: one is taken, the other is a repeat or is told that it is under way. */
async function clickTwice({ recommendationId }: RecommendAnswer): Promise<void> {
  const body = { recommendationId, rank: 1, outcome: 'click', idempotencyKey: `${recommendationId}` };
  const sent = await Promise.all([0, 1].map(() => server.call('POST', '/api/v1/respond', { body })));
  const [first, second] = sent.map(({ status }) => status).sort((a, b) => a - b);
  assert.ok(first === 200 && (second === 200 || second === 409), sent.map(({ text }) => text).join());
}

const inTenant = <T>(work: Parameters<typeof server.database.withTenant<T>>[2]) =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

async function learnAll(): Promise<void> {
  await publishOutbox();
  while (await inTenant(learnReports(testLoadPorts.keys)));
}

test('bandits learn each response to what they scored once, by classification or weight, and nothing else', async () => {
  const thompson = await world.create('algorithm-models', {
    key: 'thompson',
    name: 'Thompson',
    modelType: 'thompson_bandit',
    status: 'active',
  });
  const epsilon = await world.create('algorithm-models', {
    key: 'epsilon',
    name: 'Epsilon',
    modelType: 'epsilon_greedy',
    status: 'active',
    outcomeWeights: { click: 2.5, dismiss: 0, convert: -1 },
  });
  await world.publish({ method: 'propensity', modelKey: 'thompson' });
  const answer = await world.recommend('L1', { limit: 3 });
  const offers = answer.decisions.map(({ offerId }) => offerId);
  await world.respond(answer, 1, 'click');
  await world.respond(answer, 1, 'click');
  await world.respond(answer, 2, 'dismiss');
  await world.respond(answer, 3, 'convert');
  // A contact that no model recommended teaches none.
  const contact = { customerId: 'L1', offerId: offers[0], outcome: 'click' };
  assert.equal((await server.call('POST', '/api/v1/respond', { body: contact })).status, 200);
  await learnAll();
  const first = await read(thompson);
  const arms = (state: { arms: Arms }) => offers.map((id) => (id === undefined ? null : (state.arms[id] ?? null)));
  assert.deepEqual(arms(first.modelState), [
    { alpha: 2, beta: 1 },
    { alpha: 1, beta: 2 },
    { alpha: 2, beta: 1 },
  ]);
  assert.deepEqual([first.trainingSamples, first.stateVersion, first.version], [3, 2, 1]);
  assert.deepEqual((await read(epsilon)).modelState.arms, {}, 'it scored nothing');
  // Again and again: nothing is learned twice.
  await learnAll();
  assert.equal((await read(thompson)).stateHash, first.stateHash);

  await world.publish({ method: 'propensity', modelKey: 'epsilon' });
  const second = await world.recommend('L2', { limit: 3 });
  const ids = second.decisions.map(({ offerId }) => offerId);
  await world.respond(second, 1, 'click');
  await world.respond(second, 2, 'dismiss');
  await world.respond(second, 3, 'convert');
  await learnAll();
  const learned = (await read(epsilon)).modelState;
  assert.deepEqual(
    ids.map((id) => (id === undefined ? null : (learned.arms[id] ?? null))),
    [{ totalReward: 2.5, pulls: 2.5 }, null, { totalReward: 0, pulls: 1 }],
  );
  assert.equal(learned.totalPulls, 3.5);
  assert.equal((await read(thompson)).stateHash, first.stateHash, 'another model scored that');
});

test('two nodes that learn at once, or one that dies before its commit, learn each event once', async () => {
  const id = await world.create('algorithm-models', {
    key: 'raced',
    name: 'Raced',
    modelType: 'epsilon_greedy',
    status: 'active',
  });
  await world.publish({ method: 'propensity', modelKey: 'raced' });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => world.recommend(`R${at}`, { limit: 2 })));
  await Promise.all(answers.flatMap((answer) => [clickTwice(answer), world.respond(answer, 2, 'dismiss')]));
  await publishOutbox();
  await assert.rejects(
    inTenant(async (tx) => {
      await learnReports(testLoadPorts.keys)(tx);
      throw new Error('the process died');
    }),
    /died/,
  );
  assert.equal((await read(id)).trainingSamples, 0);
  await Promise.all(Array.from({ length: 6 }, () => inTenant(learnReports(testLoadPorts.keys))));
  const { modelState, trainingSamples } = await read(id);
  assert.equal(trainingSamples, 24);
  const arms = Object.values(modelState.arms);
  assert.equal(
    arms.reduce((sum, { pulls }) => sum + pulls, 0),
    24,
  );
  assert.equal(
    arms.reduce((sum, { totalReward }) => sum + totalReward, 0),
    12,
  );
});

test('an impression without a response counts as reward 0 at the age that the model sets', async () => {
  const id = await world.create('algorithm-models', {
    key: 'silent',
    name: 'Silent',
    modelType: 'thompson_bandit',
    status: 'active',
    learningConfig: { noResponseHours: 2 },
  });
  await world.publish({ method: 'propensity', modelKey: 'silent' });
  const answer = await world.recommend('S1', { limit: 2 });
  await world.respond(answer, 1, 'click');
  await learnAll();
  while (await inTenant(learnSilence(testLoadPorts.keys)));
  const [answered, silent] = answer.decisions.map(({ offerId }) => offerId);
  assert.equal((await read(id)).trainingSamples, 1, 'too young');
  await server.testDatabase.ownerQuery(
    `update arbiter.model_decisions set made_at = now() - interval '121 minutes' where model_id = $1`,
    [id],
  );
  await server.testDatabase.ownerQuery(
    `update arbiter.model_states set silent_to = now() - interval '1 day' where model_id = $1`,
    [id],
  );
  while (await inTenant(learnSilence(testLoadPorts.keys)));
  await inTenant(learnSilence(testLoadPorts.keys));
  const { modelState, trainingSamples } = await read(id);
  assert.equal(trainingSamples, 2);
  assert.deepEqual(modelState.arms, {
    [answered ?? '']: { alpha: 2, beta: 1 },
    [silent ?? '']: { alpha: 1, beta: 2 },
  });
});

test("a paused model learns nothing, and doesn't catch up later", async () => {
  const id = await world.create('algorithm-models', {
    key: 'paused',
    name: 'Paused',
    modelType: 'thompson_bandit',
    status: 'active',
  });
  await world.publish({ method: 'propensity', modelKey: 'paused' });
  const answer = await world.recommend('P1', { limit: 1 });
  const set = async (status: string) =>
    assert.equal((await server.call('PUT', `/api/v1/algorithm-models/${id}`, { body: { status } })).status, 200);
  await set('paused');
  await world.respond(answer, 1, 'click');
  await learnAll();
  await set('active');
  await learnAll();
  assert.equal((await read(id)).trainingSamples, 0);
  await world.respond(answer, 1, 'dismiss');
  await learnAll();
  assert.equal((await read(id)).trainingSamples, 1);
});

test('a decision replays on its state after the model has learned more and was reset', async () => {
  const id = await world.create('algorithm-models', {
    key: 'replayed',
    name: 'Replayed',
    modelType: 'thompson_bandit',
    status: 'active',
  });
  await world.publish({ method: 'propensity', modelKey: 'replayed' });
  const answer = await world.recommend('Y1', { limit: 3 });
  assert.deepEqual(
    answer.decisions.map(({ modelKey, modelType, propensitySource }) => [modelKey, modelType, propensitySource]),
    answer.decisions.map(() => ['replayed', 'thompson_bandit', 'model']),
  );
  const before = await read(id);
  const record = await server.call<{ inputs: { modelStates: Record<string, string> } }>(
    'GET',
    `/api/v1/decisions/${answer.recommendationId}?include=inputs`,
  );
  assert.deepEqual(record.body.inputs.modelStates, { replayed: before.stateHash });
  for (const rank of [1, 2, 3]) await world.respond(answer, rank, 'click');
  await learnAll();
  const learned = await read(id);
  assert.notEqual(learned.stateHash, before.stateHash);
  await world.replays(answer);
  const reset = await server.call<{ status: string; version: number; modelState: object }>(
    'POST',
    `/api/v1/algorithm-models/${id}/reset-learning`,
  );
  assert.deepEqual([reset.status, reset.body.status, reset.body.version], [200, 'draft', 3], reset.text);
  assert.deepEqual(reset.body.modelState, { arms: {} });
  const snapshot = await server.call<{ modelState: object }>('GET', `/api/v1/algorithm-models/${id}/versions/2`);
  assert.deepEqual(snapshot.body.modelState, learned.modelState);
  await world.replays(answer);
  // A deleted record can't be replayed, and says so.
  await server.testDatabase.ownerQuery(`delete from arbiter.model_state_bodies where encode(hash, 'hex') = $1`, [
    before.stateHash,
  ]);
  const corrupt = await server.call('POST', `/api/v1/decisions/${answer.recommendationId}/replay`, { body: {} });
  assert.deepEqual([corrupt.status, corrupt.body.code], [409, 'record_corrupt']);
});

test('another tenant learns nothing from it', async () => {
  const [own, other] = server.tenants;
  const rows = (tenantId: string) =>
    server.database.withTenant(tenantId, systemActor('test'), (tx) =>
      tx.query<{ states: number; bodies: number; decisions: number }>(
        `select (select count(*) from model_states)::int as states, (select count(*) from model_state_bodies)::int as bodies,
           (select count(*) from model_decisions)::int as decisions`,
      ),
    );
  assert.deepEqual(await rows(other?.id ?? ''), [{ states: 0, bodies: 0, decisions: 0 }]);
  const [held] = await rows(own.id);
  assert.ok(held !== undefined && held.states > 0 && held.bodies > 0 && held.decisions > 0);
});
