import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as nextLook } from 'node:timers/promises';
import type { EventPage, Problem } from '@arbiter/contract';
import { assertInTime } from '../../../../../../test/deadline.ts';
import { redisMissing, startTestRedis } from '../../../platform/test-redis.ts';
import { startTriggerServer, type TriggerServer } from '../triggers/test-triggers.ts';

/** Ingested events over HTTP (docs/design/quality.md E25). */

let world: TriggerServer;
before(async () => {
  world = await startTriggerServer();
});
after(() => world?.close());

const ingest = async (body: object, headers?: Readonly<Record<string, string>>) => {
  const answer = await world.ingest(body, headers);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const stream = async (after: string) =>
  (await world.server.call<EventPage>('GET', `/api/v1/events/stream?after=${after}&topic=customer.event.v1`)).body.data;
const refusal = async (body: unknown) => {
  const { status, body: problem } = await world.server.call<Problem>('POST', '/api/v1/events/ingest', { body });
  return [status, problem.code, problem.errors?.[0]?.path];
};
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('an event is in the stream, at the position of the answer', async () => {
  const first = await ingest({ type: 'page_view', customerId: 'seen' });
  assert.match(String(first.streamId), /^[1-9]\d*$/);
  const body = { type: 'purchase', customerId: 'seen', data: { amount: 3 }, channel: 'web' };
  const second = await ingest({ ...body, timestamp: '2026-01-02T03:04:05.000Z' });
  const { streamId, ...rest } = second;
  assert.deepEqual(rest, {
    ...{ ingested: true, eventType: 'purchase', customerId: 'seen', triggersMatched: [], actionsDispatched: [] },
  });
  const [found] = await stream(String(first.streamId));
  assert.deepEqual(found?.payload, { ...body, timestamp: '2026-01-02T03:04:05.000Z' });
  assert.deepEqual(await stream(String(streamId)), []);
});

test('parallel events all get positions of their own', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => ingest({ type: 'page_view', customerId: `many ${at}` })),
  );
  assert.equal(new Set(answers.map(({ streamId }) => streamId)).size, 20);
  assert.ok(answers.every(({ streamId }) => streamId !== null));
});

describe('rejects invalid input', () => {
  const event = { type: 'purchase', customerId: 'x' };
  for (const [words, body, path] of [
    ['an unknown type', { ...event, type: 'purchas' }, '/type'],
    ['no customer', { type: 'purchase' }, '/customerId'],
    ['data null', { ...event, data: null }, '/data'],
    ['data as a list', { ...event, data: [] }, '/data'],
    ['data over 64 KiB', { ...event, data: { x: 'ä'.repeat(32_768) } }, '/data'],
    ['a long channel', { ...event, channel: 'x'.repeat(65) }, '/channel'],
    ['a timestamp before 1970', { ...event, timestamp: '1969-12-31T23:59:59.999Z' }, '/timestamp'],
    ['a timestamp over 24 hours ahead', { ...event, timestamp: inHours(25) }, '/timestamp'],
    ['a timestamp without zone', { ...event, timestamp: '2026-01-01T00:00:00' }, '/timestamp'],
  ] as const) {
    test(words, async () => {
      assert.deepEqual(await refusal(body), [400, 'validation_failed', path]);
    });
  }
  test('accepts everything at the limits', async () => {
    const data = { x: 'a'.repeat(65_536 - '{"x":""}'.length) };
    await ingest({ ...event, data, channel: 'x'.repeat(64), timestamp: inHours(23.9) });
    await ingest({ ...event, timestamp: '1970-01-01T00:00:00Z' });
  });
});

test('the same body twice is two events; under one Idempotency-Key it is one', async () => {
  const { name } = await world.trigger({ eventType: 'support_call' });
  const body = { type: 'support_call', customerId: 'twice' };
  const plain = [await ingest(body), await ingest(body)];
  assert.notEqual(plain[0]?.streamId, plain[1]?.streamId);
  const key = { 'idempotency-key': 'ingest-1' };
  const first = await world.ingest(body, key);
  const again = await world.ingest(body, key);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.equal(world.peer.got(`/${encodeURIComponent(name)}`).length, 3);
  const other = await world.ingest({ ...body, customerId: 'other' }, key);
  assert.equal(other.body.code, 'idempotency_key_reused');
  await world.server.call('PUT', `/api/v1/triggers/${first.body.triggersMatched[0]?.triggerId}`, {
    body: { status: 'archived' },
  });
});

test('without the stream, streamId is null and triggers still run', async () => {
  const { name, id } = await world.trigger({ eventType: 'page_view' });
  const { ownerQuery } = world.server.testDatabase;
  await ownerQuery('revoke insert on arbiter.outbox from arbiter_app');
  try {
    const answer = await ingest({ type: 'page_view', customerId: 'no stream' });
    assert.equal(answer.streamId, null);
    assert.equal(answer.triggersMatched.length, 1);
    assert.equal(world.peer.got(`/${encodeURIComponent(name)}`).length, 1);
  } finally {
    await ownerQuery('grant insert on arbiter.outbox to arbiter_app');
  }
  await world.server.call('PUT', `/api/v1/triggers/${id}`, { body: { status: 'archived' } });
});

test('an event from before the erasure of the customer matches nothing and is not stored', async () => {
  const { id } = await world.trigger({ eventType: 'app_open' });
  const happened = inHours(-1);
  await ingest({ type: 'page_view', customerId: 'erased' });
  const erased = await world.server.call('DELETE', '/api/v1/customers/erased/data?scope=everything', {
    headers: { 'x-confirm-delete': 'erased' },
  });
  assert.equal(erased.status, 200, erased.text);
  const old = await ingest({ type: 'app_open', customerId: 'erased', timestamp: happened });
  assert.deepEqual([old.streamId, old.triggersMatched], [null, []]);
  assert.equal((await ingest({ type: 'app_open', customerId: 'erased' })).triggersMatched.length, 1);
  await world.server.call('PUT', `/api/v1/triggers/${id}`, { body: { status: 'archived' } });
});

test('actions that take over 2 s continue in the background, and later ones become jobs in order', async () => {
  const { peer } = world;
  const release = Promise.withResolvers<void>();
  peer.on('/slow', (response) => void release.promise.then(() => response.end()));
  const slow = await world.trigger({ name: 'slow', eventType: 'app_open', priority: 90 });
  const fast = await world.trigger({ eventType: 'app_open', priority: 10 });
  const answer = await ingest({ type: 'app_open', customerId: 'patient' });
  assert.deepEqual(
    answer.actionsDispatched.map(({ triggerId }) => triggerId),
    [slow.id, fast.id],
  );
  assert.equal(answer.actionErrors, undefined);
  assert.equal(peer.got(`/${encodeURIComponent(fast.name)}`).length, 0, 'behind the slow one');
  release.resolve();
  await eventually(async () => {
    const rows = await world.server.testDatabase.ownerQuery(
      `select from arbiter.trigger_firings where trigger_id = $1 and status = 'done'`,
      [slow.id],
    );
    return rows.length === 1;
  });
  assert.deepEqual(await world.settle(), []);
  assert.equal(peer.got('/slow').length, 1);
  assert.equal(peer.got(`/${encodeURIComponent(fast.name)}`).length, 1);
  for (const { id } of [slow, fast]) {
    await world.server.call('PUT', `/api/v1/triggers/${id}`, { body: { status: 'archived' } });
  }
});

test('a job resumes actions of a request that ended before they did', async () => {
  const { peer } = world;
  const { ownerQuery } = world.server.testDatabase;
  const waiting = async () => {
    const rows = await ownerQuery<{ key: string }>(`select key from graphile_worker.jobs where key like '%trigger.%'`);
    return rows.map(({ key }) => key.split(':').at(-2));
  };
  // The action above that continued in the background has a job, which finds nothing to do.
  assert.deepEqual(await world.settle({ now: true }), []);
  const { id, name } = await world.trigger({ eventType: 'app_open' });
  const path = `/${encodeURIComponent(name)}`;
  await ingest({ type: 'app_open', customerId: 'ends well' });
  assert.deepEqual(await waiting(), []);
  peer.on(path, (response) => void response.writeHead(500).end());
  // The last transaction fails, which leaves the same as a process that ends before it.
  await ownerQuery('revoke execute on function graphile_worker.arbiter_drop from arbiter_app');
  try {
    const answer = await world.ingest({ type: 'app_open', customerId: 'ends badly' });
    assert.equal(answer.status, 500, answer.text);
  } finally {
    await ownerQuery('grant execute on function graphile_worker.arbiter_drop to arbiter_app');
  }
  assert.deepEqual(await waiting(), ['trigger.resume']);
  peer.on(path, (response) => void response.end());
  assert.deepEqual(await world.settle({ now: true }), []);
  assert.equal(peer.got(path).length, 3);
  assert.deepEqual(await waiting(), []);
  await world.server.call('PUT', `/api/v1/triggers/${id}`, { body: { status: 'archived' } });
});

test('calls count toward RECOMMEND_RATE_PER_MINUTE', async () => {
  const limited = await startTriggerServer({ RECOMMEND_RATE_PER_MINUTE: 2 });
  try {
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) {
      statuses.push((await limited.ingest({ type: 'page_view', customerId: 'x' })).status);
    }
    assert.deepEqual(statuses, [200, 200, 429]);
  } finally {
    await limited.close();
  }
});

test('Redis gets a copy, and is optional', { skip: redisMissing() ?? false }, async () => {
  const { createClient } = await openRedis();
  const redis = await startTestRedis();
  const copied = await startTriggerServer({ REDIS_URL: redis.url });
  const client = createClient(redis.url).on('error', () => undefined);
  try {
    const answer = await copied.ingest({ type: 'purchase', customerId: 'copied', data: { amount: 1 } });
    const key = `arbiter:${copied.server.tenants[0].id}:events`;
    await eventually(async () => (await client.xlen(key)) > 0);
    const entries = await client.xrange(key, '-', '+');
    const fields = entries.map(([, values]) => Object.fromEntries(pairs(values)));
    const found = fields.find(({ type }) => type === 'customer.event.v1');
    assert.equal(found?.position?.split('-')[0], answer.body.streamId);
    assert.equal(JSON.parse(found?.event ?? '').payload.customerId, 'copied');
    await redis.stop();
    const without = await copied.ingest({ type: 'purchase', customerId: 'copied' });
    assert.equal(without.status, 200, without.text);
    assert.notEqual(without.body.streamId, null);
  } finally {
    client.disconnect();
    await copied.close();
    await redis.stop();
  }
});

const pairs = (values: readonly string[]): [string, string][] =>
  Array.from({ length: values.length / 2 }, (_, at) => [values[at * 2]!, values[at * 2 + 1]!]);

async function openRedis() {
  const { Redis } = await import('ioredis');
  return { createClient: (url: string) => new Redis(url) };
}

/** Waits until a condition holds, for a minute. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000;
  while (!(await holds())) {
    assertInTime(performance.now() < until, 'the condition never held');
    await nextLook(20);
  }
}
