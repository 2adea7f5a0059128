import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AlgorithmModel, Experiment } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { AppError } from '../../../platform/app-error.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { promoteModel } from '../../catalogue/models/index.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { judgeDue } from './judge.service.ts';

let server: TestServer;
let world: ModelWorld;
let tenantId: string;
let now = Date.parse('2026-11-03T12:00:00Z');
const dayMs = 86_400_000;

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  tenantId = server.tenants[0].id;
  world = await modelWorld(server, 2);
  const destination = { kind: 'webhook', name: 'Hook', config: { url: 'https://hooks.example.com/x' } };
  const made = await server.call('POST', '/api/v1/notifications/providers', { body: destination });
  assert.equal(made.status, 201, made.text);
});
after(() => server?.close());

const measureModel = async () => ({ psi: {}, errorRate: null });
const run = (promote: typeof promoteModel = promoteModel) =>
  judgeDue({ database: server.database, findModelUses: async () => [], measureModel, promote }, tenantId);

async function get<Body>(path: string): Promise<Body> {
  const read = await server.call<Body>('GET', `/api/v1/${path}`);
  assert.equal(read.status, 200, read.text);
  return read.body;
}
const put = async (id: string, body: object) => {
  const changed = await server.call<Experiment>('PUT', `/api/v1/experiments/${id}`, { body });
  assert.equal(changed.status, 200, changed.text);
};

let count = 0;
let batch = 0;
interface Made {
  readonly id: string;
  readonly family: string;
  readonly champion: string;
  readonly challengers: readonly string[];
}

/** An active experiment of a family's champion against two challengers, 50 to 25 each. */
async function make(more: object = {}): Promise<Made> {
  const family = `family-${++count}`;
  const models: string[] = [];
  for (const [key, baseScore] of [
    ['a', 30],
    ['b', 70],
    ['c', 60],
  ] as const) {
    const config = { baseScore, normalization: 'linear' };
    const body = { key: `${family}-${key}`, name: key, modelType: 'scorecard', status: 'active', family, config };
    models.push(await world.create('algorithm-models', body));
  }
  const [champion, ...challengers] = models as [string, string, string];
  for (const toStatus of ['challenger', 'champion']) {
    const moved = await server.call('POST', `/api/v1/algorithm-models/${champion}/promote`, { body: { toStatus } });
    assert.equal(moved.status, 200, moved.text);
  }
  const id = await world.create('experiments', {
    ...{ key: `x-${count}`, name: `Experiment ${count}`, status: 'active', autoPromote: true },
    ...{ championModelId: champion, trafficSplit: 50 },
    challengers: challengers.map((modelId) => ({ modelId, trafficPct: 25 })),
    ...more,
  });
  return { id, family, champion, challengers };
}

/** Exposes customers of a variant, of whom the first ones convert. */
async function fill(id: string, variant: string, exposed: number, converted: number): Promise<void> {
  const at = new Date(now);
  batch += 1;
  await server.testDatabase.ownerQuery(
    `insert into arbiter.experiment_exposures (tenant_id, experiment_id, customer_id, variant, exposed_at)
     select $1, $2::uuid, $2::text || $3::text || n, $3, $4 from generate_series(1, $5::int) n`,
    [tenantId, id, variant, at, exposed],
  );
  await server.testDatabase.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       occurred_at, created_at)
     select $1, overlay(($5::uuid)::text placing lpad(to_hex(n + $6::int), 12, '0') from 25)::uuid, $2::text || $3::text || n,
       'response', 'click', 'positive', 'inbound', $4, $4 from generate_series(1, $7::int) n`,
    [tenantId, id, variant, at, firstIdAt(now), batch * 100_000, converted],
  );
}

const fillAll = async ({ id, family }: Made, counts: Readonly<Record<'a' | 'b' | 'c', readonly [number, number]>>) => {
  await fill(id, '__champion__', ...counts.a);
  await fill(id, `${family}-b`, ...counts.b);
  await fill(id, `${family}-c`, ...counts.c);
};

const announced = async (id: string) =>
  server.testDatabase.ownerQuery<{ verdict: string; title: string }>(
    `select message -> 'data' ->> 'verdict' as verdict, message ->> 'title' as title
     from arbiter.notification_deliveries where origin_id = $1 order by id`,
    [id],
  );
const auditOf = async (id: string) =>
  (
    await get<{ data: { action: string; actor: { name: string | null }; entityType: string }[] }>(
      `audit-logs?entityId=${id}&limit=5`,
    )
  ).data.map(({ action }) => action);

test('the best challenger takes over: registry, swap, completion, audit and notification', async () => {
  const made = await make();
  await fillAll(made, { a: [2000, 200], b: [1000, 170], c: [1000, 150] });
  now += 14 * dayMs - 1;
  await run();
  assert.equal((await get<Experiment>(`experiments/${made.id}`)).autoPromoteVerdict, null, 'not before its day');
  now += 1;
  await run();
  const judged = await get<Experiment>(`experiments/${made.id}`);
  const [b, c] = made.challengers as [string, string];
  assert.deepEqual(
    [judged.autoPromoteVerdict, judged.status, judged.championModelId, judged.testedChampionId],
    ['promoted', 'completed', b, made.champion],
  );
  assert.deepEqual(
    judged.challengers.map(({ modelId }) => modelId),
    [made.champion, c],
  );
  assert.equal(judged.endedAt, new Date(now).toISOString());
  const registry = async (id: string) => (await get<AlgorithmModel>(`algorithm-models/${id}`)).registryStatus;
  assert.deepEqual(
    [await registry(made.champion), await registry(b), await registry(c)],
    ['archived', 'champion', 'draft'],
  );
  assert.equal((await auditOf(made.id))[0], 'promote');
  assert.deepEqual(
    (await announced(made.id)).map(({ verdict }) => verdict),
    ['promoted'],
  );
  // The results still tell of the models that were tested.
  const results = await get<{
    variants: { variant: string; modelId: string; exposed: number }[];
    srm: { mismatch: boolean };
  }>(`experiments/${made.id}/results`);
  assert.deepEqual(
    results.variants.map(({ variant, modelId, exposed }) => [variant, modelId, exposed]),
    [
      ['__champion__', made.champion, 2000],
      [`${made.family}-b`, b, 1000],
      [`${made.family}-c`, c, 1000],
    ],
  );
  assert.equal(results.srm.mismatch, false);
  // Flows follow: those that name the family, the old champion or the experiment.
  const named = { enabled: true, experimentKey: judged.key };
  for (const node of [{ modelKey: made.family }, { modelKey: `${made.family}-a` }, { championChallenger: named }]) {
    await world.publish({ method: 'propensity', ...node });
    const answer = await world.recommend(`after ${JSON.stringify(node)}`);
    assert.deepEqual([answer.decisions[0]?.modelKey, answer.experiment], [`${made.family}-b`, null]);
  }
  await run();
  assert.equal((await announced(made.id)).length, 1, 'it is judged once');
});

test("keeps the champion if a challenger isn't better or significant, or the groups mismatch", async () => {
  const cases: [string, object, Parameters<typeof fillAll>[1]][] = [
    ['not_better', {}, { a: [2000, 200], b: [1000, 119], c: [1000, 50] }],
    ['not_better', { promoteThreshold: 0.08 }, { a: [2000, 200], b: [1000, 170], c: [1000, 150] }],
    ['not_significant', {}, { a: [200, 20], b: [100, 13], c: [100, 10] }],
    // Significant at 0.05, but not at half of it.
    ['not_significant', {}, { a: [2000, 200], b: [1000, 125], c: [1000, 100] }],
    ['sample_ratio_mismatch', {}, { a: [2000, 200], b: [1300, 300], c: [1000, 100] }],
  ];
  const made: [string, Made][] = [];
  for (const [verdict, more, counts] of cases) {
    const each = await make(more);
    await fillAll(each, counts);
    made.push([verdict, each]);
  }
  now += 14 * dayMs;
  await run();
  for (const [verdict, { id, champion }] of made) {
    const judged = await get<Experiment>(`experiments/${id}`);
    assert.deepEqual(
      [judged.autoPromoteVerdict, judged.status, judged.championModelId, judged.testedChampionId],
      [verdict, 'active', champion, null],
    );
    assert.deepEqual(
      (await announced(id)).map((row) => row.verdict),
      [verdict],
    );
  }
});

test("a later day rearms it, and it's judged again on that day", async () => {
  const made = await make();
  now += 14 * dayMs;
  await run();
  assert.equal((await get<Experiment>(`experiments/${made.id}`)).autoPromoteVerdict, 'not_better');
  await fillAll(made, { a: [2000, 200], b: [1000, 170], c: [1000, 150] });
  await run();
  assert.equal((await get<Experiment>(`experiments/${made.id}`)).autoPromoteVerdict, 'not_better');
  await put(made.id, { promoteAfterDays: 15 });
  await run();
  assert.equal((await get<Experiment>(`experiments/${made.id}`)).autoPromoteVerdict, null);
  now += dayMs;
  await run();
  assert.equal((await get<Experiment>(`experiments/${made.id}`)).autoPromoteVerdict, 'promoted');
});

test('judges only active experiments with automatic promotion, and none while disabled', async () => {
  const [manual, paused, disabled] = [await make({ autoPromote: false }), await make(), await make()];
  await put(paused.id, { status: 'paused' });
  now += 14 * dayMs;
  const setting = (enableExperiments: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableExperiments } });
  await setting(false);
  await run();
  await setting(true);
  for (const { id } of [manual, paused, disabled]) {
    assert.equal((await get<Experiment>(`experiments/${id}`)).autoPromoteVerdict, null);
  }
  await put(paused.id, { status: 'active' });
  await run();
  assert.equal((await get<Experiment>(`experiments/${manual.id}`)).autoPromoteVerdict, null);
  assert.equal((await get<Experiment>(`experiments/${paused.id}`)).autoPromoteVerdict, 'not_better');
});

test("a promotion that the model's guard blocks is rolled back, and the verdict says so", async () => {
  const made = await make();
  await fillAll(made, { a: [2000, 200], b: [1000, 170], c: [1000, 150] });
  now += 14 * dayMs;
  await run(async (tx, id, request, ports) => {
    const moved = await promoteModel(tx, id, request, ports);
    if (request.toStatus === 'champion') throw new AppError('rollback_guard', { detail: 'AUC fell too far' });
    return moved;
  });
  const judged = await get<Experiment>(`experiments/${made.id}`);
  assert.deepEqual(
    [judged.autoPromoteVerdict, judged.status, judged.championModelId],
    ['guard', 'active', made.champion],
  );
  const winner = await get<AlgorithmModel>(`algorithm-models/${made.challengers[0]}`);
  assert.deepEqual([winner.registryStatus, winner.version], ['draft', 1]);
  assert.deepEqual(
    (await announced(made.id)).map(({ verdict }) => verdict),
    ['guard'],
  );
});
