import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DecisionTrace, RecommendAnswer } from '@arbiter/contract';
import { u } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from '../../catalogue/models/test-models.ts';
import { runQueue } from '../../outreach/campaigns/test-campaigns.ts';

let server: TestServer;
let world: ModelWorld;
let now = Date.parse('2026-11-20T12:00:00Z');
let one: string;
let two: string;
let experiment: string;
const dayMs = 86_400_000;

const call = (method: string, path: string, body?: object) =>
  server.call<Record<string, never>>(method, `/api/v1/${path}`, body === undefined ? {} : { body });
async function must(method: string, path: string, body?: object): Promise<void> {
  const done = await call(method, path, body);
  assert.ok(done.status < 300, `${path}: ${done.text}`);
}
const change = (body: object) => must('PUT', `experiments/${experiment}`, body);
const scorecard = (key: string, baseScore: number) =>
  world.create('algorithm-models', {
    ...{ key, name: key, modelType: 'scorecard', status: 'active' },
    config: { baseScore, normalization: 'linear' },
  });

interface Stored {
  readonly variant: string;
  readonly share: number;
  readonly used: Date;
  readonly assigned: Date;
}
const stored = async (customerId: string): Promise<Stored[]> =>
  server.testDatabase.ownerQuery<Stored>(
    `select variant, share, used_at as used, assigned_at as assigned from arbiter.experiment_assignments
     where customer_id = $1 order by variant`,
    [customerId],
  );
const exposed = async (customerId: string) =>
  server.testDatabase.ownerQuery<{ variant: string; at: Date }>(
    'select variant, exposed_at as at from arbiter.experiment_exposures where customer_id = $1',
    [customerId],
  );

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  world = await modelWorld(server, 2);
  one = await scorecard('one', 30);
  two = await scorecard('two', 70);
  await must('PUT', 'tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  experiment = await world.create('experiments', {
    ...{ key: 'exp-1', name: 'Experiment', status: 'active', championModelId: one, trafficSplit: 50 },
    ...{ challengers: [{ modelId: two, trafficPct: 30 }], holdoutPercent: 20 },
  });
  assert.equal((await world.publish({ method: 'propensity', modelKey: 'one' })).status, 200);
});
after(() => server?.close());

/** A new customer in this part of the traffic, in percent. */
let count = 0;
function customerIn(from: number, to: number): string {
  for (;;) {
    const customerId = `C${++count}`;
    const x = u(`exp-1:${customerId}`) * 100;
    if (x >= from && x < to) return customerId;
  }
}
const champion = () => customerIn(0, 50);
const challenger = () => customerIn(50, 80);
const heldOut = () => customerIn(80, 100);

const shownBy = ({ decisions }: RecommendAnswer) => decisions[0]?.modelKey;
const traceOf = async ({ trace }: RecommendAnswer) => {
  const read = await server.call<DecisionTrace>('GET', `/api/v1/decision-traces/${trace.traceId}`);
  assert.equal(read.status, 200, read.text);
  return read.body;
};
const inputsOf = async ({ recommendationId }: RecommendAnswer) => {
  const read = await server.call<{
    inputs: { experiments: object[] };
    assignment: { experiment: number | null; holdout: unknown };
  }>('GET', `/api/v1/decisions/${recommendationId}?include=inputs`);
  assert.equal(read.status, 200, read.text);
  return read.body;
};

test('each variant scores with its model, and response, trace, record and history say so', async () => {
  for (const [customerId, variant, modelKey, share] of [
    [champion(), '__champion__', 'one', 0.5],
    [challenger(), 'two', 'two', 0.3],
    [heldOut(), '__holdout__', null, 0.2],
  ] as const) {
    const answer = await world.recommend(customerId);
    assert.deepEqual(answer.experiment, { experimentKey: 'exp-1', variant });
    assert.deepEqual([shownBy(answer), answer.controlGroup], [modelKey, variant === '__holdout__']);
    const trace = await traceOf(answer);
    const expected = { experimentKey: 'exp-1', variant, modelKey, fallback: false };
    assert.deepEqual(trace.experimentAssignment, expected);
    const { inputs, assignment } = await inputsOf(answer);
    assert.deepEqual(inputs.experiments, [{ key: 'exp-1', variant, share }]);
    assert.equal(assignment.experiment, share);
    const [row] = await server.testDatabase.ownerQuery<{ experiments: object }>(
      'select experiments from arbiter.decision_impressions where customer_id = $1',
      [customerId],
    );
    assert.deepEqual(row?.experiments, [{ id: experiment, key: 'exp-1', variant, share }]);
    assert.deepEqual(await stored(customerId), [{ variant, share, used: new Date(now), assigned: new Date(now) }]);
    assert.deepEqual(await exposed(customerId), [{ variant, at: new Date(now) }]);
    await world.replays(answer);
  }
});

test('a dry run and a simulation show the variant and store nothing', async () => {
  const customerId = challenger();
  const dry = await world.recommend(customerId, { dryRun: true });
  assert.deepEqual(dry.experiment, { experimentKey: 'exp-1', variant: 'two' });
  const tried = await server.call<RecommendAnswer>('POST', '/api/v1/simulate', {
    body: { customerId, decisionFlowKey: 'models' },
  });
  assert.equal(tried.status, 200, tried.text);
  assert.deepEqual([tried.body.experiment, shownBy(tried.body)], [dry.experiment, 'two']);
  assert.deepEqual([await stored(customerId), await exposed(customerId)], [[], []]);
});

test('customers keep their variant when shares change, for 30 days after the last use', async () => {
  const [kept, ended, early] = [challenger(), challenger(), challenger()];
  const first = await world.recommend(kept);
  await world.recommend(ended);
  await change({ trafficSplit: 100, challengers: [{ modelId: two, trafficPct: 0 }], holdoutPercent: 0 });
  assert.equal(shownBy(await world.recommend(early)), 'one', 'who comes now gets what the shares say');
  now += 29 * dayMs;
  const later = await world.recommend(kept);
  assert.deepEqual([shownBy(later), later.experiment?.variant], ['two', 'two']);
  assert.deepEqual((await inputsOf(later)).inputs.experiments, [{ key: 'exp-1', variant: 'two', share: 0.3 }]);
  // Simulations and why-not see what is stored.
  const tried = await server.call<RecommendAnswer>('POST', '/api/v1/simulate', {
    body: { customerId: kept, decisionFlowKey: 'models' },
  });
  assert.equal(tried.body.experiment?.variant, 'two');
  now += dayMs;
  const again = await world.recommend(ended);
  assert.deepEqual([shownBy(again), again.experiment?.variant], ['one', '__champion__']);
  assert.deepEqual(await stored(ended), [
    { variant: '__champion__', share: 1, used: new Date(now), assigned: new Date(now) },
  ]);
  assert.deepEqual(
    (await exposed(ended)).map(({ variant }) => variant),
    ['two'],
    'the first exposure counts',
  );
  now += 29 * dayMs - 1;
  assert.equal(shownBy(await world.recommend(kept)), 'two', 'counted from the last use');
  now += 30 * dayMs;
  assert.equal(shownBy(await world.recommend(kept)), 'one');
  for (const answer of [first, later, again]) await world.replays(answer);
  await change({ trafficSplit: 50, challengers: [{ modelId: two, trafficPct: 30 }], holdoutPercent: 20 });
  for (const answer of [first, later, again]) await world.replays(answer);
});

async function restore(): Promise<void> {
  await must('POST', `restore?entityType=experiment&id=${experiment}`);
  await change({ status: 'active' });
}

test('while it is paused, disabled or deleted, the champion scores for everyone and nothing is stored', async () => {
  const off: [() => Promise<void>, () => Promise<void>][] = [
    [() => change({ status: 'paused' }), () => change({ status: 'active' })],
    [
      () => must('PUT', 'tenant-settings', { enableExperiments: false }),
      () => must('PUT', 'tenant-settings', { enableExperiments: true }),
    ],
    [() => must('DELETE', `experiments/${experiment}`), restore],
  ];
  const named = { method: 'propensity', championChallenger: { enabled: true, experimentKey: 'exp-1' } };
  const before = challenger();
  const usual = await world.recommend(before);
  for (const [stop, start] of off) {
    for (const node of [{ method: 'propensity', modelKey: 'one' }, named]) {
      assert.equal((await world.publish(node)).status, 200);
      await stop();
      for (const customerId of [challenger(), heldOut(), before]) {
        const answer = await world.recommend(customerId);
        assert.deepEqual([shownBy(answer), answer.experiment, answer.controlGroup], ['one', null, false]);
        assert.equal((await traceOf(answer)).experimentAssignment, null);
        assert.deepEqual((await inputsOf(answer)).inputs.experiments, []);
        if (customerId !== before) assert.deepEqual([await stored(customerId), await exposed(customerId)], [[], []]);
        await world.replays(answer);
      }
      await start();
      assert.equal(shownBy(await world.recommend(challenger())), 'two');
    }
  }
  await world.publish({ method: 'propensity', modelKey: 'one' });
  await world.replays(usual);
});

test('an inactive challenger leaves its customers to the champion, as its own variant', async () => {
  await must('PUT', `algorithm-models/${two}`, { status: 'paused' });
  const customerId = challenger();
  const answer = await world.recommend(customerId);
  assert.deepEqual([shownBy(answer), answer.experiment?.variant], ['one', 'two']);
  const { experimentAssignment } = await traceOf(answer);
  assert.deepEqual(experimentAssignment, { experimentKey: 'exp-1', variant: 'two', modelKey: 'one', fallback: true });
  assert.deepEqual(
    (await stored(customerId)).map(({ variant }) => variant),
    ['two'],
  );
  await must('PUT', `algorithm-models/${two}`, { status: 'active' });
  assert.equal(shownBy(await world.recommend(customerId)), 'two');
  await world.replays(answer);
});

test('a score node may name the experiment, and only one that exists', async () => {
  const node = (experimentKey: string) => ({
    method: 'propensity',
    championChallenger: { enabled: true, experimentKey },
  });
  assert.equal((await world.publish(node('exp-1'))).status, 200);
  assert.equal(shownBy(await world.recommend(challenger())), 'two');
  assert.equal(shownBy(await world.recommend(champion())), 'one');
  const refused = await world.publish(node('nothing'));
  assert.match(refused.text, /unknown_reference/);
  await world.publish({ method: 'propensity', modelKey: 'one' });
});

test('on explicit channels, a customer is exposed when the impression is reported', async () => {
  const [channel] = (await server.call<{ data: { id: string }[] }>('GET', '/api/v1/channels')).body.data;
  await must('PUT', `channels/${channel?.id}`, { impressionMode: 'explicit' });
  const [shown, unseen, clicked] = [challenger(), challenger(), challenger()];
  const answer = await world.recommend(shown);
  await world.recommend(unseen);
  assert.equal((await stored(shown)).length, 1);
  assert.deepEqual(await exposed(shown), []);
  const at = new Date(now - 60_000);
  await world.respond(answer, 1, 'impression', { timestamp: at.toISOString() });
  assert.deepEqual(await exposed(shown), [{ variant: 'two', at }]);
  await world.respond(await world.recommend(clicked), 1, 'click');
  assert.deepEqual(await exposed(clicked), [{ variant: 'two', at: new Date(now) }]);
  assert.deepEqual(await exposed(unseen), []);
  await must('PUT', `channels/${channel?.id}`, { impressionMode: 'implicit' });
});

test('erasure deletes and counts assignments, and exposures with them', async () => {
  const [plain, whole, traces] = [challenger(), challenger(), challenger()];
  for (const customerId of [plain, whole, traces]) await world.recommend(customerId);
  const erase = async (customerId: string, path: string) => {
    const erased = await server.call<{ counts: { experimentAssignments: number } }>('DELETE', `/api/v1/${path}`, {
      headers: { 'x-confirm-delete': customerId },
    });
    assert.equal(erased.status, 200, erased.text);
    return erased.body.counts.experimentAssignments;
  };
  assert.equal(await erase(traces, `customers/${traces}/data?scope=traces`), 0);
  assert.equal((await stored(traces)).length, 1);
  assert.equal(await erase(plain, `customers/${plain}`), 1);
  assert.equal(await erase(plain, `customers/${plain}`), 0);
  assert.equal(await erase(whole, `customers/${whole}/data?scope=everything`), 1);
  for (const customerId of [plain, whole]) {
    assert.deepEqual([await stored(customerId), await exposed(customerId)], [[], []]);
  }
});

test('cleanup deletes and counts assignments 30 days after their last use', async () => {
  const cleanup = async () => {
    const cleaned = await server.call<{ cleaned: { expiredVariantAssignments: number } }>('POST', '/api/v1/cleanup');
    assert.equal(cleaned.status, 200, cleaned.text);
    return cleaned.body.cleaned.expiredVariantAssignments;
  };
  now += 40 * dayMs;
  await cleanup();
  const [used, unused] = [challenger(), challenger()];
  await world.recommend(used);
  await world.recommend(unused);
  now += 30 * dayMs - 1;
  assert.equal(await cleanup(), 0);
  await world.recommend(used);
  now += 1;
  assert.equal(await cleanup(), 1);
  assert.deepEqual([(await stored(used)).length, (await stored(unused)).length], [1, 0]);
  assert.equal((await exposed(unused)).length, 1, 'results keep the customer');
});

test('assignments are counted by kind of variant', async () => {
  const counted = async () => {
    const text = await server.registry.metrics();
    return Number(/^svc_experiment_assignments_total\{variant="challenger"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await counted();
  const customerId = challenger();
  await world.recommend(customerId);
  await world.recommend(customerId);
  await world.recommend(challenger(), { dryRun: true });
  assert.equal(await counted(), before + 1);
});

test('exposures are deleted with their history', async () => {
  const put = (days: number) =>
    must('POST', 'admin/retention-configs', { dataClass: 'interactions', retentionDays: days });
  const [old, young] = [challenger(), challenger()];
  await world.recommend(old);
  now += 5 * dayMs;
  await world.recommend(young);
  await put(3);
  const expire = server.jobs.get('assignments.expire');
  assert.ok(expire !== undefined);
  await expire.run(
    {},
    { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal },
    server.tenants[0].id,
  );
  assert.deepEqual([(await exposed(old)).length, (await exposed(young)).length], [0, 1]);
  assert.equal((await stored(old)).length, 1, 'the assignment has a life of its own');
});

test('why-not uses the stored variant', async () => {
  await change({ trafficSplit: 50, challengers: [{ modelId: two, trafficPct: 30 }], holdoutPercent: 20 });
  const customerId = challenger();
  await world.recommend(customerId);
  await change({ trafficSplit: 100, challengers: [{ modelId: two, trafficPct: 0 }], holdoutPercent: 0 });
  const [offerId] = world.offers;
  const asked = await server.call<{ score: number }>('GET', `/api/v1/customers/${customerId}/why-not/${offerId}`);
  assert.deepEqual([asked.status, asked.body.score], [200, 0.7], asked.text);
  const fresh = await server.call<{ score: number }>('GET', `/api/v1/customers/${challenger()}/why-not/${offerId}`);
  assert.equal(fresh.body.score, 0.3);
  await change({ trafficSplit: 50, challengers: [{ modelId: two, trafficPct: 30 }], holdoutPercent: 20 });
});

test('a campaign decides under the experiment like recommend', async () => {
  const customers = [champion(), challenger(), heldOut()];
  const schema = await world.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: [{ name: 'customer_id', dataType: 'varchar', length: 40, isPrimaryKey: true, isNullable: false }],
  });
  await must('POST', `schemas/${schema}/data`, { rows: customers.map((customer_id) => ({ customer_id })) });
  const segmentId = await world.create('segments', { name: 'All', baseSchemaId: schema, filters: { all: [] } });
  const body = { name: 'Campaign', decisionFlowId: world.flow, segmentId };
  const campaign = await world.create('runs', body);
  const started = await server.call<{ id: string }>('POST', `/api/v1/runs/${campaign}/campaign-runs`);
  assert.equal(started.status, 201, started.text);
  await runQueue(server, 'campaign.chunk');
  const variants = await Promise.all(customers.map(async (customer) => (await stored(customer))[0]?.variant));
  assert.deepEqual(variants, ['__champion__', 'two', '__holdout__']);
  for (const customer of customers) assert.equal((await exposed(customer)).length, 1);
});

test('of two processes that see a new customer at once, one assigns and the other reuses it', async () => {
  const customerId = challenger();
  // Another process has made the customer and assigned a variant that no hash gives, and commits while this one waits.
  const commit = await server.testDatabase.ownerHold(
    `insert into arbiter.customer_states (tenant_id, customer_id, ref, data_key, state)
       select tenant_id, '${customerId}', gen_random_uuid(), data_key, '' from arbiter.customer_states limit 1;
     insert into arbiter.experiment_assignments (tenant_id, customer_id, experiment_id, variant, share, assigned_at, used_at)
       values ('${server.tenants[0].id}', '${customerId}', '${experiment}', '__champion__', 0.5, '${new Date(now).toISOString()}',
         '${new Date(now).toISOString()}')`,
  );
  const asked = world.recommend(customerId);
  for (;;) {
    const [waiting] = await server.testDatabase.ownerQuery<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%customer_states%'`,
    );
    if ((waiting?.count ?? 0) > 0) break;
  }
  await commit();
  assert.equal((await asked).experiment?.variant, '__champion__');
});
