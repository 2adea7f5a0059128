import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer } from '../../main/test-server.ts';
import { connectRedis, type RedisConnection } from '../../platform/redis.ts';
import { redisMissing, startTestRedis, type TestRedis } from '../../platform/test-redis.ts';
import { tenantA, tenantB } from '../test-app.ts';
import { createRedisRateLimitStore } from './rate-limit.redis.ts';
import type { RateLimitStore } from './rate-limit.ts';

const skip = redisMissing() ?? false;
let redis: TestRedis;
/** Simulates two processes. */
const connections: RedisConnection[] = [];
let stores: RateLimitStore[] = [];
before(async () => {
  if (skip !== false) return;
  redis = await startTestRedis();
  connections.push(...[1, 2].map(() => connectRedis(redis.url, () => undefined)));
  stores = connections.map((connection) => createRedisRateLimitStore(connection, 30_000));
  for (const connection of connections) await connected(connection);
});
after(async () => {
  for (const connection of connections) connection.close();
  await redis?.stop();
});

async function connected(connection: RedisConnection): Promise<void> {
  for (;;) {
    try {
      await connection.run('return 1', [], []);
      return;
    } catch {
      await sleep(10);
    }
  }
}

test('two processes admit exactly the limit, and each call knows its place', { skip }, async () => {
  const bucket = { tenantId: tenantA, name: 'together', limit: 20, windowSeconds: 60 };
  const verdicts = await Promise.all(Array.from({ length: 1_000 }, (_, i) => stores[i % 2]!.take(bucket)));
  const allowed = verdicts.filter((verdict) => verdict.allowed);
  assert.equal(allowed.length, 20);
  assert.deepEqual(
    allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, i) => i),
  );
  assert.ok(verdicts.every(({ resetSeconds }) => resetSeconds >= 1 && resetSeconds <= 60));
});

test('a call that counts as several counts completely or not at all', { skip }, async () => {
  const bucket = { tenantId: tenantA, name: 'heavy', limit: 20, windowSeconds: 60 };
  const told: unknown[] = [];
  for (const weight of [8, 12, 1, 21]) {
    const { allowed, remaining } = await stores[told.length % 2]!.take(bucket, weight);
    told.push([allowed, remaining]);
  }
  assert.deepEqual(told, [
    [true, 12],
    [true, 0],
    [false, 0],
    [false, 0],
  ]);
});

test('windows of other tenants and names are separate, and slide', { skip }, async () => {
  const one = { tenantId: tenantA, name: 'slides', limit: 1, windowSeconds: 1 };
  assert.equal((await stores[0]!.take(one)).allowed, true);
  assert.equal((await stores[1]!.take(one)).allowed, false);
  assert.equal((await stores[1]!.take({ ...one, tenantId: tenantB })).allowed, true);
  assert.equal((await stores[1]!.take({ ...one, tenantId: null })).allowed, true);
  assert.equal((await stores[1]!.take({ ...one, name: 'other' })).allowed, true);
  const until = performance.now() + 20_000;
  while (!(await stores[1]!.take(one)).allowed)
    assert.ok(performance.now() < until, 'the first call never left the window');
});

test("closes a limited route while Redis doesn't respond, and no other", { skip }, async () => {
  const own = await startTestRedis();
  const server = await startTestServer({
    config: { REDIS_URL: own.url },
    patience: { acquireTimeoutMs: 20_000, statementTimeoutMs: 900, answerWithinMs: 30_000 },
  });
  const ask = () =>
    server.call('POST', '/api/v1/oauth/token', { key: null, body: { grant_type: 'x', client_id: 'one' } });
  try {
    const until = performance.now() + 20_000;
    while ((await ask()).status !== 400) assert.ok(performance.now() < until, 'Redis was never connected');
    own.pause();
    const refused = await ask();
    assert.equal(refused.status, 429, refused.text);
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal((await server.call('GET', '/api/v1/categories')).status, 200);
    own.resume();
    while ((await ask()).status !== 400) assert.ok(performance.now() < until, 'Redis was never heard again');
  } finally {
    own.resume();
    await server.close();
    await own.stop();
  }
});
