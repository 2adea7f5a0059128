import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
const metricsToken = 'a token of the tests, 32 characters';

before(async () => {
  server = await startTestServer({ config: { METRICS_TOKEN: metricsToken } });
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
  const channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  for (const name of ['A', 'B']) {
    const offerId = await server.create('offers', { name, status: 'active' });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
  }
  await server.create('contact-policies', {
    name: 'Once',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxTotal: 1 },
  });
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'f', type: 'filter', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'c', type: 'compute', config: { formulaExtras: [{ key: 'a', formula: '1' }] } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const id = await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig });
  assert.equal((await server.call('POST', '/api/v1/decision-flows/publish', { body: { id } })).status, 200);
});

after(() => server?.close());

interface Stage {
  readonly stage: string;
  readonly durationMs: number | null;
}

const stagesOf = (rows: readonly Stage[]) => {
  for (const { stage, durationMs } of rows) {
    assert.ok(typeof durationMs === 'number' && durationMs >= 0 && Number.isFinite(durationMs), stage);
  }
  return rows.map(({ stage }) => stage);
};

test("each stage of a trace, and of a response with debug, has its duration; record and replay don't", async () => {
  const { body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1', debug: true },
  });
  assert.equal(body.count, 1, text);
  const trace = await server.call<{ pipeline: Stage[] }>('GET', `/api/v1/decision-traces/${body.trace.traceId}`);
  const all =
    'inventory filter match_creatives qualify suppression contact_policy score admission rank compute response';
  assert.deepEqual(stagesOf(trace.body.pipeline), all.split(' '));
  assert.deepEqual(trace.body.pipeline, (body.meta as { stages: Stage[] }).stages);
  const record = await server.call('GET', `/api/v1/decisions/${body.requestId}?include=inputs`);
  assert.doesNotMatch(record.text, /durationMs/);
  const replay = await server.call('POST', `/api/v1/decisions/${body.requestId}/replay`, { body: {} });
  assert.equal(replay.body.identical, true, replay.text);
});

test('the metrics include the stages, and those of a batch', async () => {
  const { status, text } = await server.call('GET', '/api/v1/metrics', {
    key: null,
    headers: { authorization: `Bearer ${metricsToken}` },
  });
  assert.equal(status, 200);
  for (const stage of ['load', 'inventory', 'filter', 'contact_policy', 'score', 'rank', 'admission', 'commit']) {
    const [, count] =
      new RegExp(`^svc_decision_stage_seconds_count\\{stage="${stage}"\\} (\\d+)$`, 'm').exec(text) ?? [];
    assert.ok(Number(count) >= 1, stage);
  }
});
