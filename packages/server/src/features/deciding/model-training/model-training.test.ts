import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ModelDrift } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { createTrainingSchema, readModel, runQueue } from './test-training.ts';

let server: TestServer;
let world: ModelWorld;
let schema: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  world = await modelWorld(server, 3);
  schema = await createTrainingSchema(server, 'people');
});
after(() => server?.close());

const path = (id: string, action: string) => `/api/v1/algorithm-models/${id}/${action}`;
const train = (id: string, body: object = {}, key?: string) =>
  server.call<{ jobId: string; status: string; code: string; errors: { path: string }[] }>('POST', path(id, 'train'), {
    body,
    ...(key === undefined ? {} : { key }),
  });
const model = (key: string, modelType: string, more: object = {}) =>
  world.create('algorithm-models', { key, name: key, modelType, predictors: ['age', 'job'], ...more });
const onPeople = () => ({ datasetSchemaId: schema, targetField: 'accepted' });
const runJobs = () => runQueue(server, 'model.train');

test('a model trains on the rows of a schema: a new version, metrics, a scoring state, and the same again', async () => {
  const id = await model('trained', 'logistic_regression', { status: 'active' });
  const asked = await train(id, { ...onPeople(), params: { epochs: 30 } });
  assert.deepEqual([asked.status, asked.body.status], [202, 'queued'], asked.text);
  const queued = await readModel(server, id);
  assert.deepEqual(
    [queued.training?.status, queued.training?.jobId, queued.metrics],
    ['queued', asked.body.jobId, null],
  );
  assert.equal(await runJobs(), 1);
  const trained = await readModel(server, id);
  assert.deepEqual(
    [trained.version, trained.status, trained.training?.status, trained.training?.progress, trained.trainingSamples],
    [2, 'active', 'completed', 1, 240],
  );
  assert.ok(trained.metrics?.auc != null && trained.metrics.auc > 0.8, JSON.stringify(trained.metrics));
  assert.equal(trained.metrics.samples, 60);
  assert.deepEqual(
    trained.metricsHistory.map(({ version, trainingSamples }) => [version, trainingSamples]),
    [[2, 240]],
  );
  assert.equal(trained.lastTrainedAt, trained.training?.finishedAt);
  const score = (age: number) =>
    server.call<{ score: number; explanations: { feature: string }[] }>('POST', path(id, 'score'), {
      body: { attributes: { age, job: 'cook' } },
    });
  const [old, young] = [await score(75), await score(22)];
  assert.ok(old.body.score > 0.7 && young.body.score < 0.3, `${old.text} ${young.text}`);
  assert.deepEqual(
    old.body.explanations.map(({ feature }) => feature),
    ['age', 'job'],
  );
  const version = await server.call<{ modelState: object }>('GET', `${path(id, 'versions')}/2`);
  assert.deepEqual(version.body.modelState, trained.modelState);
  const logs = await server.call<{ data: { action: string }[] }>('GET', `/api/v1/audit-logs?entityId=${id}`);
  assert.deepEqual(
    logs.body.data.map(({ action }) => action),
    ['train', 'train', 'create'],
  );

  // Another training of a model with the same key and version has the same seed.
  const twin = await model('trained-twin', 'logistic_regression');
  await train(twin, { ...onPeople(), params: { epochs: 30 } });
  await runJobs();
  const other = await readModel(server, twin);
  assert.notEqual(other.stateHash, trained.stateHash, 'another key draws another order');
  assert.deepEqual(Object.keys(other.modelState ?? {}).sort(), Object.keys(trained.modelState ?? {}).sort());
});

test('reads the rows of a schema page by page, each once', async () => {
  const count = 10_001;
  const datasetSchemaId = await createTrainingSchema(server, 'many_people', count);
  const id = await model('of-many', 'bayesian');
  await train(id, { ...onPeople(), datasetSchemaId });
  await runJobs();
  const trained = await readModel(server, id);
  assert.equal((trained.trainingSamples ?? 0) + (trained.metrics?.samples ?? 0), count);
});

test('a bayesian model trains, and learns from there', async () => {
  const id = await model('bayes', 'bayesian', { targetSchemaKey: 'people', targetField: 'accepted' });
  assert.equal((await train(id)).status, 202);
  await runJobs();
  const { modelState, metrics } = await readModel(server, id);
  assert.ok(metrics?.auc != null && metrics.auc > 0.8);
  assert.equal(modelState?.n, 240);
  assert.deepEqual(modelState?.categories, { job: ['cook', 'nurse', 'pilot'] });
  assert.match(JSON.stringify(modelState?.binEdges), /^\{"age":\[(\d+,){8}\d+\]\}$/);
});

test('trains on recorded decisions and their outcomes, with what the decisions read', async () => {
  const id = await model('recorded', 'bayesian', {
    status: 'active',
    outcomeWeights: { click: 1 },
    learningConfig: { noResponseHours: 1 },
  });
  await world.publish({ method: 'propensity', modelKey: 'recorded' });
  for (let at = 0; at < 30; at++) {
    const answer = await world.recommend(`T${at}`, { limit: 1, attributes: { age: 20 + at, job: 'cook' } });
    await world.respond(answer, 1, at % 2 === 0 ? 'click' : 'dismiss');
  }
  await world.recommend('Silent', { limit: 1, attributes: { age: 99, job: 'none' } });
  assert.equal((await train(id)).status, 202);
  await runJobs();
  const trained = await readModel(server, id);
  assert.deepEqual([trained.training?.status, trained.trainingSamples], ['completed', 24]);
  assert.deepEqual(trained.modelState?.classes, { pos: 12, neg: 12 });
  assert.deepEqual(trained.modelState?.categories, { job: ['cook'] }, 'a silence of less than an hour is no answer');

  const drift = async (days?: number) =>
    (
      await server.call<ModelDrift>('GET', `${path(id, 'drift')}${days === undefined ? '' : `?days=${days}`}`, {
        key: server.tenants[0].keys.viewer,
      })
    ).body;
  const same = await drift();
  assert.deepEqual([same.version, same.trainingRows, same.recentRows, same.errorRate], [2, 24, 31, 0]);
  for (let at = 0; at < 40; at++) {
    await world.recommend(`D${at}`, { limit: 1, attributes: { age: 70 + (at % 20), job: 'pilot' } });
  }
  const shifted = await drift(1);
  const age = shifted.predictors.find(({ predictor }) => predictor === 'age');
  assert.equal(age?.level, 'large', JSON.stringify(shifted));
  assert.ok(age.pValue < 0.05 && age.psi > (same.predictors.find(({ predictor }) => predictor === 'age')?.psi ?? 0));
});

test("unrecorded values aren't drift", async () => {
  const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });
  const later = await world.create('schemas', {
    ...{ name: 'later', displayName: 'Later', schemaType: 'customer', autoEnrich: true },
    fields: [
      field('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
      field('years', 'integer'),
      field('accepted', 'boolean'),
    ],
  });
  const rows = Array.from({ length: 200 }, (_, at) => ({
    customer_id: `L${at}`,
    years: at % 40,
    accepted: at % 40 > 20 !== (at % 7 === 0),
  }));
  const stored = await server.call('POST', `/api/v1/schemas/${later}/data`, { body: { rows } });
  assert.equal(stored.status, 201, stored.text);
  const id = await model('later', 'bayesian', { predictors: ['years'] });
  await train(id, { datasetSchemaId: later, targetField: 'accepted' });
  await runJobs();
  const { body } = await server.call<ModelDrift>('GET', path(id, 'drift'));
  assert.ok(body.recentRows > 0);
  assert.deepEqual(body.predictors, [], 'no decision read this column yet');
});

test('rejects too few rows of any kind', async () => {
  const few = await createTrainingSchema(server, 'few', 99);
  const id = await model('short', 'logistic_regression');
  await train(id, { datasetSchemaId: few, targetField: 'accepted' });
  await runJobs();
  const failed = await readModel(server, id);
  assert.deepEqual(
    [failed.training?.status, failed.training?.error, failed.version],
    ['failed', 'insufficient_data', 1],
  );
  assert.equal(failed.metrics, null);
  const bayes = await model('short-bayes', 'bayesian');
  await train(bayes, { datasetSchemaId: few, targetField: 'accepted' });
  await runJobs();
  assert.equal((await readModel(server, bayes)).training?.status, 'completed');
});

test("rejects what can't train, and changes nothing", async () => {
  const id = await model('refused', 'logistic_regression');
  const bandit = await world.create('algorithm-models', { key: 'b', name: 'b', modelType: 'thompson_bandit' });
  const blind = await world.create('algorithm-models', { key: 'blind', name: 'b', modelType: 'bayesian' });
  const refusals: readonly [id: string, body: object, status: number, code: string, path: string | undefined][] = [
    [bandit, {}, 400, 'model_unsupported', undefined],
    [blind, onPeople(), 400, 'validation_failed', '/predictors'],
    [id, { ...onPeople(), params: { epochs: 1.5 } }, 400, 'validation_failed', '/params/epochs'],
    [id, { ...onPeople(), params: { trees: 3 } }, 400, 'validation_failed', '/params/trees'],
    [id, { ...onPeople(), from: '2026-01-01T00:00:00Z' }, 400, 'validation_failed', '/from'],
    [id, { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 400, 'validation_failed', '/from'],
    [id, { datasetSchemaId: schema }, 400, 'validation_failed', '/targetField'],
    [id, { datasetSchemaId: schema, targetField: 'nothing' }, 400, 'validation_failed', '/targetField'],
    [id, { datasetSchemaId: schema, targetField: 'secret' }, 400, 'validation_failed', '/targetField'],
    [id, { datasetSchemaId: id, targetField: 'accepted' }, 400, 'reference_not_found', '/datasetSchemaId'],
  ];
  for (const [target, body, status, code, at] of refusals) {
    const refused = await train(target, body);
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
    if (at !== undefined) assert.equal(refused.body.errors[0]?.path, at, refused.text);
  }
  assert.equal((await train(id, onPeople(), server.tenants[0].keys.viewer)).status, 403);
  assert.equal((await train(id, onPeople(), server.tenants[1]?.keys.admin)).status, 404);
  assert.equal((await readModel(server, id)).training, null);
  const drift = await server.call('GET', path(bandit, 'drift'));
  assert.deepEqual([drift.status, drift.body.code], [400, 'model_unsupported']);
});

test('trains a model once at a time; a cancelled training leaves the model as it was', async () => {
  const id = await model('once', 'logistic_regression');
  assert.equal((await train(id, onPeople())).status, 202);
  const second = await train(id, onPeople());
  assert.deepEqual([second.status, second.body.code], [409, 'concurrent_modification'], second.text);
  const cancelled = await server.call<{ training: { status: string; error: string } }>(
    'POST',
    path(id, 'cancel-training'),
  );
  assert.deepEqual([cancelled.body.training.status, cancelled.body.training.error], ['failed', 'cancelled']);
  await runJobs();
  const { version, training } = await readModel(server, id);
  assert.deepEqual([version, training?.error], [1, 'cancelled']);
  const again = await server.call('POST', path(id, 'cancel-training'));
  assert.deepEqual([again.status, again.body.code], [409, 'invalid_transition']);
  assert.equal((await train(id, onPeople())).status, 202, 'and another may begin');
  await runJobs();
});

test('cancels a running training within a second, and its thread takes the next one', async () => {
  const big = await createTrainingSchema(server, 'big', 15_000);
  const id = await model('long', 'gradient_boosted');
  // Takes far longer than to notice that it has begun.
  await train(id, { datasetSchemaId: big, targetField: 'accepted', params: { trees: 500, maxDepth: 8, bins: 255 } });
  const running = runJobs();
  let seen = 0;
  while (seen === 0) seen = (await readModel(server, id)).training?.progress ?? 0;
  assert.ok(seen > 0 && seen < 1, `${seen}`);
  await server.call('POST', path(id, 'cancel-training'));
  await running;
  assert.equal((await readModel(server, id)).training?.error, 'cancelled');
  await train(id, onPeople());
  await runJobs();
  assert.equal((await readModel(server, id)).training?.status, 'completed');
});

test('another process takes over from a dead one, and gets the same state', async () => {
  const config = { key: 'taken', name: 'taken', modelType: 'logistic_regression', predictors: ['age', 'job'] };
  const id = await world.create('algorithm-models', config);
  const asked = await train(id, onPeople());
  const { id: tenantId } = server.tenants[0];
  const run = server.jobs.get('model.train')!;
  const stopping = new AbortController();
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: stopping.signal };
  const first = run.run({ trainingId: asked.body.jobId }, facts, tenantId);
  stopping.abort();
  await assert.rejects(first);
  assert.equal((await readModel(server, id)).training?.status, 'running');
  await runJobs();
  const taken = await readModel(server, id);
  assert.deepEqual([taken.training?.status, taken.version], ['completed', 2]);
  // The same again, undisturbed: a new model with the same key starts at the same version.
  assert.equal((await server.call('DELETE', `/api/v1/algorithm-models/${id}`)).status, 204);
  const twin = await world.create('algorithm-models', config);
  await train(twin, onPeople());
  await runJobs();
  assert.equal((await readModel(server, twin)).stateHash, taken.stateHash);
  // A job that comes twice does nothing the second time.
  await run.run({ trainingId: asked.body.jobId }, { ...facts, signal: new AbortController().signal }, tenantId);
});

test('a deleted model ends its training', async () => {
  const id = await model('deleted', 'logistic_regression');
  const asked = await train(id, onPeople());
  assert.equal((await server.call('DELETE', `/api/v1/algorithm-models/${id}`)).status, 204);
  await runJobs();
  const [row] = await server.testDatabase.ownerQuery<{ status: string; error: string }>(
    'select status, error from arbiter.model_trainings where id = $1',
    [asked.body.jobId],
  );
  assert.deepEqual(row, { status: 'failed', error: 'model_deleted' });
});

test("retrains on a schedule while it's active", async () => {
  const id = await model('scheduled', 'bayesian', {
    autoLearn: true,
    learnMode: 'scheduled',
    learnSchedule: '*/5 * * * *',
    targetSchemaKey: 'people',
    targetField: 'accepted',
  });
  const schedules = () =>
    server.testDatabase.ownerQuery<{ cron: string; on: boolean }>(
      `select cron, next_run_at is not null as on from arbiter.schedules where job = 'models.retrain' and key = $1`,
      [id],
    );
  assert.deepEqual(await schedules(), [{ cron: '*/5 * * * *', on: true }]);
  const retrain = server.jobs.get('models.retrain')!;
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  for (let at = 0; at < 2; at++) await retrain.run({ modelId: id }, facts, server.tenants[0].id);
  assert.equal(await runJobs(), 1, 'a second due run finds the first at work');
  assert.deepEqual(
    [(await readModel(server, id)).version, (await readModel(server, id)).training?.status],
    [2, 'completed'],
  );
  const set = (body: object) => server.call('PUT', `/api/v1/algorithm-models/${id}`, { body });
  assert.equal((await set({ learnMode: 'none' })).status, 200);
  assert.deepEqual(await schedules(), [{ cron: '*/5 * * * *', on: false }]);
  assert.equal((await set({ learnSchedule: null })).status, 200);
  assert.deepEqual(await schedules(), []);
  const wrong = await set({ learnSchedule: '61 * * * *' });
  assert.deepEqual([wrong.status, wrong.body.code], [422, 'invalid_cron'], wrong.text);
});

test("rejects modes that a type doesn't have", async () => {
  const refused = async (body: object, at: string) => {
    const made = await server.call<{ errors: { path: string }[] }>('POST', '/api/v1/algorithm-models', {
      body: { key: 'no', name: 'no', ...body },
    });
    assert.deepEqual([made.status, made.body.errors[0]?.path], [400, at], made.text);
  };
  await refused({ modelType: 'scorecard', learnMode: 'scheduled' }, '/learnMode');
  await refused({ modelType: 'thompson_bandit', learnMode: 'scheduled' }, '/learnMode');
  await refused({ modelType: 'logistic_regression', learnMode: 'continuous' }, '/learnMode');
  await refused({ modelType: 'online_learner', learnSchedule: '* * * * *' }, '/learnSchedule');
});

test("a worse challenger doesn't replace the champion, unless an admin says so", async () => {
  const make = async (key: string) => {
    const id = await model(key, 'bayesian', { family: 'guarded' });
    await train(id, onPeople());
    await runJobs();
    return id;
  };
  const champion = await make('champion');
  const challenger = await make('challenger');
  const promote = (id: string, body: object, key?: string) =>
    server.call<{ code: string; breaches: { metric: string; value: number }[]; registryStatus: string }>(
      'POST',
      path(id, 'promote'),
      { body, ...(key === undefined ? {} : { key }) },
    );
  for (const id of [champion, challenger]) assert.equal((await promote(id, { toStatus: 'challenger' })).status, 200);
  assert.equal((await promote(champion, { toStatus: 'champion' })).status, 200, 'nothing to compare with');
  const { metrics } = await readModel(server, champion);
  const auc = metrics!.auc!;
  const snapshot = (more: object) => ({ toStatus: 'champion', metricsSnapshot: { psi: {}, errorRate: 0, ...more } });
  const blocked = await promote(challenger, snapshot({ auc: auc * 0.94 }));
  assert.deepEqual([blocked.status, blocked.body.code], [409, 'rollback_guard'], blocked.text);
  assert.deepEqual(
    blocked.body.breaches.map(({ metric }) => metric),
    ['auc_drop'],
  );
  const all = await promote(challenger, snapshot({ auc: 0.1, psi: { age: 0.26, job: 0.25 }, errorRate: 0.021 }));
  assert.deepEqual(
    all.body.breaches.map(({ metric }) => metric),
    ['auc_drop', 'psi', 'error_rate'],
  );
  const wide = await promote(challenger, {
    ...snapshot({ auc: auc * 0.94, psi: { age: 0.5 } }),
    rollbackThresholds: { aucDrop: 0.07 },
  });
  assert.deepEqual(
    wide.body.breaches.map(({ metric }) => metric),
    ['psi'],
  );
  assert.equal((await readModel(server, challenger)).registryStatus, 'challenger', 'nothing changed');
  const { editor, admin } = server.tenants[0].keys;
  const bypass = { ...snapshot({ auc: 0.1 }), bypassRollbackGuard: true };
  const byEditor = await promote(challenger, bypass, editor);
  assert.deepEqual([byEditor.status, byEditor.body.code], [403, 'forbidden']);
  const byAdmin = await promote(challenger, bypass, admin);
  assert.deepEqual([byAdmin.status, byAdmin.body.registryStatus], [200, 'champion'], byAdmin.text);
  assert.equal((await readModel(server, champion)).registryStatus, 'archived');
  const logs = await server.call('GET', `/api/v1/audit-logs?entityId=${challenger}&limit=1`);
  assert.match(logs.text, /promote/);
  const rows = await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    tx.query(`select 1 from audit_logs where entity_id = $1 and changes::text like '%bypassRollbackGuard%'`, [
      challenger,
    ]),
  );
  assert.equal(rows.length, 1);
});

test('the guard measures recent decisions itself', async () => {
  const make = async (key: string) => {
    const id = await model(key, 'bayesian', { family: 'measured' });
    await train(id, onPeople());
    await runJobs();
    await server.call('POST', path(id, 'promote'), { body: { toStatus: 'challenger' } });
    return id;
  };
  const [champion, challenger] = [await make('m-champion'), await make('m-challenger')];
  await server.call('POST', path(champion, 'promote'), { body: { toStatus: 'champion' } });
  const promoted = await server.call<{ code: string; breaches: { metric: string; predictor: string | null }[] }>(
    'POST',
    path(challenger, 'promote'),
    { body: { toStatus: 'champion' } },
  );
  // Decisions of the tests above were about other ages and jobs than the schema's.
  assert.deepEqual([promoted.status, promoted.body.code], [409, 'rollback_guard'], promoted.text);
  assert.ok(promoted.body.breaches.some(({ metric, predictor }) => metric === 'psi' && predictor === 'age'));
});
