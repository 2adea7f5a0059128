import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Problem, RecommendAnswer, RecommendBatchAnswer, RecommendRequest } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import type { CallerFacts } from '../caller.ts';
import { recommendMany } from './recommend-many.ts';

/** Many decisions in one call (docs/design/api-decisioning.md 2). */
let server: TestServer;
let capId: string;
const nodes = [
  { id: 'i', type: 'inventory', config: {} },
  { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
  { id: 'p', type: 'contact_policy', config: {} },
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
];
before(async () => {
  server = await startTestServer({ tenants: 2 });
  for (const [at, name] of ['A', 'B', 'C'].entries()) {
    await server.create('offers', { name, status: 'active', priority: 90 - at });
  }
  const policy = { name: 'Three a day', scope: 'global', ruleType: 'frequency_cap', config: { maxPerDay: 3 } };
  capId = await server.create('contact-policies', { ...policy });
  await server.publishFlow(
    await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } }),
  );
});
after(() => server?.close());

interface BatchResult {
  readonly status: number;
  readonly body: RecommendAnswer & Problem;
}
type Batch = Omit<RecommendBatchAnswer, 'results'> & { readonly results: readonly BatchResult[] };

const path = '/api/v1/recommend/batch';
const send = (requests: readonly unknown[], headers: Record<string, string> = {}) =>
  server.call<Batch>('POST', path, { body: { requests }, headers });

async function batch(requests: readonly unknown[], headers: Record<string, string> = {}): Promise<Batch> {
  const answer = await send(requests, headers);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const countsOf = ({ decided, replayed, failed }: Batch) => [decided, replayed, failed];
const namesOf = ({ decisions }: RecommendAnswer) => decisions.map(({ offerName }) => offerName);
const decisionsOf = async (customerId: string): Promise<number> => {
  const [row] = await server.testDatabase.ownerQuery<{ count: number }>(
    `select count(*)::int as count from arbiter.decision_impressions where tenant_id = $1 and customer_id = $2`,
    [server.tenants[0].id, customerId],
  );
  return row?.count ?? 0;
};

test('decides or rejects each request independently, in order', async () => {
  const answer = await batch([
    { customerId: 'C-1', limit: 2 },
    { customerId: 'C-2', decisionFlowKey: 'nowhere' },
    { customerId: 'C-3', limit: 0 },
    'not an object',
    { customerId: 'C-4', limit: 1, dryRun: true },
    { customerId: 'C-5', channelId: randomUUID() },
  ]);
  assert.deepEqual(countsOf(answer), [2, 0, 4]);
  assert.deepEqual(
    answer.results.map(({ status, body }) => [status, body.customerId ?? body.code]),
    [
      [200, 'C-1'],
      [404, 'not_found'],
      [400, 'validation_failed'],
      [400, 'validation_failed'],
      [200, 'C-4'],
      [400, 'reference_not_found'],
    ],
  );
  assert.deepEqual(answer.results[2]!.body.errors, [{ path: '/limit', message: 'must be at least 1' }]);
  assert.deepEqual(namesOf(answer.results[0]!.body), ['A', 'B']);
  assert.equal(answer.results[4]!.body.recommendationId, null);
  assert.deepEqual(await Promise.all(['C-1', 'C-2', 'C-4'].map(decisionsOf)), [1, 0, 0]);
});

test('decides, records and replays five hundred requests like single calls', async () => {
  const requests = Array.from({ length: 500 }, (_, at) => ({ customerId: `M-${at}`, limit: 1 }));
  const { results, ...answer } = await batch(requests);
  assert.deepEqual(answer, { decided: 500, replayed: 0, failed: 0 });
  assert.deepEqual(
    results.map(({ body }) => body.customerId),
    requests.map(({ customerId }) => customerId),
  );
  for (const { body } of [results[0]!, results[499]!]) {
    const replay = await server.call<{ identical: boolean }>(
      'POST',
      `/api/v1/decisions/${body.recommendationId}/replay`,
    );
    assert.deepEqual([replay.status, replay.body.identical], [200, true], replay.text);
  }
});

test('applies caps across the requests of one customer', async () => {
  const requests = Array.from({ length: 8 }, () => ({ customerId: 'Cap', limit: 1 }));
  const calls = await Promise.all([batch(requests), batch(requests)]);
  const shown = calls.flatMap(({ results }) => results.map(({ body }) => body.count));
  assert.equal(shown.filter((count) => count === 1).length, 3, `policy ${capId}`);
  assert.equal(calls[0].decided + calls[1].decided, 16);
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'the-call' };
  const requests = Array.from({ length: 3 }, (_, at) => ({ customerId: `K-${at}`, limit: 1 }));

  test('covers the whole call', async () => {
    const first = await batch(requests, headers);
    const again = await batch(requests, headers);
    assert.deepEqual(
      [countsOf(first), countsOf(again)],
      [
        [3, 0, 0],
        [0, 3, 0],
      ],
    );
    assert.deepEqual(again.results, first.results);
    assert.equal(await decisionsOf('K-0'), 1);
    assert.deepEqual(countsOf(await batch(requests)), [3, 0, 0], 'without the key they are other decisions');
  });

  test('rejects other requests and decides none of them', async () => {
    for (const changed of [requests.slice(0, 2), requests.toReversed(), [{ customerId: 'K-9' }]]) {
      const { status, body } = await server.call('POST', path, { body: { requests: changed }, headers });
      assert.deepEqual([status, body.code], [422, 'idempotency_key_reused']);
    }
    assert.equal(await decisionsOf('K-9'), 0);
    const byAnother = await server.call<Batch>('POST', path, {
      ...{ body: { requests }, headers, key: server.tenants[0].keys.editor },
    });
    assert.deepEqual(countsOf(byAnother.body), [3, 0, 0], 'another credential has keys of its own');
    const responses = [{ customerId: 'K-0', offerId: randomUUID(), outcome: 'click' }];
    const other = await server.call('POST', '/api/v1/respond/batch', { body: { responses }, headers });
    assert.equal(other.status, 200, 'another operation has keys of its own');
  });

  test('decides again after it expires', async () => {
    const again = { 'idempotency-key': 'weekly' };
    const first = await batch(requests, again);
    await server.testDatabase.ownerQuery(
      `update arbiter.response_keys set created_at = created_at - interval '8 days' where customer_id = ''`,
    );
    const later = await batch(requests, again);
    assert.deepEqual(countsOf(later), [3, 0, 0]);
    assert.notEqual(later.results[0]!.body.recommendationId, first.results[0]!.body.recommendationId);
  });

  test('decides again what failed the first time', async () => {
    const key = { 'idempotency-key': 'later' };
    const own = [{ customerId: 'L-0' }, { customerId: 'L-1', decisionFlowKey: 'later' }];
    assert.deepEqual(countsOf(await batch(own, key)), [1, 0, 1]);
    const draftConfig = { version: 2, nodes };
    await server.publishFlow(await server.create('decision-flows', { key: 'later', name: 'Later', draftConfig }));
    assert.deepEqual(countsOf(await batch(own, key)), [1, 1, 0]);
  });
});

test('replays the decision of a used requestId, and decides once for a repeated one', async () => {
  const [used, twice] = [randomUUID(), randomUUID()];
  const single = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'R-1', limit: 1, requestId: used },
  });
  const named = { customerId: 'R-2', limit: 1, requestId: twice };
  const answer = await batch([{ customerId: 'R-1', limit: 1, requestId: used.toUpperCase() }, named, named]);
  assert.deepEqual(answer.results[0]!.body, single.body);
  assert.equal(answer.results[1]!.status, 200);
  // It depends on when the first one commits.
  const again = answer.results[2]!;
  if (again.status === 200) assert.deepEqual(again.body, answer.results[1]!.body);
  else assert.deepEqual([again.status, again.body.code], [409, 'idempotency_in_progress']);
  assert.equal(answer.decided, 1);
  assert.equal(await decisionsOf('R-2'), 1);
  assert.deepEqual(countsOf(await batch([named])), [0, 1, 0]);
});

test('rejects lists of the wrong length', async () => {
  const request = { customerId: 'Never' };
  for (const requests of [[], new Array(501).fill(request)]) {
    const answer = await send(requests);
    assert.equal(answer.status, 400, answer.text);
  }
  assert.equal((await server.call('POST', path, { body: { requests: request } })).status, 400);
  assert.equal(await decisionsOf('Never'), 0);
});

test('uses only the catalogue of the calling tenant', async () => {
  const key = server.tenants[1]!.keys.viewer;
  const answer = await server.call<Batch>('POST', path, {
    ...{ key, body: { requests: [{ customerId: 'C-1' }, { customerId: 'C-1', decisionFlowKey: 'main' }] } },
  });
  assert.deepEqual(
    answer.body.results.map(({ status, body }) => [status, body.count ?? body.code]),
    [
      [200, 0],
      [404, 'not_found'],
    ],
  );
});

test('fails the call after a server error, once all others are done', async () => {
  const done: string[] = [];
  const requests = Array.from({ length: 200 }, (_, at) => ({ customerId: `F-${at}` }));
  const call = recommendMany(
    {
      read: (request) => request as RecommendRequest,
      claimCall: async () => null,
      newRequests: async () => new Set(),
      async recommend(_caller, { customerId = '' }) {
        if (customerId === 'F-3') throw new Error('defect');
        done.push(customerId);
        return { text: '{}', replayed: false, quotaLeft: null };
      },
    },
    {} as CallerFacts,
    'call',
    requests,
  );
  await assert.rejects(call, /defect/);
  assert.equal(done.length, 199);
});

describe('limits', () => {
  let limited: TestServer;
  before(async () => {
    limited = await startTestServer({ config: { RECOMMEND_RATE_PER_MINUTE: 5 } });
  });
  after(() => limited?.close());
  const ask = (requests: readonly unknown[]) => limited.call<Problem>('POST', path, { body: { requests } });

  test('count each request like a single call, all or none', async () => {
    const requests = Array.from({ length: 4 }, (_, at) => ({ customerId: `L-${at}` }));
    assert.equal((await ask([])).status, 400, 'a malformed call counts nothing');
    const first = await ask(requests);
    assert.deepEqual([first.status, first.headers['ratelimit-remaining']], [200, '1']);
    const second = await ask(requests.slice(0, 2));
    assert.deepEqual([second.status, second.body.code], [429, 'rate_limited']);
    assert.match(second.body.detail ?? '', /At most 5 calls in 60 seconds\. This call counts as 2\./);
    assert.equal((await limited.call('POST', '/api/v1/recommend', { body: { customerId: 'L-9' } })).status, 200);
    assert.equal((await ask(requests.slice(0, 1))).status, 429);
  });

  test('reject a call that can never fit, and name the limit', async () => {
    const requests = Array.from({ length: 6 }, (_, at) => ({ customerId: `M-${at}` }));
    const { status, body } = await ask(requests);
    assert.deepEqual([status, body.code], [400, 'validation_failed']);
    const message =
      'must have at most 5 items, not 6: each item counts as a call, and the limit is 5 calls in 60 seconds';
    assert.deepEqual(body.errors, [{ path: '/requests', message }]);
  });
});
