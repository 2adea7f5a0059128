import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { systemActor } from '../../db/index.ts';
import { createDecisionMetrics } from '../../features/deciding/decisions/index.ts';
import { recordAudit } from '../../features/identity/audit/index.ts';
import { queueDelivery } from '../../features/outreach/deliveries/index.ts';
import { enqueueJob, job } from '../../jobs/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { newId } from '../../platform/ids.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { createProcessMetrics } from './metrics.ts';

const token = 'a token of the metrics tests';
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 4, config: { METRICS_TOKEN: token } });
});
after(() => server?.close());

/** Returns the value of one line of /metrics, or null. */
async function metric(line: string): Promise<number | null> {
  const { status, text } = await server.call('GET', '/api/v1/metrics', {
    key: null,
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(status, 200, text);
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
}

const recommend = (body: object) => server.call('POST', '/api/v1/recommend', { body });

test('svc_audit_rows_total counts committed rows only', async () => {
  const before = (await metric('svc_audit_rows_total')) ?? 0;
  const [tenant] = server.tenants;
  const entry = { action: 'update', entityType: 'offer', entityName: null } as const;
  const write = (rows: number, fail: boolean) =>
    server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
      for (let i = 0; i < rows; i++) await recordAudit(tx, { ...entry, entityId: newId() });
      if (fail) throw new Error('changed my mind');
    });
  await write(3, false);
  await assert.rejects(write(5, true), /changed my mind/);
  await server.create('categories', { name: 'One row' });
  assert.equal(await metric('svc_audit_rows_total'), before + 4);
});

test('svc_policy_blocks_total counts what policies removed, by type, traced or not', async () => {
  const email = await server.create('channels', { name: 'Email', channelType: 'email' });
  for (let i = 0; i < 5; i++) {
    const offerId = await server.create('offers', { name: `Offer ${i}`, status: 'active', priority: 90 - i });
    await server.create('creatives', { name: `mail ${i}`, offerId, channelId: email, status: 'active' });
    if (i === 4) {
      const one = { ruleType: 'do_not_contact', scope: 'offer', scopeId: offerId, config: {} };
      await server.create('contact-policies', { name: 'Never the last', ...one });
    }
  }
  const twoADay = { ruleType: 'frequency_cap', scope: 'global', config: { maxPerDay: 2 } };
  await server.create('contact-policies', { name: 'Two a day', ...twoADay });
  const blocks = async () => [
    (await metric('svc_policy_blocks_total{ruleType="frequency_cap"}')) ?? 0,
    (await metric('svc_policy_blocks_total{ruleType="do_not_contact"}')) ?? 0,
  ];
  assert.deepEqual(await blocks(), [0, 0]);
  const first = await recommend({ customerId: 'B1', channel: 'email', limit: 3 });
  assert.equal(first.body.count, 2, first.text);
  // Two were delivered; the cap held back the other two, and one offer belongs to nobody.
  assert.deepEqual(await blocks(), [2, 1]);
  // The cap is used up, so it removes all four at once.
  assert.equal((await recommend({ customerId: 'B1', channel: 'email' })).body.count, 0);
  assert.deepEqual(await blocks(), [6, 2]);
  const traced = await server.call('PUT', '/api/v1/tenant-settings', { body: { decisionTraceEnabled: true } });
  assert.equal(traced.status, 200, traced.text);
  assert.equal((await recommend({ customerId: 'B1', channel: 'email' })).body.count, 0);
  assert.deepEqual(await blocks(), [10, 3]);
});

test("svc_config_age_seconds is the maximum over the last decisions, however often it's read", async () => {
  assert.notEqual(await metric('svc_config_age_seconds'), null);
  const registry = new Registry();
  const clock = { ms: 1_000 };
  const metrics = createDecisionMetrics(registry, () => clock.ms);
  const counts = {
    items: 0,
    candidates: 0,
    dropped: new Map(),
    blocked: new Map(),
    degraded: new Map(),
    assigned: new Map(),
    reserved: 0,
    add: () => undefined,
  };
  for (const ageMs of [10, 2_500, 0]) metrics.batchDecided('t', 1, counts, ageMs);
  const read = async () => (await registry.getSingleMetric('svc_config_age_seconds')?.get())?.values[0]?.value;
  assert.deepEqual([await read(), await read()], [2.5, 2.5]);
  clock.ms += 60_000;
  metrics.batchDecided('t', 1, counts, 40);
  assert.equal(await read(), 2.5);
  clock.ms += 60_000;
  assert.equal(await read(), 0.04);
  clock.ms += 600_000;
  assert.equal(await read(), 0);
});

test('svc_degraded_scoring_total counts models that decisions went without: 200 by name, the rest together', async () => {
  const registry = new Registry();
  const metrics = createDecisionMetrics(registry);
  const nothing = {
    items: 0,
    candidates: 0,
    dropped: new Map(),
    blocked: new Map(),
    assigned: new Map(),
    reserved: 0,
    add: () => undefined,
  };
  const keys = Array.from({ length: 202 }, (_, at) => `model-${at}`);
  metrics.batchDecided('t', 1, { ...nothing, degraded: new Map(keys.map((key) => [key, 2])) }, 0);
  metrics.batchDecided('t', 1, { ...nothing, degraded: new Map([['model-0', 1]]) }, 0);
  const values = (await registry.getSingleMetric('svc_degraded_scoring_total')?.get())?.values ?? [];
  const of = (modelKey: string) => values.find(({ labels }) => labels.modelKey === modelKey)?.value;
  assert.deepEqual([of('model-0'), of('model-199'), of('model-200'), of('other')], [3, 2, undefined, 4]);
});

test('svc_cache_requests_total counts hits and misses', async () => {
  const asked = async (result: string) =>
    (await metric(`svc_cache_requests_total{cache="catalogues",result="${result}"}`)) ?? 0;
  const [hits, misses] = [await asked('hit'), await asked('miss')];
  assert.equal((await recommend({ customerId: 'B2', channel: 'email' })).status, 200);
  assert.ok((await asked('hit')) > hits);
  assert.equal(await asked('miss'), misses);
  assert.ok(((await metric('svc_cache_requests_total{cache="credentials",result="miss"}')) ?? 0) > 0);
});

const oneTask = job({ name: 'one.task', payload: Type.Object({}, { additionalProperties: false }) });
const anotherTask = job({ name: 'another.task', payload: Type.Object({}, { additionalProperties: false }) });

test('svc_queue_depth counts waiting jobs of all tenants by task', async () => {
  const registry = new Registry();
  createProcessMetrics(registry, server.database);
  const depths = async () => {
    const read = await registry.getSingleMetric('svc_queue_depth')?.get();
    return Object.fromEntries(read?.values.map(({ labels, value }) => [String(labels.task), value]) ?? []);
  };
  assert.deepEqual(await depths(), {});
  for (const tenantId of [newId(), newId()]) {
    await server.database.withTenant(tenantId, systemActor('test'), async (tx) => {
      await enqueueJob(tx, oneTask, {});
      await enqueueJob(tx, anotherTask, {});
      await enqueueJob(tx, anotherTask, {});
    });
  }
  assert.deepEqual(await depths(), { 'one.task': 2, 'another.task': 4 });
  await server.testDatabase.ownerQuery('update graphile_worker._private_jobs set attempts = max_attempts');
  assert.deepEqual(await depths(), {});
});

test('svc_dlq_depth counts dead letters of all tenants by topic', async () => {
  const registry = new Registry();
  createProcessMetrics(registry, server.database);
  const depths = async () => {
    const read = await registry.getSingleMetric('svc_dlq_depth')?.get();
    return Object.fromEntries(read?.values.map(({ labels, value }) => [String(labels.topic), value]) ?? []);
  };
  assert.deepEqual(await depths(), {});
  const insert = `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
    values ($1, $2, $3, '{}', 'failed', 1, now())`;
  for (const topic of ['one.task', 'another.task', 'another.task']) {
    await server.testDatabase.ownerQuery(insert, [newId(), newId(), topic]);
  }
  assert.deepEqual(await depths(), { 'one.task': 1, 'another.task': 2 });
  await server.testDatabase.ownerQuery("delete from arbiter.dead_letters where topic = 'one.task'");
  assert.deepEqual(await depths(), { 'another.task': 2 });
});

test('svc_exports_failed counts tenants whose last export failed, by the error', async () => {
  const registry = new Registry();
  createProcessMetrics(registry, server.database);
  const failed = async () => {
    const read = await registry.getSingleMetric('svc_exports_failed')?.get();
    return Object.fromEntries(read?.values.map(({ labels, value }) => [String(labels.error), value]) ?? []);
  };
  assert.deepEqual(await failed(), {});
  const insert = 'insert into arbiter.export_checkpoints (tenant_id, status, error) values ($1, $2, $3)';
  for (const [place, error] of ['ENOSPC', 'EACCES', 'ENOSPC', null].entries()) {
    const status = error === null ? 'ok' : 'failed';
    await server.testDatabase.ownerQuery(insert, [server.tenants[place]!.id, status, error]);
  }
  assert.deepEqual(await failed(), { ENOSPC: 2, EACCES: 1 });
  await server.testDatabase.ownerQuery("update arbiter.export_checkpoints set status = 'ok'");
  assert.deepEqual(await failed(), {});
});

test("metrics of the whole installation aren't summed over processes, and are absent while the database is away", async () => {
  let failure: Error = new AppError('unavailable');
  const registry = new Registry();
  createProcessMetrics(registry, {
    connections: () => ({ total: 0, idle: 0, waiting: 0 }),
    withSystem: () => Promise.reject(failure),
  });
  for (const name of ['svc_dlq_depth', 'svc_exports_failed', 'svc_queue_depth']) {
    const metric = registry.getSingleMetric(name);
    assert.ok(metric);
    const read = await metric.get();
    assert.equal(read.aggregator, 'max', name);
    assert.deepEqual(read.values, [], name);
    failure = new Error('a fault of ours');
    await assert.rejects(async () => metric.get(), /a fault of ours/, name);
    failure = new AppError('unavailable');
  }
});

/** Metrics of features that don't exist yet. Remove a metric here when you add its feature. */
const ofFeaturesToCome = [
  'svc_guardrail_results_total',
  // Rule types are a closed list: none is unknown to a decision.
  'svc_qualification_unknown_rule_total',
];

test('every metric of the page exists with its labels, or awaits its feature; each has a help text', async () => {
  const page = await readFile(new URL('../../../../../docs/design/api-access.md', import.meta.url), 'utf8');
  const listed = page.slice(page.indexOf('\nMetrics: `svc_'), page.indexOf('\n## 20.'));
  const wanted = new Map<string, string>();
  for (const [, name, labels] of listed.matchAll(/`(svc_[a-z_]+)(?:\{([a-zA-Z,]+)\})?`/g))
    wanted.set(name!, labels ?? '');
  assert.ok(wanted.size > 40, 'the list was found');
  const jobs = new Registry();
  createProcessMetrics(jobs, server.database);
  const there = new Map<string, string>();
  for (const registry of [server.registry, jobs]) {
    for (const { name, help } of await registry.getMetricsAsJSON()) {
      assert.ok(help.length > 10, name);
      const labels: unknown = Reflect.get(registry.getSingleMetric(name) ?? {}, 'labelNames');
      there.set(name, Array.isArray(labels) ? labels.toSorted().join() : '');
    }
  }
  // Registered where the outbox is worked off (background.ts).
  there.set('svc_outbox_lag_seconds', '');
  const missing = [...wanted.keys()].filter((name) => !there.has(name));
  assert.deepEqual(missing.toSorted(), ofFeaturesToCome);
  for (const [name, labels] of wanted) {
    if (there.has(name)) assert.equal(there.get(name), labels.split(',').toSorted().join(), name);
  }
});

test('svc_triggers_fired_total counts firings by action, svc_deliveries_total messages by their status', async () => {
  const journeyId = await server.create('journeys', {
    ...{ name: 'Counted', status: 'active' },
    definition: {
      nodes: [
        { id: 'start', type: 'entry_trigger', config: {} },
        { id: 'end', type: 'exit', config: {} },
      ],
      edges: [{ from: 'start', to: 'end' }],
    },
  });
  await server.create('triggers', {
    ...{ name: 'Counted', eventType: 'purchase', condition: { field: 'data.n', operator: 'gte', value: 2 } },
    ...{ actionType: 'journey_enroll', actionConfig: { journeyId } },
  });
  const fired = () => metric('svc_triggers_fired_total{actionType="journey_enroll"}');
  for (const n of [1, 2, 3]) {
    const body = { type: 'purchase', customerId: `C-${n}`, data: { n } };
    const { status, text } = await server.call('POST', '/api/v1/events/ingest', { body });
    assert.equal(status, 200, text);
  }
  assert.equal(await fired(), 2);

  const [{ id: tenantId }] = server.tenants;
  const deliveryId = await server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    queueDelivery(tx, {
      ...{ origin: { source: 'journey', journeyId }, customerId: 'C-1', offerId: newId(), creativeId: null },
      ...{ channelId: newId(), recommendationId: null, effectKey: 'counted' },
    }),
  );
  const failed = () => metric('svc_deliveries_total{status="failed"}');
  assert.equal(await failed(), null);
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await server.jobs.get('delivery.send')!.run({ deliveryId }, facts, tenantId);
  assert.equal(await failed(), 1);
});
