import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Problem } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { isUuid } from '../../../../platform/ids.ts';

let server: TestServer;

before(async () => {
  server = await startTestServer({ config: { RECOMMEND_RATE_PER_MINUTE: 4 }, tenants: 2 });
  const flow = await server.call('POST', '/api/v1/decision-flows', { body: { key: 'draft', name: 'Draft' } });
  assert.equal(flow.status, 201, flow.text);
});

after(() => server?.close());

const post = (path: string, options: Parameters<TestServer['call']>[2]) =>
  server.call<Problem>('POST', `/api/v1/${path}`, options);

test('a failed recommend has an ID of its own, wherever it failed', async () => {
  const key = server.tenants[1]!.keys.viewer;
  const failures: [number, Parameters<TestServer['call']>[2]][] = [
    [404, { body: { customerId: 'C1', decisionFlowKey: 'nowhere' } }],
    [409, { body: { customerId: 'C1', decisionFlowKey: 'draft' } }],
    [400, { body: { customerId: ' C1' } }],
    [400, { body: 'not an object' }],
    [429, { body: { customerId: 'C1' } }],
    [401, { key: 'ab_wrong', body: { customerId: 'C1' } }],
    [403, { key, body: { customerId: 'C1' }, headers: { 'x-tenant-id': server.tenants[0].id } }],
    [415, { key, body: { customerId: 'C1' }, headers: { 'content-type': 'text/plain' } }],
  ];
  const ids = new Set<string>();
  for (const [status, options] of failures) {
    const { body, ...answer } = await post('recommend', options);
    assert.equal(answer.status, status, answer.text);
    assert.ok(body.recommendationId !== undefined && isUuid(body.recommendationId), answer.text);
    ids.add(body.recommendationId);
  }
  assert.equal(ids.size, failures.length);
});

test('the same request ID returns the same response', async () => {
  const failed = (id: string) =>
    post('recommend', { body: { customerId: 'C1', decisionFlowKey: 'nowhere' }, headers: { 'x-request-id': id } });
  const answers = [await failed('the-same'), await failed('the-same')];
  assert.equal(answers[0]?.text, answers[1]?.text);
  assert.ok(isUuid(String(answers[0]?.body.recommendationId)), answers[0]?.text);
  const id = '0190A1B2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
  assert.equal((await failed(id)).body.recommendationId, id.toLowerCase());
});

test('other problems have no ID', async () => {
  const { status, body } = await post('respond', { body: { outcome: 'click' } });
  assert.equal(status, 400);
  assert.ok(!('recommendationId' in body));
});
