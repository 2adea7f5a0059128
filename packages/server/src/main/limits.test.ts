import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemActor } from '../db/index.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Limits of the whole server under many calls at once (docs/design/quality.md T19). */

const limit = 60;
const pool = 2;
let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { RATE_LIMIT_DEFAULT_PER_MINUTE: limit, DATABASE_POOL_MAX: pool } });
});
after(() => server?.close());

async function callsCounted(): Promise<number> {
  const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
    'select coalesce(sum(cardinality(hits)), 0)::int as n from arbiter.rate_limit_windows',
  );
  return row!.n;
}

test('counts forty calls of one credential while every connection of the pool is busy', async () => {
  const [tenant] = server.tenants;
  const ask = () => server.call('GET', '/api/v1/channels', { key: tenant.keys.viewer });
  // Looking up a credential needs the pool too, so it must be cached before.
  const credential = { kind: 'apiKey', value: tenant.keys.viewer } as const;
  while (server.authenticator.authenticate(credential) instanceof Promise) await sleep(10);
  assert.equal((await ask()).status, 200);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  const holders = Array.from({ length: pool }, () =>
    server.database.withTenant(tenant.id, systemActor('test'), async () => {
      held += 1;
      await released;
    }),
  );
  while (held < pool) await sleep(5);

  const early: string[] = [];
  const calls = Array.from({ length: 40 }, async () => {
    const answer = await ask();
    early.push(answer.text);
    return answer;
  });
  try {
    const until = performance.now() + 20_000;
    while ((await callsCounted()) < 41 && early.length === 0 && performance.now() < until) await sleep(10);
    assert.deepEqual([await callsCounted(), early], [41, []]);
  } finally {
    release();
    await Promise.all(holders);
  }
  for (const { status, text } of await Promise.all(calls)) assert.equal(status, 200, text);

  const more = await Promise.all(Array.from({ length: 40 }, ask));
  assert.equal(more.filter(({ status }) => status === 200).length, limit - 41);
  for (const { status, body } of more) assert.ok(status === 200 || body.code === 'rate_limited');
});
