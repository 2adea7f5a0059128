import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, SimulatedAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Simulations with changed customer data, and of recorded decisions. */

let server: TestServer;
const ids = { web: '', gold: '', plain: '', rule: '' };
let decided: RecommendAnswer;

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly path: string }[];
}

const ask = (body: object, key = server.tenants[0].keys.viewer) =>
  server.call<SimulatedAnswer & Problem>('POST', '/api/v1/simulate', { body: { customerId: 'C1', ...body }, key });
const named = (answer: { readonly decisions: readonly { readonly offerName?: string }[] }) =>
  answer.decisions.map(({ offerName }) => offerName);
async function refused(body: object, status: number, code: string, path?: string): Promise<void> {
  const answer = await ask(body);
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.code, code, answer.text);
  if (path !== undefined) assert.equal(answer.body.errors?.[0]?.path, path, answer.text);
}

before(async () => {
  server = await startTestServer({ tenants: 2 });
  const schema = await server.createRecord('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false },
      { name: 'tier', dataType: 'varchar', length: 32 },
    ].map((field) => ({ displayName: field.name, ...field })),
  });
  const rows = [{ customer_id: 'C1', tier: 'basic' }];
  const filled = await server.call('POST', `/api/v1/schemas/${schema.id}/data`, { body: { rows } });
  assert.equal(filled.status, 201, filled.text);
  ids.web = (await server.createRecord('channels', { name: 'Web', channelType: 'web' })).id!;
  const category = (await server.createRecord('categories', { name: 'All' })).id!;
  const offer = async (name: string, priority: number) => {
    const { id } = await server.createRecord('offers', { name, status: 'active', categoryId: category, priority });
    await server.createRecord('creatives', { name, offerId: id, channelId: ids.web, status: 'active', weight: 40 });
    return id!;
  };
  ids.gold = await offer('Gold only', 90);
  ids.plain = await offer('For all', 50);
  ids.rule = (
    await server.createRecord('qualification-rules', {
      name: 'Is gold',
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: ids.gold,
      config: { attribute: 'customer.tier', operator: 'eq', value: 'gold' },
    })
  ).id!;
  await server.createRecord('contact-policies', {
    name: 'One a day',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerDay: 1 },
  });
  const flow = await server.createRecord('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        { id: 'qualify', type: 'qualify', config: {} },
        { id: 'policy', type: 'contact_policy', config: {} },
        { id: 'score', type: 'score', config: { method: 'formula', formula: { emphasisWeight: 2 } } },
        { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  await server.publishFlow(flow.id);
  // Without traces: only the sealed record tells of the decision.
  const settings = await server.call('PUT', '/api/v1/tenant-settings', { body: { decisionTraceEnabled: false } });
  assert.equal(settings.status, 200, settings.text);
  const real = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1', channel: 'web' },
  });
  assert.equal(real.status, 200, real.text);
  decided = real.body;
});

after(() => server?.close());

test('simulates with other values of the customer, and reports names that set nothing', async () => {
  // Today's one contact is used up; tomorrow is not.
  const now = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const before = await ask({ channel: 'web', now });
  assert.deepEqual(named(before.body), ['For all'], before.text);
  assert.deepEqual([before.body.notSet, before.body.recordedDecisionId], [[], null]);
  const { body, status, text } = await ask({ channel: 'web', now, limit: 2, profile: { tier: 'gold', teir: 'gold' } });
  assert.equal(status, 200, text);
  assert.deepEqual(named(body), ['Gold only'], text);
  assert.deepEqual(body.notSet, ['teir']);
  const again = await ask({ channel: 'web', now });
  assert.deepEqual(named(again.body), ['For all'], 'nothing was kept');
  const known = await ask({ customerId: 'nobody-knows-me', channel: 'web', profile: { tier: 'gold' } });
  assert.deepEqual(named(known.body), ['Gold only'], 'a customer may be invented');
});

test('repeats a recorded decision, unchanged and with changes', async () => {
  assert.equal(decided.trace.traceId, null);
  const decisionId = decided.recommendationId!;
  const same = await ask({ decisionId });
  assert.equal(same.status, 200, same.text);
  assert.deepEqual(named(same.body), named(decided));
  const facts = ({ decisions }: { decisions: RecommendAnswer['decisions'] }) =>
    decisions.map(({ offerId, score, rank, creativeId, scoreComponents, selection }) => ({
      ...{ offerId, score, rank, creativeId, scoreComponents, selection },
    }));
  assert.deepEqual(facts(same.body), facts(decided));
  const { requestId, timestamp, recordedDecisionId, recommendationId, dryRun } = same.body;
  assert.deepEqual([requestId, timestamp], [decided.requestId, decided.timestamp]);
  assert.deepEqual([recordedDecisionId, recommendationId, dryRun], [decisionId, null, true]);
  const meta = same.body.meta as {
    readonly stages: readonly { readonly stage: string }[];
    readonly dropped: readonly { readonly offerName: string; readonly detail: unknown }[];
    readonly scores: readonly Record<string, unknown>[];
  };
  assert.ok(meta.stages.some(({ stage }) => stage === 'qualify'));
  assert.deepEqual(meta.dropped[0]?.detail, {
    attribute: 'customer.tier',
    operator: 'eq',
    expected: 'gold',
    actual: 'basic',
  });
  const [score] = meta.scores;
  assert.deepEqual(score?.exponents, { propensity: 1, relevance: 1, impact: 1, emphasis: 2 });
  assert.deepEqual([score?.method, score?.creativeWeight], ['formula', 40]);

  const changed = await ask({ decisionId: decided.requestId, profile: { tier: 'gold' } });
  assert.deepEqual(named(changed.body), ['Gold only'], changed.text);

  // The catalogue changes; the record stays as it was.
  const rule = await server.call('PUT', `/api/v1/qualification-rules/${ids.rule}`, { body: { status: 'paused' } });
  assert.equal(rule.status, 200, rule.text);
  assert.deepEqual(named((await ask({ decisionId })).body), ['For all']);
});

test('rejects edits of recorded values, edits for segments, and decisions of others', async () => {
  const decisionId = decided.recommendationId!;
  for (const beside of [
    { now: '2026-11-20T09:00:00Z' },
    { channel: 'web' },
    { decisionFlowKey: 'main' },
    { version: 'draft' },
    { formulaOverride: {} },
  ]) {
    await refused({ decisionId, ...beside }, 400, 'validation_failed', `/${Object.keys(beside)[0]}`);
  }
  const segmentId = crypto.randomUUID();
  await refused({ customerId: undefined, segmentId, profile: {} }, 400, 'validation_failed', '/profile');
  await refused({ customerId: undefined, segmentId, decisionId }, 400, 'validation_failed', '/decisionId');
  await refused({ profile: 'gold' }, 400, 'validation_failed', '/profile');
  await refused({ customerId: 'C2', decisionId }, 404, 'not_found');
  await refused({ decisionId: crypto.randomUUID() }, 404, 'not_found');
  const foreign = await ask({ decisionId }, server.tenants[1]!.keys.viewer);
  assert.equal(foreign.status, 404, foreign.text);
});

test('has nothing to decide on for an erased customer', async () => {
  const erased = await server.call('DELETE', '/api/v1/customers/C1/data?scope=all', {
    headers: { 'x-confirm-delete': 'C1' },
  });
  assert.equal(erased.status, 200, erased.text);
  await refused({ decisionId: decided.recommendationId! }, 409, 'inputs_unavailable');
});
