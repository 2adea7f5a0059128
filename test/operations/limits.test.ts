import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, operations, type RateLimit } from '@arbiter/contract';
import {
  startServerOn,
  startTestServer,
  type TestNode,
  type TestServer,
} from '../../packages/server/src/main/test-server.ts';
import { redisMissing, startTestRedis, type TestRedis } from '../../packages/server/src/platform/test-redis.ts';

/** Rate limits of the API (docs/design/api-access.md 17; docs/design/quality.md T19, R13). */

const perMinute = (limit: number, per: RateLimit['per'] = 'tenant') => ({ limit, windowSeconds: 60, per });
const perHour = (limit: number, per: RateLimit['per'] = 'ip') => ({ limit, windowSeconds: 3600, per });

/**
 * The routes on the page with their limits, built or not: a route without its limit fails here. Limits per mail
 * address, and 20 per minute and client of the token route, are counted by services that know the key, and tested
 * there.
 */
const listed: readonly (readonly [string, ReturnType<typeof perMinute>])[] = [
  ['POST /api/v1/oauth/token', perMinute(300, 'ip')],
  ['POST /api/v1/auth/login', perMinute(20, 'ip')],
  ['POST /api/v1/auth/forgot-password', perHour(10)],
  ['POST /api/v1/auth/reset-password', perHour(10)],
  ['POST /api/v1/auth/accept-invite', perHour(10)],
  ['GET /api/v1/auth/verify', perMinute(30, 'ip')],
  ['GET /api/v1/sso/login', perMinute(30, 'ip')],
  ['GET /api/v1/sso/callback', perMinute(30, 'ip')],
  ['POST /api/v1/sso/callback', perMinute(30, 'ip')],
  ['GET /api/auth/signin/google', perMinute(30, 'ip')],
  ['POST /api/v1/cleanup', perMinute(5)],
  ['POST /api/v1/admin/cache', perMinute(5)],
  ['POST /api/v1/seed-dataset/{key}', perMinute(5)],
  ['POST /api/v1/seed-dataset/{key}/upload', perMinute(5)],
  ['POST /api/v1/notifications/send', perMinute(60)],
  ['POST /api/v1/reports/schedules/{id}/run-now', perMinute(30)],
  ['POST /api/v1/simulate', perMinute(300)],
  ['POST /api/v1/customers/{customerId}/simulate', perMinute(300)],
  ['GET /api/v1/customers/{customerId}/eligibility', perMinute(300)],
  ['GET /api/v1/customers/{customerId}/profile', perMinute(300)],
  ['GET /api/v1/customers/{customerId}/why-not/{offerId}', perMinute(300)],
  ['POST /api/v1/customers/{customerId}/why-not/{offerId}', perMinute(300)],
  ['POST /api/v1/decisions/{id}/replay', perMinute(300)],
  ['GET /api/v1/audit-logs/verify', perMinute(10)],
  ['GET /api/v1/audit-export', perMinute(10)],
  ['GET /api/v1/scim/v2/Users', perMinute(600)],
];

const all: readonly Operation[] = Object.values(operations);

test('every listed route that exists has its limit', () => {
  const known = new Map(all.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  let there = 0;
  for (const [route, wanted] of listed) {
    const operation = known.get(route);
    if (operation === undefined) continue;
    there += 1;
    const { limit, windowSeconds, per } = wanted;
    const has = (operation.rateLimits ?? []).some(
      (own) => own.limit === limit && own.windowSeconds === windowSeconds && own.per === per,
    );
    assert.ok(has, `${route} has ${JSON.stringify(operation.rateLimits ?? [])}`);
  }
  assert.ok(there >= 10);
  const scim = all.filter(({ auth }) => auth === 'scim');
  const windows = new Set(scim.map(({ rateLimits }) => JSON.stringify(rateLimits)));
  assert.equal(windows.size, 1, 'all of SCIM counts in one window');
  for (const id of ['decisions.recommend', 'decisions.respond']) {
    const { rateLimits, rateLimitSetting } = all.find((operation) => operation.id === id) ?? {};
    assert.deepEqual([rateLimits, rateLimitSetting], [undefined, 'RECOMMEND_RATE_PER_MINUTE']);
  }
});

const noRedis = redisMissing();
if (noRedis !== null) console.log(`limits in Redis are not tested: ${noRedis}`);

for (const store of ['PostgreSQL', 'Redis'] as const) {
  describe(`a thousand parallel token requests over two processes, counted in ${store}`, {
    skip: store === 'Redis' && noRedis !== null ? noRedis : false,
  }, () => {
    let redis: TestRedis | null = null;
    let server: TestServer;
    let other: TestNode;
    before(async () => {
      redis = store === 'Redis' ? await startTestRedis() : null;
      const config = { REDIS_URL: redis?.url ?? null };
      server = await startTestServer({ config });
      other = startServerOn({ ...server.testDatabase, close: async () => undefined }, { config });
    });
    after(async () => {
      await other?.close();
      await server?.close();
      await redis?.stop();
    });

    test('exactly twenty succeed, and the others are told when to retry', async () => {
      const client = await server.call<{ clientId: string; clientSecret: string }>('POST', '/api/v1/oauth/clients', {
        body: { name: 'limited' },
      });
      const body = {
        grant_type: 'client_credentials',
        client_id: client.body.clientId,
        client_secret: client.body.clientSecret,
      };
      // From many addresses, whose limit is separate.
      const ask = (from: Pick<TestServer, 'app'>, n: number) =>
        from.app.inject({
          method: 'POST',
          url: '/api/v1/oauth/token',
          headers: { 'content-type': 'application/json' },
          remoteAddress: `10.1.${n % 200}.7`,
          payload: JSON.stringify(body),
        });
      // Redis may still be connecting; until then nothing passes.
      const until = performance.now() + 30_000;
      const unknown = { ...body, client_id: 'kci_nobody' };
      for (const from of [server, other]) {
        const knock = () =>
          from.call('POST', '/api/v1/oauth/token', {
            key: null,
            body: { ...unknown, client_id: `kci_${Math.floor(performance.now())}` },
          });
        while ((await knock()).status !== 401) {
          assert.ok(performance.now() < until, 'the store was never reached');
          await sleep(50);
        }
      }
      // As many parallel calls as a process accepts without shedding load: 150 lanes each, one call after the other.
      let next = 0;
      const answers: Awaited<ReturnType<typeof ask>>[] = [];
      const lane = async (from: Pick<TestServer, 'app'>): Promise<void> => {
        for (let n = next++; n < 1000; n = next++) answers.push(await ask(from, n));
      };
      await Promise.all(Array.from({ length: 300 }, (_, n) => lane(n % 2 === 0 ? server : other)));
      const granted = answers.filter(({ statusCode }) => statusCode === 200);
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      assert.deepEqual([granted.length, refused.length], [20, 980]);
      for (const answer of refused) {
        assert.equal(answer.json().error, 'rate_limit_exceeded');
        const seconds = Number(answer.headers['retry-after']);
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
      }
    });
  });
}
