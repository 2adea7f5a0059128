import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Experiment } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { createTrainingSchema, readModel, runQueue } from './test-training.ts';

// The guard of promotions, by hand and by experiment, with a challenger trained on less data.

const token = 'a token of the guard tests';
const dayMs = 86_400_000;

let now = Date.parse('2026-11-03T12:00:00Z');
let server: TestServer;
let world: ModelWorld;
before(async () => {
  server = await startTestServer({ clock: { now: () => now }, config: { METRICS_TOKEN: token } });
  world = await modelWorld(server, 2);
});
after(() => server?.close());

async function trained(key: string, schema: string, predictors: readonly string[]): Promise<string> {
  const body = { key, name: key, modelType: 'logistic_regression', status: 'active', family: 'accept', predictors };
  const id = await world.create('algorithm-models', body);
  const training = await server.call('POST', `/api/v1/algorithm-models/${id}/train`, {
    body: { datasetSchemaId: schema, targetField: 'accepted', params: { epochs: 30 } },
  });
  assert.equal(training.status, 202, training.text);
  assert.equal(await runQueue(server, 'model.train'), 1);
  return id;
}

const promote = (id: string, toStatus: string) =>
  server.call<{ code: string; breaches: { metric: string }[] }>('POST', `/api/v1/algorithm-models/${id}/promote`, {
    body: { toStatus },
  });

/** Gives the variant customers who saw something today; the first ones convert. */
async function expose(experimentId: string, variant: string, exposed: number, converted: number, at: number) {
  const { ownerQuery } = server.testDatabase;
  await ownerQuery(
    `insert into arbiter.experiment_exposures (tenant_id, experiment_id, customer_id, variant, exposed_at)
     select $1, $2::uuid, $3::text || n, $3, $4 from generate_series(1, $5::int) n`,
    [server.tenants[0].id, experimentId, variant, new Date(now), exposed],
  );
  await ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification,
       direction, occurred_at, created_at)
     select $1, overlay(($5::uuid)::text placing lpad(to_hex(n + $6::int), 12, '0') from 25)::uuid, $2::text || n,
       'response', 'click', 'positive', 'inbound', $3, $3 from generate_series(1, $4::int) n`,
    [server.tenants[0].id, variant, new Date(now), converted, firstIdAt(now), at],
  );
}

test('does not promote a challenger that converts more but predicts worse, by hand or by experiment', async () => {
  const schema = await createTrainingSchema(server, 'people');
  const champion = await trained('sound', schema, ['age', 'job']);
  const challenger = await trained('worse', schema, ['job']);
  const [{ metrics: best }, { metrics: worse }] = [
    await readModel(server, champion),
    await readModel(server, challenger),
  ];
  assert.ok(best?.auc != null && worse?.auc != null && worse.auc < 0.95 * best.auc, `${worse?.auc} of ${best?.auc}`);
  for (const toStatus of ['challenger', 'champion']) assert.equal((await promote(champion, toStatus)).status, 200);
  assert.equal((await promote(challenger, 'challenger')).status, 200);
  const blocked = await promote(challenger, 'champion');
  assert.deepEqual(
    [blocked.status, blocked.body.code, blocked.body.breaches.map(({ metric }) => metric)],
    [409, 'rollback_guard', ['auc_drop']],
  );

  const id = await world.create('experiments', {
    ...{ key: 'x', name: 'X', status: 'active', autoPromote: true, championModelId: champion, trafficSplit: 50 },
    challengers: [{ modelId: challenger, trafficPct: 50 }],
  });
  await expose(id, '__champion__', 1_000, 100, 0);
  await expose(id, 'worse', 1_000, 200, 10_000);
  now += 15 * dayMs;
  const judge = server.jobs.get('experiments.judge');
  assert.ok(judge !== undefined);
  const signal = new AbortController().signal;
  await judge.run({}, { jobId: '1', attempt: 1, dueAt: null, signal }, server.tenants[0].id);
  const { body } = await server.call<Experiment>('GET', `/api/v1/experiments/${id}`);
  assert.deepEqual([body.autoPromoteVerdict, body.status, body.championModelId], ['guard', 'active', champion]);
  assert.equal((await readModel(server, challenger)).registryStatus, 'challenger');
});

test('/metrics counts and times trainings by outcome and type', async () => {
  const read = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, text } = await server.call('GET', '/api/v1/metrics', { key: null, headers });
    assert.equal(status, 200, text);
    return text;
  };
  const valueIn = (text: string, line: string): number =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.slice(line.length + 1) ?? 0,
    );
  const completed = 'svc_model_trainings_total{outcome="completed",modelType="logistic_regression"}';
  const tooFew = 'svc_model_trainings_total{outcome="insufficient_data",modelType="logistic_regression"}';
  const timed = 'svc_model_training_seconds_count{modelType="logistic_regression"}';
  const seconds = 'svc_model_training_seconds_sum{modelType="logistic_regression"}';
  const first = await read();
  await trained('again', await createTrainingSchema(server, 'others'), ['age']);
  await trained('few', await createTrainingSchema(server, 'few', 30), ['age']);
  const last = await read();
  const risen = (line: string): number => valueIn(last, line) - valueIn(first, line);
  assert.deepEqual([risen(completed), risen(tooFew), risen(timed)], [1, 1, 2]);
  assert.ok(risen(seconds) > 0);
});
