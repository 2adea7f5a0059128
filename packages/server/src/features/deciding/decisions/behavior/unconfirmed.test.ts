// What a caller gets when the commit takes longer than its answer may.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { newId } from '../../../../platform/ids.ts';

const answerWithinMs = 1_500;
const commitSeconds = 3;
let server: TestServer;
let channelId = '';
let offerId = '';

before(async () => {
  server = await startTestServer({
    patience: { acquireTimeoutMs: 20_000, statementTimeoutMs: 30_000, answerWithinMs },
  });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offerId = await server.create('offers', { name: 'A', status: 'active' });
  await server.create('creatives', { name: 'A', offerId, channelId, status: 'active' });
  await server.testDatabase.ownerQuery(`
    create function public.slow_commit() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${commitSeconds}); return null; end $$;
    create constraint trigger slow_commit after insert or update on arbiter.customer_states
      deferrable initially deferred for each row when (new.customer_id like 'slow %')
      execute function public.slow_commit()`);
});
after(() => server?.close());

interface Problem {
  readonly code: string;
  readonly detail?: string;
}

/** Repeats the call until it is no longer a 503. */
async function repeated<T>(call: () => Promise<{ status: number; body: T; text: string }>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await call();
    if (answer.status === 200) return answer.body;
    assert.ok(tries < 120, answer.text);
    await sleep(500);
  }
}

test("a decision whose commit isn't confirmed in time says so, and a repeat returns what was stored", async () => {
  const call = <T>(customerId: string, requestId: string) =>
    server.call<T>('POST', '/api/v1/recommend', { body: { customerId, channelId, limit: 1, requestId } });
  // On a busy machine, the time is up before the decision reaches its commit: nothing was stored, so try another one.
  for (let tries = 1; ; tries++) {
    const customerId = `slow to decide ${tries}`;
    const requestId = newId();
    const late = await call<Problem>(customerId, requestId);
    assert.deepEqual([late.status, late.body.code], [503, 'unavailable'], late.text);
    if (!/may have been stored/.test(late.body.detail ?? '')) {
      assert.ok(tries < 10, late.text);
      continue;
    }
    const answer = await repeated(() => call<RecommendAnswer>(customerId, requestId));
    assert.equal(answer.count, 1);
    const [stored] = await server.testDatabase.ownerQuery<{ n: number }>(
      'select count(*)::int as n from arbiter.interaction_history where customer_id = $1',
      [customerId],
    );
    assert.equal(stored!.n, 1);
    return;
  }
});

test("a dry run doesn't mention possible storage", async () => {
  const release = await server.testDatabase.ownerHold('lock table arbiter.customer_states in access exclusive mode');
  try {
    const body = { customerId: 'slow to try', channelId, dryRun: true };
    const late = await server.call<Problem>('POST', '/api/v1/recommend', { body });
    assert.equal(late.status, 503, late.text);
    assert.doesNotMatch(late.text, /may have been stored/);
  } finally {
    await release();
  }
});

test("a response that the database gave up isn't stored, and a repeat records it once", async () => {
  const customerId = 'slow to respond';
  const body = { customerId, offerId, outcome: 'click' };
  const respond = () =>
    server.call<Problem>('POST', '/api/v1/respond', { body, headers: { 'idempotency-key': 'slow' } });
  const late = await respond();
  assert.deepEqual([late.status, late.body.code], [503, 'unavailable'], late.text);
  await server.testDatabase.ownerQuery('drop trigger slow_commit on arbiter.customer_states');
  await repeated(respond);
  const [stored] = await server.testDatabase.ownerQuery<{ n: number }>(
    'select count(*)::int as n from arbiter.interaction_history where customer_id = $1',
    [customerId],
  );
  assert.equal(stored!.n, 1);
});
