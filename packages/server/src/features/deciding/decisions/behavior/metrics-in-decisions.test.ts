import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BehavioralMetric, DecisionRecord, RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let channelId: string;
let offers: string[];
before(async () => {
  server = await startTestServer();
  const traces = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: traces })).status, 200);
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offers = [];
  for (const name of ['A', 'B']) {
    const offerId = await server.create('offers', { name, status: 'active', priority: 90 - 10 * offers.length });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
    offers.push(offerId);
  }
});
after(() => server?.close());

const definition = { aggregateFunction: 'count', sourceField: 'positive' };
const metric = (name: string, more: object = {}) =>
  server.create('behavioral-metrics', { name, ...definition, ...more });
const compute = async (id: string) => {
  const { status, text } = await server.call('POST', `/api/v1/behavioral-metrics/${id}/compute`);
  assert.equal(status, 200, text);
};
let clicks = 0;
async function click(customerId: string, offerId: string | undefined, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const body = { customerId, offerId, channelId, outcome: 'click', idempotencyKey: `click ${++clicks}` };
    const { status, body: answer, text } = await server.call('POST', '/api/v1/respond', { body });
    assert.deepEqual([status, answer.status], [200, 'recorded'], text);
  }
}
const recommend = async (customerId: string) => {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId, limit: 2 },
  });
  assert.equal(status, 200, text);
  return body;
};
const namesOf = ({ decisions }: RecommendAnswer) =>
  decisions.map(({ offerId }) => 'AB'[offers.indexOf(offerId)]).join('');
const shown = async (customerId: string) => namesOf(await recommend(customerId));
const remove = async (path: string) => {
  const { status, text } = await server.call('DELETE', `/api/v1/${path}`);
  assert.ok(status < 300, text);
};
async function replays(recommendationId: string | null): Promise<void> {
  const path = `/api/v1/decisions/${recommendationId}/replay`;
  const { body, text } = await server.call<{ identical: boolean }>('POST', path, { body: {} });
  assert.equal(body.identical, true, text);
}

/** Types of the policies or rules that the trace of a customer's decision lists. Its response is checked against the contract. */
async function tracedTypes(customerId: string, of: 'contactPolicyResults' | 'qualificationResults') {
  const path = '/api/v1/decision-traces';
  const list = await server.call<{ traces: { id: string }[] }>('GET', `${path}?customerId=${customerId}`);
  assert.equal(
    list.status,
    200,
    `${list.text} ${JSON.stringify(server.log.filter(({ level }) => level !== 'info').at(-1))}`,
  );
  const [newest] = list.body.traces;
  const trace = await server.call<Record<typeof of, { ruleType: string }[]>>('GET', `${path}/${newest?.id}`);
  assert.equal(trace.status, 200, trace.text);
  return trace.body[of].map(({ ruleType }) => ruleType);
}

/** Why the offer isn't shown. The response is checked against the contract. */
async function gatesOf(customerId: string, offerId: string | undefined): Promise<(string | null)[]> {
  const path = `/api/v1/customers/${customerId}/why-not/${offerId}?channelId=${channelId}`;
  const answer = await server.call<{ gates: { ruleType?: string | null }[] }>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.gates.map(({ ruleType = null }) => ruleType);
}

test('a policy blocks at its threshold, on both sides, and replays after the value has changed', async () => {
  const metricId = await metric('Clicks');
  const policy = await server.create('contact-policies', {
    ...{ name: 'Tired', ruleType: 'metric_condition', scope: 'global' },
    config: { metricId, operator: 'gte', threshold: 3 },
  });
  await click('two', offers[0], 2);
  await click('three', offers[0], 3);
  assert.equal(await shown('three'), 'AB', 'values are not computed yet');
  await compute(metricId);
  const open = await recommend('two');
  const closed = await recommend('three');
  assert.deepEqual([namesOf(open), namesOf(closed), await shown('nobody')], ['AB', '', 'AB']);
  assert.ok((await tracedTypes('three', 'contactPolicyResults')).includes('metric_condition'));
  assert.ok((await gatesOf('three', offers[0])).includes('metric_condition'));
  await click('two', offers[0], 1);
  assert.equal(await shown('two'), 'AB', 'the value is that of the last computation');
  await compute(metricId);
  assert.equal(await shown('two'), '');
  for (const { recommendationId } of [open, closed]) await replays(recommendationId);
  const record = await server.call<DecisionRecord>(
    'GET',
    `/api/v1/decisions/${closed.recommendationId}?include=inputs`,
  );
  assert.deepEqual(record.body.inputs?.metrics, { clicks: 3 }, record.text);
  assert.deepEqual(record.body.inputs?.readSet?.metrics, ['clicks']);
  const inUse = await server.call('DELETE', `/api/v1/behavioral-metrics/${metricId}`);
  assert.deepEqual([inUse.status, inUse.body.code], [409, 'in_use']);
  await server.call('PUT', `/api/v1/contact-policies/${policy}`, { body: { status: 'paused' } });
  await remove(`behavioral-metrics/${metricId}`);
  await replays(closed.recommendationId);
  await remove(`contact-policies/${policy}`);
});

test("a rule compares the value of the candidate's own offer", async () => {
  const metricId = await metric('By offer', { groupByDimensions: ['offerId'], computeMode: 'batch' });
  const rule = await server.create('qualification-rules', {
    ...{ name: 'Clicked', ruleType: 'metric_condition', scope: 'global' },
    config: { metricId, operator: 'gte', threshold: 2 },
  });
  await click('grouped', offers[0], 1);
  await click('grouped', offers[1], 2);
  await compute(metricId);
  const answer = await recommend('grouped');
  assert.equal(namesOf(answer), 'B');
  assert.ok((await tracedTypes('grouped', 'qualificationResults')).includes('metric_condition'));
  assert.ok((await gatesOf('grouped', offers[0])).includes('metric_condition'));
  await replays(answer.recommendationId);
  assert.equal(await shown('nobody'), '', 'a count that is missing is 0');
  await remove(`qualification-rules/${rule}`);
  await remove(`behavioral-metrics/${metricId}`);
});

test('conditions and formulas read values by key, also as customer.metric_<key>', async () => {
  const metricId = await metric('Visits');
  await click('reader', offers[0], 2);
  await compute(metricId);
  for (const attribute of ['customer.metrics.visits', 'customer.metric_visits']) {
    for (const [value, names] of [
      [2, 'AB'],
      [3, ''],
    ] as const) {
      const rule = await server.create('qualification-rules', {
        ...{ name: `${attribute} ${value}`, ruleType: 'attribute_condition', scope: 'global' },
        config: { attribute, operator: 'gte', value },
      });
      const answer = await recommend('reader');
      assert.equal(namesOf(answer), names, `${attribute} ${value}`);
      await replays(answer.recommendationId);
      await remove(`qualification-rules/${rule}`);
    }
  }
  await remove(`behavioral-metrics/${metricId}`);
});

test('archived and disabled metrics have no effect', async () => {
  const metricId = await metric('Switch');
  await server.create('contact-policies', {
    ...{ name: 'Switch', ruleType: 'metric_condition', scope: 'global' },
    config: { metricId, operator: 'gte', threshold: 1 },
  });
  await click('switch', offers[0]);
  await compute(metricId);
  assert.equal(await shown('switch'), '');
  const status = (value: BehavioralMetric['status']) =>
    server.call('PUT', `/api/v1/behavioral-metrics/${metricId}`, { body: { status: value } });
  await status('paused');
  assert.equal(await shown('switch'), '', 'paused metrics keep their values');
  await status('archived');
  assert.equal(await shown('switch'), 'AB');
  await status('active');
  assert.equal(await shown('switch'), '');
  const set = (enableBehavioralMetrics: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableBehavioralMetrics } });
  await set(false);
  assert.equal(await shown('switch'), 'AB');
  await set(true);
  assert.equal(await shown('switch'), '');
});
