import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Json, modelLearn, modelState } from '@arbiter/engine';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { createOutboxDispatcher } from '../../operations/stream/index.ts';
import { learnReports } from './learn.service.ts';

/** Models that learn from values: from those of the decision, never today's, each outcome once. */

let server: TestServer;
let world: ModelWorld;
let people: string;
before(async () => {
  server = await startTestServer();
  world = await modelWorld(server, 2);
  people = await world.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'job', displayName: 'Job', dataType: 'text' },
    ],
  });
});
after(() => server?.close());

const predictors = ['age', { name: 'job', source: 'customer.job', type: 'categorical' }, 'offer.priority'];
const setJob = async (customerId: string, job: string) => {
  const rows = [{ customer_id: customerId, job }];
  const path = `/api/v1/schemas/${people}/data`;
  const stored = await server.call('POST', path, { body: { rows } });
  assert.equal(stored.status, 201, stored.text);
};
const read = async (id: string) =>
  (
    await server.call<{
      modelState: { readonly [key: string]: Json };
      stateHash: string;
      trainingSamples: number;
      stateVersion: number;
    }>('GET', `/api/v1/algorithm-models/${id}`)
  ).body;

const inTenant = <T>(work: Parameters<typeof server.database.withTenant<T>>[2]) =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

async function publishOutbox(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

async function learnAll(): Promise<void> {
  await publishOutbox();
  while (await inTenant(learnReports(testLoadPorts.keys)));
}

const learner = (key: string, modelType: string, more: object = {}) =>
  world.create('algorithm-models', { key, name: key, modelType, status: 'active', predictors, ...more });

test('bayesian and online models learn what the decision read, even after the customer changed', async () => {
  await setJob('C1', 'cook');
  const binEdges = { age: [30, 50], 'offer.priority': [85] };
  const bayes = await learner('bayes', 'bayesian', {
    config: { binEdges },
    autoLearn: true,
    learnMode: 'continuous',
    outcomeWeights: { click: 2 },
  });
  await world.publish({ method: 'propensity', modelKey: 'bayes' });
  const first = await world.recommend('C1', { limit: 2, attributes: { age: 40 } });
  const online = await learner('online', 'online_learner');
  await world.publish({ method: 'propensity', modelKey: 'online' });
  const second = await world.recommend('C1', { limit: 2, attributes: { age: 40 } });
  await setJob('C1', 'pilot');
  for (const answer of [first, second]) {
    await world.respond(answer, 1, 'click');
    await world.respond(answer, 2, 'dismiss');
  }
  await learnAll();
  const priorities = new Map(world.offers.map((id, at) => [id, 90 - at * 10]));
  const lessons = (answer: typeof first, weight: number) =>
    answer.decisions.map(({ offerId }, at) => ({
      offerId,
      reward: at === 0 ? (1 as const) : (0 as const),
      weight: at === 0 ? weight : 1,
      features: { age: 40, job: 'cook', 'offer.priority': priorities.get(offerId)! },
    }));
  const expected = (
    modelType: string,
    config: { readonly [key: string]: Json },
    answer: typeof first,
    weight: number,
  ) => modelLearn(modelType)!(modelState(modelType)!.empty(config), lessons(answer, weight), { config, predictors });
  const learned = await read(bayes);
  assert.deepEqual(learned.modelState, expected('bayesian', { binEdges }, first, 2));
  assert.deepEqual(learned.modelState.categories, { job: ['cook'] });
  assert.deepEqual([learned.trainingSamples, learned.stateVersion], [2, 2]);
  assert.deepEqual((await read(online)).modelState, expected('online_learner', {}, second, 1));
  await learnAll();
  assert.equal((await read(bayes)).stateHash, learned.stateHash, 'nothing is learned twice');
});

test('two processes that learn at once count each outcome once, and end in the same state as one', async () => {
  const raced = await learner('raced', 'online_learner');
  await world.publish({ method: 'propensity', modelKey: 'raced' });
  const answers: Awaited<ReturnType<typeof world.recommend>>[] = [];
  for (let at = 0; at < 15; at++) {
    answers.push(await world.recommend(`R${at}`, { limit: 2, attributes: { age: 20 + at } }));
  }
  for (const [at, answer] of answers.entries())
    await world.respond(answer, 1 + (at % 2), at % 3 === 0 ? 'click' : 'dismiss');
  await publishOutbox();
  await assert.rejects(
    inTenant(async (tx) => {
      await learnReports(testLoadPorts.keys)(tx);
      throw new Error('the process died');
    }),
    /died/,
  );
  await Promise.all(Array.from({ length: 6 }, () => inTenant(learnReports(testLoadPorts.keys))));
  const learned = await read(raced);
  assert.equal(learned.trainingSamples, 15);
  const lessons = answers.map((answer, at) => {
    const { offerId } = answer.decisions[at % 2]!;
    return {
      offerId,
      reward: at % 3 === 0 ? (1 as const) : (0 as const),
      weight: 1,
      features: { age: 20 + at, 'offer.priority': 90 - world.offers.indexOf(offerId) * 10 },
    };
  });
  const alone = modelLearn('online_learner')!(modelState('online_learner')!.empty({}), lessons, {
    config: {},
    predictors,
  });
  assert.deepEqual(learned.modelState, alone);
  for (const answer of answers.slice(0, 3)) await world.replays(answer);
});

test("an erased customer's outcome teaches nothing, and others continue", async () => {
  const wary = await learner('wary', 'online_learner');
  await world.publish({ method: 'propensity', modelKey: 'wary' });
  const [gone, here] = [await world.recommend('Gone', { limit: 1 }), await world.recommend('Here', { limit: 1 })];
  await world.respond(gone, 1, 'click');
  await world.respond(here, 1, 'click');
  await publishOutbox();
  const erased = await server.call('DELETE', '/api/v1/customers/Gone/data?scope=traces', {
    headers: { 'x-confirm-delete': 'Gone' },
  });
  assert.equal(erased.status, 200, erased.text);
  await learnAll();
  assert.equal((await read(wary)).trainingSamples, 1);
});
