import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import type { RecommendAnswer, RecommendBatchAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  const { id } = server.tenants[0];
  await server.testDatabase.ownerQuery('update arbiter.tenants set is_playground = true where id = $1', [id]);
  await server.testDatabase.ownerQuery('insert into arbiter.playground_quotas (tenant_id) values ($1)', [id]);
  for (let i = 0; i < 4; i++) await server.create('offers', { name: `Offer ${i}`, status: 'active', priority: 90 - i });
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const flow = await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } });
  await server.publishFlow(flow);
});
after(() => server?.close());
beforeEach(() => setUsed(0));

const setUsed = (used: number) =>
  server.testDatabase.ownerQuery('update arbiter.playground_quotas set used = $1', [used]);
const recommend = (body: object) => server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
const headerOf = (answer: { headers: Record<string, unknown> }) => answer.headers['x-decision-quota-remaining'];

async function status(): Promise<{ quotaUsed: number; quotaRemaining: number }> {
  const { body } = await server.call<{ quotaUsed: number; quotaRemaining: number }>('GET', '/api/v1/tenant/status');
  return body;
}

test('counts each item of a playground, and returns what is left', async () => {
  const answer = await recommend({ customerId: 'C1', limit: 3 });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.quota, { limit: 5000, used: 3, remaining: 4997, truncated: false });
  assert.equal(headerOf(answer), '4997');
  assert.equal((await status()).quotaUsed, 3);
  const empty = await recommend({ customerId: 'C1', channel: 'fax' });
  assert.deepEqual([empty.body.count, headerOf(empty)], [0, '4997'], 'an empty answer counts nothing');
});

test("doesn't count dry runs and repeats", async () => {
  const dry = await recommend({ customerId: 'C2', limit: 2, dryRun: true });
  assert.deepEqual([dry.body.count, headerOf(dry), dry.body.quota?.used], [2, '5000', 0]);
  const body = { customerId: 'C2', limit: 2, requestId: randomUUID() };
  const first = await recommend(body);
  await recommend({ customerId: 'C3', limit: 1 });
  const again = await recommend(body);
  assert.deepEqual([again.text, headerOf(again), again.headers['idempotent-replay']], [first.text, '4997', 'true']);
  await setUsed(5000);
  assert.equal((await recommend(body)).text, first.text, 'a repeat is answered when nothing is left');
  assert.equal((await recommend({ customerId: 'C2', limit: 2, dryRun: true })).body.count, 2);
});

test('give many requests in one call only what is left', async () => {
  await setUsed(4996);
  const requests = Array.from({ length: 4 }, (_, at) => ({ customerId: `B${at}`, limit: 2 }));
  const answer = await server.call<RecommendBatchAnswer>('POST', '/api/v1/recommend/batch', { body: { requests } });
  assert.deepEqual(
    answer.body.results.map(({ status }) => status),
    [200, 200, 429, 429],
  );
  assert.equal(headerOf(answer), '0');
  assert.equal((await status()).quotaUsed, 5000);
});

test('simulated decisions count nothing, and are possible when nothing is left', async () => {
  await setUsed(5000);
  const simulated = await server.call<RecommendAnswer>('POST', '/api/v1/simulate', { body: { customerId: 'C1' } });
  assert.deepEqual([simulated.status, simulated.body.count], [200, 4], simulated.text);
  assert.equal((await status()).quotaUsed, 5000);
});

test('with r left of n items, returns, records and replays the best r', async () => {
  await setUsed(4998);
  const answer = await recommend({ customerId: 'C4', limit: 3, debug: true });
  assert.deepEqual(
    answer.body.decisions.map((item) => item.offerName),
    ['Offer 0', 'Offer 1'],
  );
  assert.deepEqual(answer.body.quota, { limit: 5000, used: 5000, remaining: 0, truncated: true });
  assert.deepEqual(answer.body.trace.summary.droppedByReason, { quota: 1, cut: 1 });
  const record = await server.call<{ result: { items: object[] } }>(
    'GET',
    `/api/v1/decisions/${answer.body.requestId}`,
  );
  assert.equal(record.body.result.items.length, 2);
  const replay = await server.call('POST', `/api/v1/decisions/${answer.body.requestId}/replay`);
  assert.equal(replay.body.identical, true, replay.text);
  const [count] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(*)::int as n from arbiter.interaction_history where customer_id = 'C4'`,
  );
  assert.equal(count?.n, 2);

  const refused = await recommend({ customerId: 'C4', limit: 1 });
  assert.equal(refused.status, 429, refused.text);
  assert.equal((refused.body as unknown as { code: string }).code, 'quota_exceeded');
  assert.match(String(refused.body.recommendationId), /^[0-9a-f-]{36}$/);
  assert.deepEqual([headerOf(refused), refused.headers['retry-after']], ['0', '86400']);
});

test('parallel decisions give exactly what is left', async () => {
  await setUsed(4900);
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, i) => recommend({ customerId: `P${i % 80}`, limit: 2 })),
  );
  const given = answers.reduce((sum, { status: code, body }) => sum + (code === 200 ? body.count : 0), 0);
  assert.equal(given, 100);
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))].sort(), [200, 429]);
  assert.equal((await status()).quotaUsed, 5000);
});

test('other tenants have no quota', async () => {
  const key = server.tenants[1]!.keys.admin;
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { key, body: { customerId: 'C1' } });
  assert.deepEqual([answer.status, answer.body.quota, headerOf(answer)], [200, undefined, undefined]);
});

test("a decision that isn't made because the catalogue isn't as new as required counts nothing", async () => {
  const answer = await recommend({ customerId: 'C9', limit: 2, require: { minConfigVersion: 1_000_000 } });
  assert.equal(answer.status, 503, answer.text);
  assert.equal((await status()).quotaUsed, 0);
});
