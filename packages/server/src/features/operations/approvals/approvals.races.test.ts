import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMailQueue } from '../../identity/mail/mail.service.ts';
import { expireApprovals } from './index.ts';
import { type ApprovalServer, startApprovalServer } from './test-approvals.ts';

/** Who decides at the same moment (docs/design/quality.md E1, E2, E9 and invariant 8): one final state, at most one apply. */

const rounds = 12;
const hourMs = 3_600_000;

let world: ApprovalServer;
before(async () => {
  world = await startApprovalServer();
});
after(() => world?.server.close());

let counter = 0;
const expire = (now: Date, hours = 168) =>
  expireApprovals(
    {
      database: world.server.database,
      enqueueMail: createMailQueue(null, async () => undefined),
      approvalMaxAgeHours: hours,
      logger: createLogger('silent'),
    },
    now,
  );

/** What the database says of a request, whatever was answered. */
async function stateOf(id: string) {
  const [row] = await world.server.testDatabase.ownerQuery<{ status: string; offers: number; stages: string }>(
    `select a.status, (select count(*)::int from arbiter.offers o where o.name = a.entity_name) as offers,
       (select string_agg(s.status, ',' order by s.ordinal) from arbiter.approval_stages s where s.approval_id = a.id) as stages
       from arbiter.approvals a where a.id = $1`,
    [id],
  );
  assert.ok(row);
  return row;
}

async function filed(stages: number): Promise<string> {
  const entityName = `Raced ${++counter}`;
  const { id } = await world.file(null, {
    entityType: 'offer',
    entityName,
    action: 'create',
    payload: { name: entityName },
    stages: Array.from({ length: stages }, (_, at) => ({ stageName: `Stage ${at + 1}`, requiredRole: 'admin' })),
  });
  return id;
}

/** Takes away what earlier tests left waiting. */
const clear = () =>
  world.server.testDatabase.ownerQuery(
    `update arbiter.approvals set status = 'rejected', resolved_at = created_at where status = 'pending'`,
  );

/** Holds the request's row until all who want it wait for it: then they are at it together. */
async function together<T>(id: string, waiting: number, begin: () => Promise<T>[]): Promise<T[]> {
  const { server, tenant } = world;
  let running: Promise<T>[] = [];
  await server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
    await tx.query('select from arbiter.approvals where id = $1 for update', [id]);
    running = begin();
    for (let blocked = 0; blocked < waiting; ) {
      const [row] = await server.testDatabase.ownerQuery<{ blocked: number }>(
        `select count(*)::int as blocked from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%arbiter.approvals%'`,
      );
      blocked = row?.blocked ?? 0;
    }
  });
  return Promise.all(running);
}

test('two approvals at once: one 200, one 409, one record', async () => {
  const [one, two] = [await world.someone('admin'), await world.someone('admin')];
  for (let round = 0; round < rounds; round += 1) {
    const id = await filed(1);
    const answers = await together(id, 2, () => [world.decide(one.cookie, id), world.decide(two.cookie, id)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'already_resolved');
    assert.deepEqual(await stateOf(id), { status: 'approved', offers: 1, stages: 'approved' });
    assert.deepEqual(await world.audited(id), ['create', 'approve', 'apply']);
  }
});

test("two approvals at once of a two-stage request: the second doesn't decide the next stage unseen", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const id = await filed(2);
    const answers = await together(id, 2, () => [world.decide(null, id), world.decide(null, id)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'concurrent_modification');
    assert.deepEqual(await stateOf(id), { status: 'pending', offers: 0, stages: 'approved,pending' });
  }
});

test('of approve, reject and expiry at once, one wins', async () => {
  await clear();
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const id = await filed(1);
    const now = new Date(Date.now() + 200 * hourMs);
    // Who waits longest comes first; each of them does in some round.
    const begin: readonly (() => Promise<string>)[] = [
      async () => `approve ${(await world.decide(null, id)).status}`,
      async () => `reject ${(await world.decide(null, id, { action: 'reject' })).status}`,
      async () => `expire ${(await expire(now)).expired}`,
    ];
    const order = begin.map((_, at) => begin[(at + round) % begin.length]!);
    const answers = await together(id, 3, () => order.map((run) => run()));
    const won = answers.filter((answer) => /200|expire 1$/.test(answer));
    assert.equal(won.length, 1, answers.join(', '));
    const state = await stateOf(id);
    seen.add(state.status);
    const { status, offers, stages } = state;
    assert.equal(won[0]!.split(' ')[0], { approved: 'approve', rejected: 'reject', expired: 'expire' }[status]);
    assert.equal(offers, status === 'approved' ? 1 : 0);
    assert.equal(stages, { approved: 'approved', rejected: 'rejected', expired: 'pending' }[status]);
  }
  assert.ok(seen.size > 1, 'none of them always comes first');
});

test('a record that changes during its approval makes it conflict, or is changed after it', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const target = await world.make('offers', { name: `Target ${round}` });
    const { id } = await world.file(null, {
      entityType: 'offer',
      entityId: target.id,
      action: 'update',
      payload: { priority: 88, rowVersion: target.version },
    });
    const [approved, written] = await Promise.all([
      world.decide(null, id),
      world.as(null, 'PUT', `offers/${target.id}`, { priority: 11, rowVersion: target.version }),
    ]);
    const record = await world.read(`offers/${target.id}`);
    assert.equal(record.version, Number(target.version) + 1, 'one of both');
    assert.deepEqual([approved.status, written.status].sort(), [200, 409]);
    assert.equal(record.priority, approved.status === 200 ? 88 : 11);
    assert.equal((await stateOf(id)).status, approved.status === 200 ? 'approved' : 'pending');
  }
});

test("a record deleted during its approval isn't changed", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const target = await world.make('offers', { name: `Deleted ${round}` });
    const asked = { entityType: 'offer', entityId: target.id, action: 'update', payload: { priority: 5 } };
    const { id } = await world.file(null, asked);
    const [approved, deleted] = await Promise.all([
      world.decide(null, id),
      world.as(null, 'DELETE', `offers/${target.id}`),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok([200, 404].includes(approved.status), String(approved.status));
    assert.equal((await stateOf(id)).status, approved.status === 200 ? 'approved' : 'pending');
    assert.deepEqual(await world.audited(target.id), [
      'create',
      ...(approved.status === 200 ? ['update'] : []),
      'soft_delete',
    ]);
  }
});

test('expires what is older than the limit and nothing else, once, changing only its state', async () => {
  await clear();
  const [old, young] = [await filed(2), await filed(1)];
  await world.decide(null, old);
  const filedAt = Date.parse((await world.get(old)).createdAt);
  const { createdAt: youngAt } = await world.get(young);
  const before = await world.get(old);
  // Exactly so old is not older.
  assert.equal((await expire(new Date(filedAt + 2 * hourMs), 2)).expired, 0);
  await world.server.testDatabase.ownerQuery(
    `update arbiter.approvals set created_at = created_at - interval '3 hours' where id = $1`,
    [old],
  );
  const now = new Date(Date.parse(youngAt) + 2 * hourMs);
  const first = await expire(now, 2);
  assert.deepEqual([first.expired, first.failed, first.cutoff.toISOString()], [1, [], youngAt]);
  assert.equal((await expire(now, 2)).expired, 0);
  const { resolvedAt, status, currentStage, createdAt, expiresAt, ...rest } = await world.get(old);
  assert.deepEqual([status, currentStage, expiresAt], ['expired', null, null]);
  assert.ok(resolvedAt !== null && createdAt !== null);
  const {
    resolvedAt: _at,
    status: _status,
    currentStage: _stage,
    createdAt: _created,
    expiresAt: _expires,
    ...asItWas
  } = before;
  assert.deepEqual(rest, asItWas);
  assert.equal((await world.get(young)).status, 'pending');
  assert.deepEqual(await world.audited(old), ['create', 'approve', 'update']);
  assert.equal((await world.decide(null, old)).body.code, 'already_resolved');
});

test('an idempotency key: many calls make one request, and one decision', async () => {
  const call = (path: string, body: object, key: string) =>
    world.server.call<{ id: string }>('POST', `/api/v1/${path}`, { body, headers: { 'idempotency-key': key } });
  const body = { entityType: 'x', entityId: 'once', entityName: 'Once', action: 'delete' };
  const filedOnes = await Promise.all(Array.from({ length: 10 }, () => call('approvals', body, 'file')));
  const ids = new Set(filedOnes.filter(({ status }) => status === 201).map((answer) => answer.body.id));
  assert.equal(ids.size, 1);
  assert.ok(filedOnes.every(({ status }) => status === 201 || status === 409));
  const [id] = ids;
  const decided = [
    await call(`approvals/${id}`, { action: 'reject' }, 'no'),
    await call(`approvals/${id}`, { action: 'reject' }, 'no'),
  ];
  assert.deepEqual(
    decided.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(await world.audited(id!), ['create', 'reject']);
});
