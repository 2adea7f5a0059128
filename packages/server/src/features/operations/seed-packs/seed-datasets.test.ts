import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  AlgorithmModel,
  SeedDatasetChanged,
  SeedDatasetConflict,
  SeedDatasetList,
  SeedDatasetStatus,
} from '@arbiter/contract';
import { findPack } from '@arbiter/packs';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { runQueue } from '../../deciding/model-training/test-training.ts';
import { createOutboxDispatcher } from '../stream/index.ts';
import { takeSeedLock, upsertProgress } from './seed-progress.store.ts';

/** Demo data over HTTP. */

let server: TestServer;
const tenants = new Map<string, TestTenant>();
before(async () => {
  server = await startTestServer({ tenants: 12 });
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
const load = (tenant: TestTenant, query = '', key = 'coffee_rewards') =>
  call<SeedDatasetChanged & SeedDatasetConflict & Any>(tenant, 'POST', `${path}/${key}${query}`);
const unload = (tenant: TestTenant, key = 'coffee_rewards') =>
  call<SeedDatasetChanged & Any>(tenant, 'DELETE', `${path}/${key}`);
const list = async (tenant: TestTenant) => (await call<SeedDatasetList>(tenant, 'GET', path)).body;
const status = async (tenant: TestTenant, key = 'coffee_rewards') =>
  (await call<SeedDatasetStatus>(tenant, 'GET', `${path}/${key}/status`)).body;
const total = async (tenant: TestTenant, resource: string) =>
  (await call<{ pagination: { total: number } }>(tenant, 'GET', `/api/v1/${resource}?limit=1`)).body.pagination.total;
const idle = { status: 'idle', step: '', progress: 0 };

/** A dataset as listed, and the result of its removal. */
const noOutreach = { behavioralMetrics: 0, journeys: 0, triggers: 0, geofences: 0 };
const datasets = [
  {
    key: 'coffee_rewards',
    name: 'Coffee rewards',
    files: ['coffee_members', 'coffee_visits'],
    channel: 'web',
    counts: { schemaCount: 2, offerCount: 12, modelCount: 4, channelCount: 4, categoryCount: 3, creativeCount: 48 },
    rows: { coffee_members_rows: 1000, coffee_visits_rows: 5000 },
    removed: {
      decisionFlows: 2,
      contactPolicies: 6,
      qualificationRules: 6,
      segments: 3,
      interactions: 3000,
      ...noOutreach,
    },
  },
  {
    key: 'retail_bank',
    name: 'Retail bank',
    files: ['bank_clients', 'bank_accounts'],
    channel: 'web',
    counts: { schemaCount: 2, offerCount: 14, modelCount: 4, channelCount: 4, categoryCount: 3, creativeCount: 56 },
    rows: { bank_clients_rows: 2000, bank_accounts_rows: 4000 },
    removed: {
      decisionFlows: 2,
      contactPolicies: 7,
      qualificationRules: 7,
      segments: 4,
      interactions: 6000,
      ...noOutreach,
    },
  },
  {
    key: 'telco_care',
    name: 'Telco care',
    files: ['telco_subscribers', 'telco_usage', 'telco_tickets'],
    channel: 'web',
    counts: { schemaCount: 3, offerCount: 16, modelCount: 4, channelCount: 4, categoryCount: 3, creativeCount: 64 },
    rows: { telco_subscribers_rows: 3000, telco_usage_rows: 9000, telco_tickets_rows: 1500 },
    removed: {
      decisionFlows: 2,
      contactPolicies: 7,
      qualificationRules: 9,
      segments: 3,
      interactions: 9000,
      journeys: 1,
      behavioralMetrics: 3,
      triggers: 2,
      geofences: 2,
    },
  },
] as const;

for (const expected of datasets) {
  test(`lists and loads ${expected.key}, decides with it, and removes it`, async () => {
    const tenant = nextTenant();
    const { key, counts } = expected;
    const before = await list(tenant);
    assert.equal(before.currentlyLoaded, null);
    assert.deepEqual(
      before.datasets.map((each) => each.key),
      datasets.map((each) => each.key),
    );
    const dataset = before.datasets.find((each) => each.key === key);
    assert.ok(dataset !== undefined);
    const { csvFiles, description, source, testingFocus, ...listed } = dataset;
    assert.deepEqual(listed, { key, name: expected.name, ...counts, loaded: false });
    assert.ok(description.length > 20 && source.length > 20 && testingFocus.length > 5);
    assert.deepEqual(
      csvFiles.map(({ schema, fileName, columns }) => [schema, fileName, columns.length > 3]),
      expected.files.map((schema) => [schema, `${schema}.csv`, true]),
    );
    assert.deepEqual(await status(tenant), idle);

    const loaded = await load(tenant, '', key);
    assert.equal(loaded.status, 201, loaded.text);
    assert.equal(loaded.body.datasetKey, key);
    const { interactionSummaries = 0, segmentCustomers = 0, placements, ...told } = loaded.body.counts;
    const { schemaCount, offerCount, modelCount, channelCount, categoryCount, creativeCount } = counts;
    const { interactions, ...removedOnce } = expected.removed;
    assert.deepEqual(told, {
      schemas: schemaCount,
      categories: categoryCount,
      subCategories: told.subCategories,
      channels: channelCount,
      offers: offerCount,
      creatives: creativeCount,
      outcomeTypes: 1,
      models: modelCount,
      experiments: 1,
      ...removedOnce,
      ...expected.rows,
      interactions,
    });
    assert.equal(placements, 5);
    assert.ok(interactionSummaries > 0 && interactionSummaries <= interactions);
    assert.ok(segmentCustomers > 0);
    assert.ok(Number(loaded.headers['x-config-version']) > 0);
    assert.equal((await list(tenant)).currentlyLoaded, key);
    assert.deepEqual(
      (await list(tenant)).datasets.map((each) => each.loaded),
      datasets.map((each) => each.key === key),
    );
    assert.deepEqual(await status(tenant), { status: 'running', step: 'models', progress: 95 });
    await runQueue(server, 'model.train');
    assert.deepEqual(await status(tenant), { status: 'completed', step: 'done', progress: 100 });
    const models = await call<{ data: AlgorithmModel[] }>(tenant, 'GET', '/api/v1/algorithm-models');
    const trained = models.body.data.filter(({ targetSchemaKey }) => targetSchemaKey !== null);
    assert.deepEqual(trained.map(({ key: own }) => own).sort(), [...(findPack(key)?.trainedModels ?? [])].sort());
    for (const { key: own, status: now, metrics, training } of trained) {
      assert.deepEqual([now, training?.status], ['active', 'completed'], own);
      assert.ok(metrics?.auc != null && metrics.auc > 0.55, `${own}: AUC ${metrics?.auc}`);
    }
    const first = findPack(key)?.firstCustomer;
    const decision = await call<{ decisions: unknown[] }>(tenant, 'POST', '/api/v1/recommend', {
      customerId: first,
      channel: expected.channel,
    });
    assert.equal(decision.status, 200, decision.text);
    assert.ok(decision.body.decisions.length > 0);

    await createOutboxDispatcher(server.database, server.outboxPath, {
      zoneOf: async () => 'UTC',
      pause: async () => undefined,
      stopped: () => false,
    }).drain();
    for (const [what, count] of Object.entries((await traces(tenant)) ?? {})) {
      // Its outcomes suppress by channel, for which decisions read the outcomes themselves.
      const isNone = what === 'suppressions' && key === 'telco_care';
      assert.equal(count > 0, !isNone, `${what}: ${count}`);
    }
    // What the features created goes, too, when they are off by now.
    const off = {
      enableExperiments: false,
      enableJourneys: false,
      enableGeofences: false,
      enableBehavioralMetrics: false,
    };
    assert.equal((await call(tenant, 'PUT', '/api/v1/tenant-settings', off)).status, 200);
    const removed = await unload(tenant, key);
    assert.equal(removed.status, 200, removed.text);
    const { interactionSummaries: sums = 0, interactions: rows = 0, ...gone } = removed.body.counts;
    assert.deepEqual(gone, {
      schemas: schemaCount,
      schemaJoins: 0,
      categories: categoryCount,
      subCategories: told.subCategories,
      channels: channelCount,
      offers: offerCount,
      creatives: creativeCount,
      models: modelCount,
      experiments: 1,
      runs: 0,
      ...removedOnce,
    });
    const items = decision.body.decisions.length;
    assert.equal(rows, interactions + items, 'with what was decided since');
    assert.ok(sums >= interactionSummaries && sums <= interactionSummaries + items);
    assert.ok(Number(removed.headers['x-config-version']) > Number(loaded.headers['x-config-version']));
    for (const resource of [
      'offers',
      'creatives',
      'channels',
      'placements',
      'categories',
      'schemas',
      'segments',
      'algorithm-models',
      'qualification-rules',
      'contact-policies',
      'decision-flows',
    ]) {
      assert.equal(await total(tenant, resource), 0, resource);
    }
    assert.deepEqual(await traces(tenant), { history: 0, figures: 0, suppressions: 0, contacts: 0, evidence: 0 });
    assert.deepEqual(await status(tenant), idle);
    assert.equal((await list(tenant)).currentlyLoaded, null);
    const state = await call<{ hasData: boolean }>(tenant, 'GET', '/api/v1/tenant/status');
    assert.equal(state.body.hasData, false, 'the tenant is empty again');
    const actions = await server.testDatabase.ownerQuery<{ action: string; entity_id: string }>(
      `select action, entity_id from arbiter.audit_logs where tenant_id = $1 and entity_type = 'seedDataset' order by sequence`,
      [tenant.id],
    );
    assert.deepEqual(actions, [
      { action: 'load_pack', entity_id: key },
      { action: 'unload_pack', entity_id: key },
    ]);
    assert.equal((await unload(tenant, key)).status, 404, 'it is not loaded any more');
  });
}

/** Returns what is left of the history of a dataset's offers. */
async function traces(tenant: TestTenant) {
  const [row] = await server.testDatabase.ownerQuery<Record<string, number>>(
    `select
       (select count(*) from arbiter.interaction_history where tenant_id = $1)::int as history,
       (select count(*) from arbiter.daily_totals where tenant_id = $1)::int as figures,
       (select count(*) from arbiter.customer_suppressions where tenant_id = $1)::int as suppressions,
       (select count(*) from arbiter.customer_states where tenant_id = $1 and (length(state) > 12 or base is not null))::int as contacts,
       (select coalesce(sum(abs(p) + abs(n)), 0) from (
          select sum(positives) as p, sum(negatives) as n from arbiter.evidence_changes where tenant_id = $1
           group by offer_id, category_id, channel_id) e)::int as evidence`,
    [tenant.id],
  );
  return row;
}

test("a dataset's counts match its history", async () => {
  const tenant = nextTenant();
  const loaded = await load(tenant);
  assert.equal(loaded.status, 201, loaded.text);
  const { counts } = loaded.body;
  const [sums] = await server.testDatabase.ownerQuery<Record<string, number>>(
    `select count(*)::int as rows, count(distinct (customer_id, (occurred_at at time zone 'UTC')::date, offer_id, creative_id, channel_id,
         direction))::int as sums, count(*) filter (where occurred_at > now())::int as future,
       count(*) filter (where occurred_at < now() - interval '91 days')::int as old
     from arbiter.interactions where tenant_id = $1`,
    [tenant.id],
  );
  assert.deepEqual(sums, { rows: counts.interactions, sums: counts.interactionSummaries, future: 0, old: 0 });
  const segments = await call<{ data: { name: string; customerCount: number }[] }>(tenant, 'GET', '/api/v1/segments');
  assert.deepEqual(
    segments.body.data.map(({ customerCount }) => customerCount > 0),
    [true, true, true],
  );
  const members = segments.body.data.reduce((sum, { customerCount }) => sum + customerCount, 0);
  assert.equal(members, counts.segmentCustomers);
  const again = await load(tenant, '?force=true');
  assert.equal(again.status, 201, again.text);
  assert.deepEqual(
    { ...again.body.counts, outcomeTypes: 1 },
    counts,
    'the same once more; the outcome type is there already',
  );
  const [once] = await server.testDatabase.ownerQuery<Record<string, number>>(
    `select (select count(*) from arbiter.interactions where tenant_id = $1)::int as rows,
       (select coalesce(sum(positives), 0) from arbiter.evidence_changes where tenant_id = $1)::int as positives,
       (select count(*) from arbiter.interactions where tenant_id = $1 and interaction_type = 'response'
          and classification = 'positive')::int as good`,
    [tenant.id],
  );
  assert.deepEqual(once, { rows: counts.interactions, positives: once?.good, good: once?.good });
});

test('a forced dataset replaces the loaded one', async () => {
  const tenant = nextTenant();
  assert.equal((await load(tenant)).status, 201);
  const conflict = await load(tenant, '', 'retail_bank');
  assert.equal(conflict.status, 409);
  assert.deepEqual(conflict.body, {
    status: 'conflict',
    currentlyLoaded: 'coffee_rewards',
    requestedLoad: 'retail_bank',
    message: 'coffee_rewards is already loaded. Use force=true to replace it.',
  });
  assert.equal((await unload(tenant, 'retail_bank')).status, 404);
  const forced = await load(tenant, '?force=true', 'retail_bank');
  assert.equal(forced.status, 201, forced.text);
  assert.equal((await list(tenant)).currentlyLoaded, 'retail_bank');
  assert.equal(await total(tenant, 'offers'), 14);
  assert.equal(await total(tenant, 'schemas'), 2);
  const decision = await call<{ decisionFlowKey: string; count: number }>(tenant, 'POST', '/api/v1/recommend', {
    customerId: 'BANK-000001',
    channel: 'email',
  });
  assert.equal(decision.body.decisionFlowKey, 'bank-next-best-offer');
  assert.ok(decision.body.count > 0);
});

test('a second load is a conflict unless forced; then it starts over, with everything below it', async () => {
  const tenant = nextTenant();
  assert.equal((await load(tenant)).status, 201);
  const conflict = await load(tenant);
  assert.equal(conflict.status, 409);
  assert.deepEqual(conflict.body, {
    status: 'conflict',
    currentlyLoaded: 'coffee_rewards',
    requestedLoad: 'coffee_rewards',
    message: 'coffee_rewards is already loaded. Use force=true to replace it.',
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

test('skips what the tenant deleted, and names what the tenant still needs without removing anything', async () => {
  const tenant = nextTenant();
  assert.equal((await load(tenant)).status, 201);
  const { body: schemas } = await call<{ data: { id: string; name: string }[] }>(tenant, 'GET', '/api/v1/schemas');
  const linked = await call<{ id: string }>(tenant, 'POST', '/api/v1/schemas', {
    name: 'my_visits',
    displayName: 'My visits',
    schemaType: 'transaction',
    fields: [
      { name: 'visit_id', displayName: 'Visit', dataType: 'varchar', length: 40, isPrimaryKey: true },
      { name: 'member_id', displayName: 'Member', dataType: 'varchar', length: 40 },
    ],
    linkedSchemaId: schemas.data.find(({ name }) => name === 'coffee_members')?.id,
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
  assert.equal(removed.body.counts.qualificationRules, 5);
});

test('a taken schema name is the same conflict, and leaves nothing of the dataset', async () => {
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

test('two parallel loads: one succeeds, the other conflicts', async () => {
  const tenant = nextTenant();
  const answers = await Promise.all([load(tenant), load(tenant), load(tenant, '?force=true')]);
  const statuses = answers.map((answer) => answer.status).sort();
  assert.ok(statuses[0] === 201, JSON.stringify(statuses));
  assert.ok(statuses.filter((each) => each === 409).length >= 1, JSON.stringify(statuses));
  assert.equal(await total(tenant, 'offers'), 12);
  assert.equal((await status(tenant)).status, 'running');
});

test('shows progress while loading; a load that ends silently has failed', async () => {
  const tenant = nextTenant();
  const inTenant = <T>(run: Parameters<typeof server.database.withTenant<T>>[2]) =>
    server.database.withTenant(tenant.id, systemActor('test'), run);
  await inTenant(async (tx) => {
    assert.equal(await takeSeedLock(tx), true);
    await inTenant((other) => upsertProgress(other, { key: 'x', status: 'running', step: 'rows', progress: 60 }));
    assert.deepEqual(await status(tenant, 'whatever'), { status: 'running', step: 'rows', progress: 60 });
    assert.equal((await load(tenant)).status, 409, 'one at a time');
    const viewer = await server.call('GET', `${path}/coffee_rewards/status`, { key: tenant.keys.viewer });
    assert.equal(viewer.status, 200);
  });
  assert.deepEqual(await status(tenant), { status: 'failed', step: 'rows', progress: 60 });
});

test('only admins load existing datasets, in their own tenant, five times a minute', async () => {
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
  for (let calls = 0; calls < 6; calls += 1) {
    assert.equal((await call(tenant, 'POST', `${path}/no_such_dataset`)).status, 404, 'is not counted');
  }
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
