import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { dropEmptyMonths, systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { idAt, newId } from '../../../platform/ids.ts';
import { retainingSteps as otherSteps } from '../decisions/decisions.jobs.ts';
import { createEvidenceKeeper } from '../evidence/evidence-keeper.ts';
import { appendChanges, rebuildEvidence } from '../evidence/index.ts';
import { retainingSteps } from './sealed-records.jobs.ts';

const dayMs = 86_400_000;
/** The processes' clock; the database has its own, which only the ids and these rows know nothing of. */
let now = Date.now();
let server: TestServer;
let tenantId: string;
let flowId: string;

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  tenantId = server.tenants[0].id;
  await server.create('offers', { name: 'A', status: 'active', priority: 50 });
});
after(() => server?.close());
beforeEach(() => {
  now = Date.now();
});

const rows = (text: string, values: unknown[] = [tenantId]) => server.testDatabase.ownerQuery(text, values);
const count = async (table: string): Promise<number> =>
  Number((await rows(`select count(*) as n from arbiter.${table} where tenant_id = $1`))[0]!.n);

const inTenant = <T>(work: (tx: Tx) => Promise<T>) => server.database.withTenant(tenantId, systemActor('test'), work);

/** Runs the nightly jobs at this instant of the clock. */
const noPlans = async () => [];

async function retain(steps = [...retainingSteps(noPlans), ...otherSteps]): Promise<void> {
  for (const step of steps) while (await inTenant(step));
}

async function decide(): Promise<string> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1' },
  });
  assert.equal(status, 200, text);
  assert.equal(body.count, 1, text);
  flowId = body.decisionFlowId;
  return body.recommendationId!;
}

/** Makes a record as old as if it had been stored this many days ago: its id tells its age. */
async function age(id: string, days: number): Promise<string> {
  const at = Date.now() - days * dayMs;
  await rows(`select arbiter.ensure_month_partitions('arbiter.decisions', $1::date, 1)`, [new Date(at)]);
  const older = `${idAt(at).slice(0, 34)}00`;
  await rows('update arbiter.decisions set id = $2, decided_at = $3 where tenant_id = $1 and id = $4', [
    tenantId,
    older,
    new Date(at),
    id,
  ]);
  return older;
}

const keep = async (dataClass: string, retentionDays: number, more: object = {}) => {
  const { status, body, text } = await server.call('POST', '/api/v1/admin/retention-configs', {
    body: { dataClass, retentionDays, ...more },
  });
  assert.equal(status, 200, text);
  return body;
};

const exists = async (id: string): Promise<boolean> =>
  (await rows('select 1 from arbiter.decisions where tenant_id = $1 and id = $2', [tenantId, id])).length > 0;

async function replays(id: string): Promise<boolean> {
  const { body } = await server.call<{ identical?: boolean }>('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
  return body.identical === true;
}

test('deletes records older than the tenant keeps them, from a day to a hundred years', async () => {
  const [young, old, ancient] = [await decide(), await age(await decide(), 40), await age(await decide(), 400)];
  await keep('decisions', 36_500);
  await retain();
  assert.deepEqual([await exists(young), await exists(old), await exists(ancient)], [true, true, true]);
  await keep('decisions', 30, { legalHold: true });
  await retain();
  assert.ok(await exists(ancient), 'nothing goes under a legal hold');
  await keep('decisions', 365, { legalHold: false });
  await retain();
  assert.deepEqual([await exists(young), await exists(old), await exists(ancient)], [true, true, false]);
  await keep('decisions', 1);
  await retain();
  assert.deepEqual([await exists(young), await exists(old)], [true, false]);
  assert.ok(await replays(young));
});

test('keeps plans, pieces and read sets while a record may refer to them, and then deletes them', async () => {
  await keep('decisions', 30);
  const [first, second] = [await decide(), await decide()];
  const named = await rows('select plan_hash, read_set from arbiter.decisions where tenant_id = $1 and id = $2', [
    tenantId,
    first,
  ]);
  const isThere = async () => [
    (await rows('select 1 from arbiter.plans where tenant_id = $1 and hash = $2', [tenantId, named[0]!.plan_hash]))
      .length,
    (await rows('select 1 from arbiter.read_sets where tenant_id = $1 and id = $2', [tenantId, named[0]!.read_set]))
      .length,
  ];
  // Another catalogue, which reads something else, is decided with from here on.
  await server.create('qualification-rules', {
    name: `Reads ${newId()}`,
    ruleType: 'attribute_condition',
    scope: 'global',
    config: { attribute: 'attributes.other', operator: 'not_exists' },
  });
  const third = await decide();
  await retain();
  assert.deepEqual(await isThere(), [1, 1]);

  // Forty days later, with a record that is kept longer by nobody's wish but by its age.
  now = Date.now() + 29 * dayMs;
  await retain();
  assert.deepEqual(await isThere(), [1, 1], 'the records are still there');
  assert.ok((await replays(first)) && (await replays(second)) && (await replays(third)));
  now = Date.now() + 32 * dayMs;
  await retain();
  assert.equal(await exists(first), false);
  assert.deepEqual(await isThere(), [0, 0]);

  // What the catalogue of now decides with stays, named or not, and so do its pieces.
  now = Date.now();
  const fourth = await decide();
  assert.ok(await replays(fourth), 'the plan and all its pieces are there');
});

test("stores a deleted piece again with the plan that needs it, even if memory says it's stored", async () => {
  await decide();
  await rows('delete from arbiter.plans where tenant_id = $1');
  await rows('delete from arbiter.plan_pieces where tenant_id = $1');
  // The next version takes the pieces of the offers over from this one.
  await server.create('channels', { name: `Web ${newId()}`, channelType: 'web' });
  const id = await decide();
  assert.ok(await replays(id));
});

test('a plan used again is no longer retired', async () => {
  const before = await rows('select hash from arbiter.plans where tenant_id = $1 order by stored_at desc limit 1');
  const channel = await server.create('channels', { name: `Push ${newId()}`, channelType: 'push' });
  await decide();
  await retain();
  const retired = () =>
    rows('select retired_at from arbiter.plans where tenant_id = $1 and hash = $2', [tenantId, before[0]!.hash]);
  assert.notEqual((await retired())[0]!.retired_at, null);
  await rows('delete from arbiter.channels where tenant_id = $1 and id = $2', [tenantId, channel]);
  await server.create('offers', { name: `Idle ${newId()}`, status: 'draft' });
  await decide();
  assert.equal((await retired())[0]!.retired_at, null);
});

test('deletes evidence that no record needs, and rebuilds every later state as it was', async () => {
  const other = newId();
  const inOther = <T>(work: (tx: Tx) => Promise<T>) => server.database.withTenant(other, systemActor('test'), work);
  const change = { offerId: newId(), categoryId: null, channelId: null, positives: 1, negatives: 0 };
  const keeper = createEvidenceKeeper(server.database, (error) => assert.fail(String(error)));
  const idle = createEvidenceKeeper(server.database, (error) => assert.fail(String(error)));
  assert.equal((await idle.get(other)).number, 0);
  await keeper.get(other);
  for (let i = 0; i < 3; i++) {
    keeper.committed(other, await inOther((tx) => appendChanges(tx, Array(5_000).fill(change))));
    await keeper.idle();
  }
  const left = async () => {
    const [row] = await rows(
      `select (select count(*) from arbiter.evidence_changes where tenant_id = $1)::int as changes,
         (select count(*) from arbiter.evidence_snapshots where tenant_id = $1)::int as snapshots`,
      [other],
    );
    return [row!.changes, row!.snapshots];
  };
  const clean = async () => {
    for (const step of retainingSteps(noPlans)) while (await inOther(step));
  };
  await clean();
  assert.deepEqual(await left(), [15_000, 3], 'a record of today may name any of them');
  // The first two snapshots are from long ago; the oldest record is of now, since there is none.
  await rows(
    `update arbiter.evidence_snapshots set created_at = now() - interval '3 days' where tenant_id = $1 and number <= 10000`,
    [other],
  );
  await clean();
  assert.deepEqual(await left(), [5_000, 2]);
  assert.deepEqual((await inOther((tx) => rebuildEvidence(tx, 12_345))).global, [12_345, 0]);

  // A process that nobody asked for this tenant in the meantime cannot read on from where it stood.
  idle.newestIs(other, 15_000);
  await idle.idle();
  assert.deepEqual((await idle.get(other)).global, [15_000, 0]);
});

test('drops a month that nobody keeps with its last row, and no other', async () => {
  const id = await age(await decide(), 800);
  const [{ part }] = (await rows('select tableoid::regclass::text as part from arbiter.decisions where id = $1', [
    id,
  ])) as [{ part: string }];
  const drop = () => server.database.withSystem('partitions', (tx) => dropEmptyMonths(tx, 'arbiter.decisions'));
  const isThere = async () => (await rows('select to_regclass($1) is not null as there', [part]))[0]!.there;
  await drop();
  assert.ok(await isThere(), 'a row of any tenant keeps the month, though row-level security hides it from the owner');
  await keep('decisions', 365);
  await retain();
  assert.equal(await exists(id), false);
  await drop();
  assert.equal(await isThere(), false);
  const next = await decide();
  assert.ok(await exists(next), 'the month of now and those ahead are there, empty or not');
});

test('deletes traces and minutes by age', async () => {
  const at = (days: number) => idAt(Date.now() - days * dayMs);
  for (const days of [5, 100]) {
    await rows(
      `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
       values ($1, $2, $2, $2, 'C1', 'base', '{}', now())`,
      [tenantId, at(days)],
    );
    await rows(
      `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
         policy_blocked, degraded, policy_errors, compute_errors, durations)
       values ($1, date_trunc('minute', now() - make_interval(days => $2)), $3, 1, 0, 1, 0, '{}', 1, 0, 0, 0, 0, '{1}')`,
      [tenantId, days, flowId],
    );
  }
  // The figures of the decisions above may be written at any moment; they are of today.
  const oldMinutes = async () =>
    Number(
      (
        await rows(
          "select count(*) as n from arbiter.decision_minutes where tenant_id = $1 and minute < now() - interval '1 day'",
        )
      )[0]!.n,
    );
  await keep('decisions', 101);
  await retain();
  assert.deepEqual([await count('decision_traces'), await oldMinutes()], [1, 2], '90 days by default');
  await keep('traces', 4);
  await keep('decisions', 50);
  await retain();
  assert.deepEqual([await count('decision_traces'), await oldMinutes()], [0, 1]);
});
