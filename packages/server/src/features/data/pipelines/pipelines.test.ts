// Pipelines as records, and their schedules (docs/design/api-catalogue.md 15).
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Pipeline } from '@arbiter/contract';
import { type PipelineServer, startPipelineServer } from './test-pipelines.ts';

let world: PipelineServer;
before(async () => {
  world = await startPipelineServer();
});
beforeEach(() => world.reset());
after(() => world?.close());

const create = (body: object) =>
  world.call<Pipeline>('POST', '/api/v1/pipelines', {
    ...{ name: 'Refused', connectorId: world.ids.connector, schemaId: world.ids.schema },
    ...body,
  });
const change = (id: string, body: object) => world.call<Pipeline>('PUT', `/api/v1/pipelines/${id}`, body);
const step = (more: object) => ({ transforms: [more] });
const steps = (count: number) => ({
  transforms: Array.from({ length: count }, () => ({ op: 'trim', columns: ['a'] })),
});
const owner = <T>(text: string, values: unknown[] = []) =>
  world.server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);

describe('a pipeline', () => {
  test('has defaults and shows the records it refers to', async () => {
    const pipeline = await world.pipeline();
    const { status, loadMode, onRowError, allowEmpty, schedule, nextRunAt, transforms, upsertKey, source } = pipeline;
    assert.deepEqual(
      { status, loadMode, onRowError, allowEmpty, schedule, nextRunAt, transforms, upsertKey, source },
      {
        ...{ status: 'draft', loadMode: 'append', onRowError: 'skip', allowEmpty: false, schedule: null },
        ...{ nextRunAt: null, transforms: [], upsertKey: [], source: {} },
      },
    );
    assert.deepEqual(pipeline.executionConfig, { batchSize: 1000 });
    assert.deepEqual(pipeline.connector, { id: world.ids.connector, name: 'Warehouse' });
    assert.deepEqual(pipeline.schema, { id: world.ids.schema, name: 'people' });
  });

  const refused: [string, object, status: number, code: string, path: string][] = [
    ['a batch of 0', { executionConfig: { batchSize: 0 } }, 400, 'validation_failed', '/executionConfig/batchSize'],
    [
      'a batch of 5001',
      { executionConfig: { batchSize: 5001 } },
      400,
      'validation_failed',
      '/executionConfig/batchSize',
    ],
    ['51 steps', steps(51), 400, 'validation_failed', '/transforms'],
    [
      'a cast to an unknown type',
      step({ op: 'cast', column: 'a', dataType: 'point' }),
      400,
      'validation_failed',
      '/transforms/0/dataType',
    ],
    [
      'a formula that does not parse',
      step({ op: 'add_field', column: 'a', formula: '1 +' }),
      400,
      'validation_failed',
      '/transforms/0/formula',
    ],
    [
      'a condition outside the grammar',
      step({ op: 'filter', condition: { field: 'a', operator: 'like', value: 1 } }),
      400,
      'validation_failed',
      '/transforms/0/condition/operator',
    ],
    ['a secret', { source: { apiKey: 'x' } }, 400, 'validation_failed', '/source/apiKey'],
    [
      'a password in an address',
      { source: { a: [{ url: 'https://u:p@h/' }] } },
      400,
      'validation_failed',
      '/source/a/0/url',
    ],
    ['a key that is no column', { loadMode: 'upsert', upsertKey: ['nope'] }, 400, 'validation_failed', '/upsertKey/0'],
    ['a key that is not unique', { loadMode: 'upsert', upsertKey: ['age'] }, 400, 'validation_failed', '/upsertKey/0'],
    [
      'an unknown zone',
      { schedule: { cronExpression: '0 3 * * *', timezone: 'Mars/Base' } },
      400,
      'validation_failed',
      '/schedule/timezone',
    ],
    [
      'a cron expression that does not parse',
      { schedule: { cronExpression: '61 * * * *' } },
      422,
      'invalid_cron',
      '/schedule/cronExpression',
    ],
    [
      'a cron expression that never runs',
      { schedule: { cronExpression: '0 9 31 2 *' } },
      422,
      'invalid_cron',
      '/schedule/cronExpression',
    ],
  ];
  for (const [name, body, status, code, path] of refused) {
    test(`can't have ${name}`, async () => {
      const created = await create(body);
      assert.deepEqual(
        [created.status, created.body.code, created.body.errors?.[0]?.path],
        [status, code, path],
        created.text,
      );
      const { id, version } = await world.pipeline();
      const changed = await change(id, body);
      assert.deepEqual(
        [changed.status, changed.body.code, changed.body.errors?.[0]?.path],
        [status, code, path],
        changed.text,
      );
      assert.equal((await world.read(id)).version, version);
    });
  }

  test("can't have an unknown step", async () => {
    const { status, body } = await create(step({ op: 'explode', columns: ['a'] }));
    assert.deepEqual([status, body.code], [400, 'validation_failed']);
    assert.match(body.errors?.[0]?.path ?? '', /^\/transforms\/0/);
  });

  test('accepts 50 steps and batches of 1 and 5000', async () => {
    await world.pipeline({ ...steps(50), executionConfig: { batchSize: 1 } });
    await world.pipeline({ executionConfig: { batchSize: 5000 } });
  });

  test("can't refer to another tenant's records, and isn't found by another tenant", async () => {
    const key = world.server.tenants[1]!.keys.admin;
    const body = { name: 'Theirs', type: 'postgresql' };
    const theirs = (await world.call<{ id: string }>('POST', '/api/v1/connectors', body, key)).body.id;
    const made = await create({ connectorId: theirs });
    assert.deepEqual([made.status, made.body.code], [400, 'reference_not_found']);
    assert.equal(made.body.errors?.[0]?.path, '/connectorId');
    const { id } = await world.pipeline();
    const run = await world.start(id);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/runs'],
      ['GET', '/runs'],
      ['GET', `/runs/${run.id}/progress`],
      ['POST', `/runs/${run.id}/cancel`],
    ] as const) {
      const { status } = await world.call(method, `/api/v1/pipelines/${id}${path}`, undefined, key);
      assert.equal(status, 404, `${method} ${path}`);
    }
  });

  test("protects its schema, its columns and its connector until it's archived", async () => {
    const connector = await world.server.create('connectors', { name: 'Used', type: 'postgresql' });
    const { id } = await world.pipeline({ connectorId: connector, ...step({ op: 'lower', columns: ['email'] }) });
    assert.equal((await world.call('DELETE', `/api/v1/schemas/${world.ids.schema}`)).body.code, 'in_use');
    const schema = await world.call<{ fields: { id: string; name: string }[] }>(
      'GET',
      `/api/v1/schemas/${world.ids.schema}`,
    );
    const email = schema.body.fields.find(({ name }) => name === 'email')!.id;
    assert.equal((await world.call('DELETE', `/api/v1/schemas/fields?fieldId=${email}`)).body.code, 'in_use');
    assert.equal((await world.call('DELETE', `/api/v1/connectors/${connector}`)).body.code, 'in_use');
    await change(id, { status: 'archived' });
    assert.equal((await world.call('DELETE', `/api/v1/connectors/${connector}`)).status, 204);
    const archived = await world.read(id);
    assert.deepEqual([archived.connectorId, archived.connector], [connector, null]);
    assert.equal((await world.call('POST', `/api/v1/pipelines/${id}/runs`)).body.code, 'invalid_transition');
    assert.equal((await world.call('DELETE', `/api/v1/pipelines/${id}`)).status, 204);
  });
});

describe('a schedule', () => {
  const everyMinute = { cronExpression: '* * * * *', timezone: 'Europe/Berlin' };
  const makeDue = (id: string) =>
    owner(`update arbiter.pipelines set next_run_at = now() - interval '3 hours' where id = $1`, [id]);

  test('has a next run only while the pipeline is active', async () => {
    const { id, nextRunAt } = await world.pipeline({ schedule: everyMinute });
    assert.equal(nextRunAt, null);
    const active = (await change(id, { status: 'active' })).body;
    assert.ok(Date.parse(active.nextRunAt!) > Date.now() - 1_000);
    assert.equal((await change(id, { status: 'paused' })).body.nextRunAt, null);
  });

  test('counts in its zone, and skips hours that do not exist', async () => {
    const schedule = { cronExpression: '30 2 28 3 *', timezone: 'Europe/Berlin' };
    const { nextRunAt } = await world.pipeline({ status: 'active', schedule });
    // 2027-03-28 02:30 does not exist in Berlin: the rule of T22 says when it runs instead.
    assert.match(nextRunAt!, /^2027-03-28T01:/);
  });

  test('makes one run of several missed instants, and none while one is in progress', async () => {
    const { id } = await world.pipeline({ status: 'active', schedule: everyMinute });
    await makeDue(id);
    await world.tick();
    const [first, ...more] = await world.runs(id);
    assert.deepEqual([first?.triggeredBy, first?.status, more.length], ['schedule', 'pending', 0]);
    assert.ok(Date.parse((await world.read(id)).nextRunAt!) > Date.now() - 1_000);
    await makeDue(id);
    await world.tick();
    assert.equal((await world.runs(id)).length, 1);
    await world.work(first!.id);
    await makeDue(id);
    await Promise.all([world.tick(), world.tick()]);
    assert.deepEqual(
      (await world.runs(id)).map(({ runNumber }) => runNumber),
      [2, 1],
    );
  });
});
