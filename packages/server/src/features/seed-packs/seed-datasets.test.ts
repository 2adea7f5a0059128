import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SeedDatasetChanged, SeedDatasetConflict, SeedDatasetList, SeedDatasetStatus } from '@arbiter/contract';
import { systemActor } from '../../db/index.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../main/test-server.ts';
import { takeSeedLock, upsertProgress } from './seed-progress.store.ts';

/** Demo data over HTTP (contract part 1, 4.14). */

let server: TestServer;
const tenants = new Map<string, TestTenant>();
before(async () => {
  server = await startTestServer({ tenants: 8 });
  for (const tenant of server.tenants) tenants.set(tenant.name, tenant);
});
after(() => server?.close());

let taken = 0;
/** A tenant that no other test uses. */
const nextTenant = (): TestTenant => {
  const tenant = server.tenants[taken++];
  assert.ok(tenant !== undefined);
  return tenant;
};
type Any = Record<string, unknown>;
const path = '/api/v1/seed-dataset';
const call = <Body = Any>(tenant: TestTenant, method: string, url: string, body?: unknown) =>
  server.call<Body>(method, url, { key: tenant.keys.admin, ...(body === undefined ? {} : { body }) });
const load = (tenant: TestTenant, query = '') =>
  call<SeedDatasetChanged & SeedDatasetConflict & Any>(tenant, 'POST', `${path}/coffee_rewards${query}`);
const unload = (tenant: TestTenant) => call<SeedDatasetChanged & Any>(tenant, 'DELETE', `${path}/coffee_rewards`);
const list = async (tenant: TestTenant) => (await call<SeedDatasetList>(tenant, 'GET', path)).body;
const status = async (tenant: TestTenant, key = 'coffee_rewards') =>
  (await call<SeedDatasetStatus>(tenant, 'GET', `${path}/${key}/status`)).body;
const total = async (tenant: TestTenant, resource: string) =>
  (await call<{ pagination: { total: number } }>(tenant, 'GET', `/api/v1/${resource}?limit=1`)).body.pagination.total;
const idle = { status: 'idle', step: '', progress: 0 };

test('a dataset is listed, loaded, decides, and is removed again', async () => {
  const tenant = nextTenant();
  const before = await list(tenant);
  assert.equal(before.currentlyLoaded, null);
  const [dataset] = before.datasets;
  assert.ok(dataset !== undefined && before.datasets.length === 1);
  assert.deepEqual(
    { ...dataset, csvFiles: dataset.csvFiles.map(({ schema, fileName }) => [schema, fileName]) },
    {
      key: 'coffee_rewards',
      name: 'Coffee rewards',
      description: 'A chain of coffee shops with a loyalty programme: 1,000 members, twelve offers, four channels.',
      source: 'Invented by a generator; the same customers at every load.',
      csvFiles: [['coffee_members', 'coffee_members.csv']],
      testingFocus: 'loyalty, caps, exploration',
      schemaCount: 1,
      offerCount: 12,
      modelCount: 0,
      channelCount: 4,
      categoryCount: 3,
      creativeCount: 48,
      loaded: false,
    },
  );
  assert.deepEqual(await status(tenant), idle);

  const loaded = await load(tenant);
  assert.equal(loaded.status, 201, loaded.text);
  assert.equal(loaded.body.datasetKey, 'coffee_rewards');
  assert.equal(loaded.body.counts.offers, 12);
  assert.equal(loaded.body.counts.coffee_members_rows, 1000);
  assert.ok(Number(loaded.headers['x-config-version']) > 0);
  assert.equal((await list(tenant)).currentlyLoaded, 'coffee_rewards');
  assert.equal((await list(tenant)).datasets[0]?.loaded, true);
  assert.deepEqual(await status(tenant), { status: 'completed', step: 'done', progress: 100 });
  const decision = await call<{ decisions: unknown[] }>(tenant, 'POST', '/api/v1/recommend', {
    customerId: 'CM-000001',
    channel: 'web',
  });
  assert.equal(decision.status, 200, decision.text);
  assert.ok(decision.body.decisions.length > 0);

  const removed = await unload(tenant);
  assert.equal(removed.status, 200, removed.text);
  assert.deepEqual(removed.body.counts, {
    interactions: 0,
    interactionSummaries: 0,
    experiments: 0,
    models: 0,
    runs: 0,
    decisionFlows: 1,
    contactPolicies: 2,
    qualificationRules: 5,
    creatives: 48,
    offers: 12,
    channels: 4,
    subCategories: 6,
    categories: 3,
    segments: 0,
    schemaJoins: 0,
    schemas: 1,
  });
  assert.ok(Number(removed.headers['x-config-version']) > Number(loaded.headers['x-config-version']));
  for (const resource of ['offers', 'creatives', 'channels', 'placements', 'categories', 'schemas', 'decision-flows']) {
    assert.equal(await total(tenant, resource), 0, resource);
  }
  assert.deepEqual(await status(tenant), idle);
  assert.equal((await list(tenant)).currentlyLoaded, null);
  const state = await call<{ hasData: boolean }>(tenant, 'GET', '/api/v1/tenant/status');
  assert.equal(state.body.hasData, false, 'the tenant is empty again');
  const actions = await server.testDatabase.ownerQuery<{ action: string; entity_id: string }>(
    `select action, entity_id from arbiter.audit_logs where tenant_id = $1 and entity_type = 'seedDataset' order by sequence`,
    [tenant.id],
  );
  assert.deepEqual(actions, [
    { action: 'load_pack', entity_id: 'coffee_rewards' },
    { action: 'unload_pack', entity_id: 'coffee_rewards' },
  ]);
  assert.equal((await unload(tenant)).status, 404, 'it is not loaded any more');
  assert.equal((await load(tenant)).status, 201, 'and can be loaded again');
});

test('a second load is a conflict unless it is forced; then it begins anew, with what hangs below', async () => {
  const tenant = nextTenant();
  assert.equal((await load(tenant)).status, 201);
  const conflict = await load(tenant);
  assert.equal(conflict.status, 409);
  assert.deepEqual(conflict.body, {
    status: 'conflict',
    currentlyLoaded: 'coffee_rewards',
    requestedLoad: 'coffee_rewards',
    message: 'coffee_rewards is loaded already; force=true replaces it.',
  });
  const { body: categories } = await call<{ data: { id: string }[] }>(tenant, 'GET', '/api/v1/categories?limit=1');
  const own = await call<{ id: string }>(tenant, 'POST', '/api/v1/offers', {
    name: 'My own',
    categoryId: categories.data[0]?.id,
  });
  assert.equal(own.status, 201, own.text);
  const free = await call<{ id: string }>(tenant, 'POST', '/api/v1/offers', { name: 'Stands alone' });
  assert.equal(free.status, 201, free.text);
  const forced = await load(tenant, '?force=true');
  assert.equal(forced.status, 201, forced.text);
  assert.equal(await total(tenant, 'offers'), 13, 'twelve anew, and the one that stood alone');
  assert.equal((await call(tenant, 'GET', `/api/v1/offers/${own.body.id}`)).status, 404);
  const { counts } = (await unload(tenant)).body;
  assert.equal(counts.offers, 12);
  assert.equal((await call(tenant, 'GET', `/api/v1/offers/${free.body.id}`)).status, 200);
});

test('what the tenant deleted by itself is passed over, what it needs is named and nothing is removed', async () => {
  const tenant = nextTenant();
  assert.equal((await load(tenant)).status, 201);
  const { body: schemas } = await call<{ data: { id: string }[] }>(tenant, 'GET', '/api/v1/schemas?limit=1');
  const linked = await call<{ id: string }>(tenant, 'POST', '/api/v1/schemas', {
    name: 'my_visits',
    displayName: 'My visits',
    schemaType: 'transaction',
    fields: [
      { name: 'visit_id', displayName: 'Visit', dataType: 'varchar', length: 40, isPrimaryKey: true },
      { name: 'member_id', displayName: 'Member', dataType: 'varchar', length: 40 },
    ],
    linkedSchemaId: schemas.data[0]?.id,
    joinMapping: { parentField: 'member_id', childField: 'member_id' },
  });
  assert.equal(linked.status, 201, linked.text);
  const refused = await unload(tenant);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.code, 'in_use');
  assert.match(refused.text, /my_visits|My visits/);
  assert.equal(await total(tenant, 'offers'), 12);
  const forced = await load(tenant, '?force=true');
  assert.equal(forced.status, 409);
  assert.equal(forced.body.status, 'conflict');
  assert.equal((await status(tenant)).status, 'failed');
  assert.equal(await total(tenant, 'offers'), 12);

  assert.equal((await call(tenant, 'DELETE', `/api/v1/schemas/${linked.body.id}`)).status, 204);
  const { body: rules } = await call<{ data: { id: string }[] }>(tenant, 'GET', '/api/v1/qualification-rules?limit=1');
  const gone = await call(tenant, 'DELETE', `/api/v1/qualification-rules/${rules.data[0]?.id}`);
  assert.ok(gone.status < 300, gone.text);
  const removed = await unload(tenant);
  assert.equal(removed.status, 200, removed.text);
  assert.equal(removed.body.counts.qualificationRules, 4);
});

test('a taken schema name is the same conflict, and nothing of the dataset stays', async () => {
  const tenant = nextTenant();
  const schema = await call(tenant, 'POST', '/api/v1/schemas', { name: 'coffee_members', displayName: 'Mine' });
  assert.equal(schema.status, 201, schema.text);
  const refused = await load(tenant);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.status, 'conflict');
  assert.equal(refused.body.currentlyLoaded, null);
  assert.equal(await total(tenant, 'categories'), 0);
  assert.equal((await status(tenant)).status, 'failed');
});

test('of two loads at once one is done, the other a conflict', async () => {
  const tenant = nextTenant();
  const answers = await Promise.all([load(tenant), load(tenant), load(tenant, '?force=true')]);
  const statuses = answers.map((answer) => answer.status).sort();
  assert.ok(statuses[0] === 201, JSON.stringify(statuses));
  assert.ok(statuses.filter((each) => each === 409).length >= 1, JSON.stringify(statuses));
  assert.equal(await total(tenant, 'offers'), 12);
  assert.equal((await status(tenant)).status, 'completed');
});

test('progress is seen while it is made; who ends without a word has failed', async () => {
  const tenant = nextTenant();
  const inTenant = <T>(run: Parameters<typeof server.database.withTenant<T>>[2]) =>
    server.database.withTenant(tenant.id, systemActor('test'), run);
  await inTenant(async (tx) => {
    assert.equal(await takeSeedLock(tx), true);
    await inTenant((other) => upsertProgress(other, { key: 'x', status: 'loading', step: 'rows', progress: 60 }));
    assert.deepEqual(await status(tenant, 'whatever'), { status: 'loading', step: 'rows', progress: 60 });
    assert.equal((await load(tenant)).status, 409, 'one at a time');
    const viewer = await server.call('GET', `${path}/coffee_rewards/status`, { key: tenant.keys.viewer });
    assert.equal(viewer.status, 200);
  });
  assert.deepEqual(await status(tenant), { status: 'failed', step: 'rows', progress: 60 });
});

test('only admins load, only what exists, in their own tenant, five times a minute', async () => {
  const tenant = nextTenant();
  const other = nextTenant();
  for (const [method, url] of [
    ['GET', path],
    ['POST', `${path}/coffee_rewards`],
    ['DELETE', `${path}/coffee_rewards`],
  ] as const) {
    const answer = await server.call(method, url, { key: tenant.keys.editor });
    assert.equal(answer.status, 403, `${method} ${url}`);
  }
  assert.equal((await call(other, 'POST', `${path}/retail_bank`)).status, 404);
  assert.equal((await call(tenant, 'DELETE', `${path}/retail_bank`)).status, 404);
  assert.equal((await load(tenant)).status, 201);
  for (let calls = 1; calls < 5; calls += 1) assert.equal((await load(tenant)).status, 409);
  const limited = await load(tenant);
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers['retry-after']) >= 1);
  assert.equal((await list(other)).currentlyLoaded, null);
  assert.deepEqual(await status(other), idle);
  assert.equal((await unload(other)).status, 404);
  assert.equal((await load(other, '?force=perhaps')).status, 400);
});
