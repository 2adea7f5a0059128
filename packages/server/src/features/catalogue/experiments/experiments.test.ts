import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';

let server: TestServer;
let other: TestTenant;
const url = '/api/v1/experiments';
before(async () => {
  server = await startTestServer({ tenants: 2 });
  other = server.tenants[1] as TestTenant;
});
after(() => server.close());

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly version: number;
  readonly status: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly trafficSplit: object;
  readonly holdoutPercent: number;
  readonly metric: string;
  readonly promoteAfterDays: number;
  readonly autoPromoteVerdict: string | null;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly data: readonly { readonly id: string }[];
}
const call = (method: string, path: string, body?: object, key?: string) =>
  server.call<Answer>(method, path, { ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) });

let count = 0;
async function model(key?: string, tenantKey?: string): Promise<string> {
  const name = key ?? `model-${++count}`;
  const body = { key: name, name, modelType: 'scorecard', status: 'active' };
  const made = await call('POST', '/api/v1/algorithm-models', body, tenantKey);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function bodyOf(more: object = {}) {
  const challengers = [{ modelId: await model(), trafficPct: 20 }];
  return { key: `e-${++count}`, name: 'Experiment', championModelId: await model(), challengers, ...more };
}

async function make(
  more: object = {},
): Promise<Answer & { championModelId: string; challengers: { modelId: string }[] }> {
  const made = await call('POST', url, await bodyOf(more));
  assert.equal(made.status, 201, made.text);
  return made.body as never;
}

const pathsOf = ({ errors = [] }: Answer) => errors.map(({ path }) => path);

test('an experiment has defaults, starts by its status and ends for good', async () => {
  const made = await make();
  assert.deepEqual(
    [made.status, made.trafficSplit, made.holdoutPercent, made.metric, made.promoteAfterDays, made.startedAt],
    ['draft', { championPct: 80 }, 0, 'positive', 14, null],
  );
  const to = async (status: string) => call('PUT', `${url}/${made.id}`, { status });
  const statuses: [string, number][] = [
    ['paused', 409],
    ['completed', 409],
    ['active', 200],
    ['draft', 409],
    ['paused', 200],
    ['active', 200],
    ['completed', 200],
    ['active', 409],
    ['paused', 409],
    ['archived', 200],
    ['completed', 409],
  ];
  let startedAt: string | null = null;
  for (const [status, expected] of statuses) {
    const answer = await to(status);
    assert.equal(answer.status, expected, `${status}: ${answer.text}`);
    if (expected === 409) assert.equal(answer.body.code, 'invalid_transition');
    else if (startedAt === null) startedAt = answer.body.startedAt;
    else assert.equal(answer.body.startedAt, startedAt, 'it starts once');
  }
  const { body } = await call('GET', `${url}/${made.id}`);
  assert.ok(startedAt !== null && body.endedAt !== null);
});

test('shares add up to 100, to the ninth decimal', async () => {
  const body = await bodyOf();
  const post = (more: object) => call('POST', url, { ...body, ...more });
  for (const [trafficSplit, holdoutPercent] of [
    [{ championPct: 80.0000001 }, 0],
    [79, 0],
    [80, 1],
  ]) {
    const refused = await post({ trafficSplit, holdoutPercent });
    assert.deepEqual(
      [refused.status, refused.body.code, pathsOf(refused.body)],
      [400, 'validation_failed', ['/trafficSplit']],
    );
  }
  const taken = await post({ trafficSplit: 70.0000000001, holdoutPercent: 10 });
  assert.deepEqual([taken.status, taken.body.trafficSplit], [201, { championPct: 70.0000000001 }]);
  const changed = await call('PUT', `${url}/${taken.body.id}`, { holdoutPercent: 11 });
  assert.deepEqual([changed.status, pathsOf(changed.body)], [400, ['/trafficSplit']]);
});

test('challengers are other models, each once, five at most, and all numbers have limits', async () => {
  const body = await bodyOf();
  const post = async (more: object) => {
    const refused = await call('POST', url, { ...body, ...more });
    assert.equal(refused.status, 400, refused.text);
    return pathsOf(refused.body);
  };
  const [a, b] = [await model(), await model()];
  const itself = [{ modelId: body.championModelId.toUpperCase(), trafficPct: 20 }];
  assert.deepEqual(await post({ challengers: itself }), ['/challengers/0/modelId']);
  const twice = [a, a].map((modelId) => ({ modelId, trafficPct: 10 }));
  assert.deepEqual(await post({ challengers: twice }), ['/challengers/1/modelId']);
  const six = await Promise.all(
    Array.from({ length: 6 }, async () => ({ modelId: await model(), trafficPct: 10 / 3 })),
  );
  assert.deepEqual(await post({ challengers: six }), ['/challengers']);
  assert.deepEqual(await post({ challengers: [] }), ['/challengers']);
  for (const promoteAfterDays of [0, 366, 1.5])
    assert.deepEqual(await post({ promoteAfterDays }), ['/promoteAfterDays']);
  assert.deepEqual(await post({ promoteThreshold: -0.1 }), ['/promoteThreshold']);
  assert.deepEqual(await post({ metric: 'no_such_outcome' }), ['/metric']);
  assert.deepEqual(await post({ status: 'running' }), ['/status']);
  for (const promoteAfterDays of [1, 365]) await make({ promoteAfterDays });
  await make({ metric: 'click' });
  const five = [a, b, await model(), await model(), await model()].map((modelId) => ({ modelId, trafficPct: 4 }));
  await make({ challengers: five });
});

test("another tenant's models don't exist, nor do deleted ones", async () => {
  const body = await bodyOf();
  const foreign = await model('foreign', other.keys.admin);
  for (const more of [{ championModelId: foreign }, { challengers: [{ modelId: foreign, trafficPct: 20 }] }]) {
    const refused = await call('POST', url, { ...body, ...more });
    assert.deepEqual([refused.status, refused.body.code], [400, 'reference_not_found'], refused.text);
  }
  const gone = await model();
  assert.equal((await call('DELETE', `/api/v1/algorithm-models/${gone}`)).status, 204);
  const refused = await call('POST', url, { ...body, championModelId: gone });
  assert.deepEqual([refused.status, pathsOf(refused.body)], [400, ['/championModelId']]);
  const made = await make();
  for (const path of ['', '/results'])
    assert.equal((await call('GET', `${url}/${made.id}${path}`, undefined, other.keys.admin)).status, 404);
});

test('a champion has one active experiment; a second one has to wait', async () => {
  const championModelId = await model();
  const first = await make({ championModelId, status: 'active' });
  const second = await make({ championModelId });
  const refused = await call('PUT', `${url}/${second.id}`, { status: 'active' });
  assert.deepEqual([refused.status, refused.body.code, pathsOf(refused.body)], [409, 'limit_reached', ['/status']]);
  assert.equal((await call('POST', url, await bodyOf({ championModelId, status: 'active' }))).status, 409);
  assert.equal((await call('PUT', `${url}/${first.id}`, { status: 'paused' })).status, 200);
  const both = [first, second].map(({ id }) => call('PUT', `${url}/${id}`, { status: 'active' }));
  const results = (await Promise.all(both)).map(({ status }) => status).sort();
  assert.deepEqual(results, [200, 409], 'at once, one of them');
});

test('a deleted experiment comes back paused when it was active', async () => {
  const championModelId = await model();
  const first = await make({ championModelId, status: 'active' });
  assert.equal((await call('DELETE', `${url}/${first.id}`)).status, 204);
  await make({ championModelId, status: 'active' });
  const restored = await call('POST', `/api/v1/restore?entityType=experiment&id=${first.id}`);
  assert.equal(restored.status, 200, restored.text);
  assert.equal((await call('GET', `${url}/${first.id}`)).body.status, 'paused');
});

test('models stay once an experiment has started; shares and the rest may change', async () => {
  const made = await make({ status: 'active' });
  const [{ modelId }] = made.challengers as [{ modelId: string }];
  const put = (body: object) => call('PUT', `${url}/${made.id}`, body);
  const shares = await put({ trafficSplit: 50, challengers: [{ modelId, trafficPct: 40 }], holdoutPercent: 10 });
  assert.deepEqual(
    [shares.status, shares.body.trafficSplit, shares.body.holdoutPercent],
    [200, { championPct: 50 }, 10],
  );
  const others = [{ championModelId: await model() }, { challengers: [{ modelId: await model(), trafficPct: 40 }] }];
  for (const body of others) {
    const refused = await put(body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_transition'], refused.text);
  }
  assert.equal((await put({ metric: 'convert', name: 'Other' })).status, 200);
  const late = await put({ name: 'Late', rowVersion: 1 });
  assert.deepEqual([late.status, late.body.code], [409, 'row_version_conflict']);
});

test("models of an active experiment can't be deleted or archived", async () => {
  const made = await make({ status: 'active' });
  const ids = [made.championModelId, made.challengers[0]!.modelId];
  for (const id of ids) {
    const deleted = await call('DELETE', `/api/v1/algorithm-models/${id}`);
    assert.deepEqual([deleted.status, deleted.body.code], [409, 'in_use'], deleted.text);
    assert.match(deleted.text, new RegExp(made.id));
    const archived = await call('PUT', `/api/v1/algorithm-models/${id}`, { status: 'archived' });
    assert.deepEqual([archived.status, archived.body.code], [409, 'in_use'], archived.text);
    assert.equal((await call('PUT', `/api/v1/algorithm-models/${id}`, { status: 'paused' })).status, 200);
  }
  assert.equal((await call('PUT', `${url}/${made.id}`, { status: 'completed' })).status, 200);
  for (const id of ids) assert.equal((await call('DELETE', `/api/v1/algorithm-models/${id}`)).status, 204);
});

test("a later day rearms a judged experiment, an earlier one doesn't", async () => {
  const made = await make({ status: 'active' });
  await server.testDatabase.ownerQuery(
    "update arbiter.experiments set auto_promote_verdict = 'not_better' where id = $1",
    [made.id],
  );
  const put = async (promoteAfterDays: number) =>
    (await call('PUT', `${url}/${made.id}`, { promoteAfterDays })).body.autoPromoteVerdict;
  assert.deepEqual([await put(14), await put(7), await put(8)], ['not_better', 'not_better', null]);
});

test('without the setting, rejects writes and allows reads', async () => {
  const made = await make();
  const setting = (enableExperiments: boolean) => call('PUT', '/api/v1/tenant-settings', { enableExperiments });
  assert.equal((await setting(false)).status, 200);
  try {
    const refused = [
      await call('POST', url, await bodyOf()),
      await call('PUT', `${url}/${made.id}`, { name: 'Other' }),
      await call('DELETE', `${url}/${made.id}`),
    ];
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'feature_disabled']);
    assert.equal((await call('GET', `${url}/${made.id}`)).status, 200);
    assert.equal((await call('GET', `${url}/${made.id}/results`)).status, 200);
  } finally {
    assert.equal((await setting(true)).status, 200);
  }
});
