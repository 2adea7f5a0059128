import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { AgentNarrative, NarrativeAnswer, RecommendAnswer } from '@arbiter/contract';
import { startServerOn, startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Narratives over HTTP, as the template writes them (docs/design/api-decisioning.md 17). */

let server: TestServer;
let shiftMs = 0;

async function set(body: object, key?: string): Promise<void> {
  const { status, text } = await server.call('PUT', '/api/v1/tenant-settings', {
    body,
    ...(key === undefined ? {} : { key }),
  });
  assert.equal(status, 200, text);
}
const optIn = (llmExplanationsEnabled: boolean) => set({ aiAnalyzerSettings: { llmExplanationsEnabled } });

async function decide(customerId: string): Promise<RecommendAnswer> {
  const body = { customerId, attributes: { age: 16 }, requestId: randomUUID() };
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The limit is tested on its own. */
async function tell(id: string | null, body: object = {}, key = server.tenants[0].keys.viewer) {
  await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
  return server.call<NarrativeAnswer>('POST', `/api/v1/decisions/${id}/narrative`, { body, key });
}
async function told(id: string | null, body: object = {}): Promise<NarrativeAnswer> {
  const { status, body: answer, text } = await tell(id, body);
  assert.equal(status, 200, text);
  return answer;
}
const cached = async (): Promise<number> =>
  Number((await server.testDatabase.ownerQuery('select count(*) from arbiter.decision_narratives'))[0]?.count);
const audited = async () =>
  server.testDatabase.ownerQuery<{ after: Record<string, unknown>; entity_id: string }>(
    `select after, entity_id from arbiter.audit_logs where action = 'generate_narrative' order by sequence`,
  );

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => Date.now() + shiftMs } });
  await set({ decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  await optIn(true);
  const channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  for (const [name, priority] of [
    ['Gold Card', 90],
    ['Silver Card', 50],
    ['Travel Card', 40],
  ] as const) {
    const offerId = await server.create('offers', { name, status: 'active', priority });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
    if (name === 'Travel Card') {
      await server.create('qualification-rules', {
        name: 'Adults',
        ruleType: 'attribute_condition',
        stage: 'eligibility',
        scope: 'offer',
        scopeId: offerId,
        config: { attribute: 'attributes.age', operator: 'gte', value: 18 },
      });
    }
  }
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'q', type: 'qualify', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  await server.publishFlow(await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig }));
});
after(() => server?.close());

test('explains to a regulator what was decided and why, from the trace', async () => {
  const decision = await decide('R1');
  const { narrative, ...rest } = await told(decision.recommendationId);
  assert.deepEqual(
    { ...rest, createdAt: '' },
    {
      mode: 'regulator',
      model: 'template-v1',
      cached: false,
      fallback: false,
      checkFailures: [],
      tokens: { input: 0, output: 0 },
      createdAt: '',
    },
  );
  assert.ok(typeof narrative === 'string');
  assert.match(
    narrative,
    /Version 1 of the flow “main” selected 2 offers\. 3 offers entered the flow\. Qualification dropped 1 and left 2\./,
  );
  assert.match(narrative, /“Gold Card” took rank 1 with a score of 0\.9\./);
  assert.match(
    narrative,
    /“Travel Card” was blocked by the rule “Adults”: “attributes.age” is 16, and the rule requires at least 18\./,
  );
  assert.doesNotMatch(narrative, /R1/, 'the customer is not named');
});

test('says the same by request, recommendation and trace, byte for byte', async () => {
  const decision = await decide('R2');
  const ids = [decision.requestId, decision.recommendationId, decision.trace.traceId];
  const texts = new Set<unknown>();
  for (const id of ids) texts.add((await told(id, { noCache: true })).narrative);
  assert.equal(texts.size, 1);
});

test('writes an object for an agent, and 30 to 60 words without numbers for a customer', async () => {
  const decision = await decide('R3');
  const agent = (await told(decision.requestId, { mode: 'agent' })).narrative as AgentNarrative;
  assert.equal(agent.decisionId, decision.recommendationId);
  assert.deepEqual(agent.outcome.top?.offerName, 'Gold Card');
  assert.deepEqual(
    agent.blocked.map(({ offerName, gate }) => [offerName, gate]),
    [['Travel Card', 'qualification']],
  );
  assert.ok(agent.reasons.length > 0 && agent.reasons.length <= 8);
  const { narrative } = await told(decision.requestId, { mode: 'customer' });
  assert.ok(typeof narrative === 'string');
  const words = narrative.split(/\s+/).length;
  assert.ok(words >= 30 && words <= 60, narrative);
  assert.match(narrative, /“Gold Card”/);
  assert.doesNotMatch(narrative, /\d|Silver|Travel|score|rule|age/);
});

test('caches for 7 days by mode, and noCache rewrites', async () => {
  const { requestId } = await decide('R4');
  const first = await told(requestId);
  const second = await told(requestId);
  assert.deepEqual([first.cached, second.cached], [false, true]);
  assert.deepEqual({ ...second, cached: false }, first);
  assert.equal((await told(requestId, { mode: 'customer' })).cached, false);
  assert.equal((await told(requestId, { noCache: true })).cached, false);
  assert.equal((await told(requestId)).cached, true);
  shiftMs += 7 * 86_400_000 + 1_000;
  assert.equal((await told(requestId)).cached, false);
});

test('audits the regulator mode, cached or not, without mentioning the customer', async () => {
  const before = (await audited()).length;
  const { requestId, trace } = await decide('R5');
  for (const body of [{}, {}, { mode: 'agent' }, { mode: 'customer' }]) await told(requestId, body);
  const rows = (await audited()).slice(before);
  assert.deepEqual(
    rows.map(({ entity_id, after }) => [entity_id, after.mode, after.model, after.cached]),
    [
      [trace.traceId, 'regulator', 'template-v1', false],
      [trace.traceId, 'regulator', 'template-v1', true],
    ],
  );
  const preview = String(rows[0]?.after.narrativePreview);
  assert.match(preview, /^Decision /);
  assert.ok([...preview].length <= 200);
  // IDs and instants may hold any digits.
  assert.doesNotMatch(preview, /R5|\bage\b|\b16\b/);
});

test('403 before anything else without the opt-in, 404 without a trace and for other tenants, 400 for bad input', async () => {
  const { requestId } = await decide('R6');
  const count = await cached();
  await optIn(false);
  for (const id of [requestId, randomUUID()]) {
    const { status, body } = await tell(id);
    assert.deepEqual([status, (body as unknown as { code: string }).code], [403, 'explanations_not_enabled']);
  }
  await optIn(true);
  for (const id of [randomUUID(), 'garbage']) assert.equal((await tell(id)).status, 404);
  const other = server.tenants[1]!.keys.admin;
  assert.equal((await tell(requestId, {}, other)).status, 403);
  await set({ aiAnalyzerSettings: { llmExplanationsEnabled: true } }, other);
  assert.equal((await tell(requestId, {}, other)).status, 404);
  await set({ decisionTraceEnabled: false });
  assert.equal((await tell((await decide('R7')).requestId)).status, 404, 'no trace is stored');
  await set({ decisionTraceEnabled: true });
  for (const body of [{ mode: 'poet' }, { mode: 1 }, { noCache: 'yes' }])
    assert.equal((await tell(requestId, body)).status, 400);
  assert.equal(await cached(), count);
});

test('erasure deletes the narratives of the customer only', async () => {
  const [erased, other] = [await decide('Erased'), await decide('Other')];
  for (const { requestId } of [erased, other]) await told(requestId);
  const path = '/api/v1/customers/Erased/data?scope=all';
  const { status, text } = await server.call('DELETE', path, { headers: { 'x-confirm-delete': 'Erased' } });
  assert.equal(status, 200, text);
  const rows = await server.testDatabase.ownerQuery<{ customer_id: string }>(
    `select customer_id from arbiter.decision_narratives where customer_id in ('Erased', 'Other')`,
  );
  assert.deepEqual(
    rows.map((row) => row.customer_id),
    ['Other'],
  );
  assert.equal((await tell(erased.requestId)).status, 404);
  assert.equal((await told(other.requestId)).cached, true);
});

test("503 not_configured while the provider's key or model name is missing", async () => {
  const { requestId } = await decide('R9');
  for (const config of [
    { LLM_PROVIDER: 'anthropic', LLM_MODEL: 'm' },
    { LLM_PROVIDER: 'openai_compatible', LLM_MODEL: 'm' },
    { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'a key' },
  ] as const) {
    const node = startServerOn({ ...server.testDatabase, close: async () => undefined }, { config });
    const { status, body } = await node.call('POST', `/api/v1/decisions/${requestId}/narrative`, {
      body: {},
      key: server.tenants[0].keys.viewer,
    });
    assert.deepEqual([status, body.code], [503, 'not_configured']);
    await node.close();
  }
});

test('allows 20 calls a minute per tenant', async () => {
  await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
  const { requestId } = await decide('R8');
  const key = server.tenants[0].keys.viewer;
  const call = () => server.call('POST', `/api/v1/decisions/${requestId}/narrative`, { body: {}, key });
  const statuses: number[] = [];
  for (let time = 0; time < 21; time += 1) statuses.push((await call()).status);
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 200), 429]);
});
