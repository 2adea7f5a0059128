import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SimulatedAnswer, Simulation } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Simulations with changes to policy files that are stored nowhere. */

let server: TestServer;
let segmentId: string;

const problem = async (body: object) => {
  const answer = await server.call<{ code: string; errors: { path: string }[] }>('POST', '/api/v1/simulate', {
    body: { customerId: 'C1', channel: 'web', ...body },
  });
  return [answer.status, answer.body.code, answer.body.errors[0]?.path];
};
const simulate = async (overlay: object[], more: object = {}): Promise<string[]> => {
  const answer = await server.call<SimulatedAnswer>('POST', '/api/v1/simulate', {
    body: { customerId: 'C1', channel: 'web', limit: 5, overlay, ...more },
    key: server.tenants[0].keys.viewer,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.decisions.map(({ offerName }) => String(offerName));
};

before(async () => {
  server = await startTestServer();
  const fields = [
    { name: 'customer_id', displayName: 'Id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false },
  ];
  const schemaId = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true, fields },
  });
  const rows = Array.from({ length: 10 }, (_, at) => ({ customer_id: `C${at}` }));
  await server.call('POST', `/api/v1/schemas/${schemaId}/data`, { body: { rows } });
  const filters = { logic: 'and', conditions: [{ field: 'customer_id', operator: 'exists' }] };
  segmentId = await server.create('segments', { name: 'All', baseSchemaId: schemaId, filters, status: 'active' });
  const channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  for (const [name, priority] of [
    ['One', 80],
    ['Two', 70],
  ] as const) {
    const offerId = await server.create('offers', { name, status: 'active', priority });
    await server.create('creatives', { name, offerId, channelId, status: 'active' });
  }
  const nodes = ['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({
    id: type,
    type,
    config: {},
  }));
  const id = await server.create('decision-flows', {
    ...{ key: 'main', name: 'Main' },
    draftConfig: { version: 2, nodes: [...nodes, { id: 's', type: 'score', config: { method: 'priority_weighted' } }] },
  });
  await server.publishFlow(id);
});
after(() => server?.close());

test('tries offers, rules, policies and settings, as a viewer, and stores none of them', async () => {
  const state = () =>
    server.testDatabase.ownerQuery(
      'select (select count(*) from arbiter.offers) as offers, (select max(sequence) from arbiter.audit_logs) as audit',
    );
  const before = await state();
  assert.deepEqual(await simulate([]), ['One', 'Two']);
  assert.deepEqual(await simulate([{ kind: 'offers', key: 'One', patch: { status: 'paused' } }]), ['Two']);
  assert.deepEqual(await simulate([{ kind: 'offers', key: 'Two', patch: { priority: 95 } }]), ['Two', 'One']);
  const never = { ruleType: 'attribute_condition', stage: 'eligibility', scopes: [{ scope: 'global' }] };
  const rule = { ...never, config: { attribute: 'attributes.vip', operator: 'eq', value: true } };
  const withRule = [{ kind: 'qualification-rules', key: 'VIP only', patch: rule }];
  assert.deepEqual(await simulate(withRule), []);
  assert.deepEqual(await simulate(withRule, { attributes: { vip: true } }), ['One', 'Two']);
  const cap = { ruleType: 'frequency_cap', scopes: [{ scope: 'global' }], config: { maxPerDay: 0, per: 'offer' } };
  assert.deepEqual(await simulate([{ kind: 'contact-policies', key: 'None', patch: cap }]), []);
  assert.deepEqual(await simulate([{ kind: 'settings', key: 'settings', patch: { maxOffersPerDecision: 1 } }]), [
    'One',
  ]);
  assert.deepEqual(
    await simulate([{ kind: 'offers', key: 'One', patch: { status: 'paused' } }], { version: 'draft' }),
    ['Two'],
  );
  assert.deepEqual(await state(), before);
});

test('runs over a segment without changing the comparison', async () => {
  const body = {
    segmentId,
    overlay: [{ kind: 'offers', key: 'One', patch: null }],
    compare: {},
    channel: 'web',
    limit: 1,
  };
  const { status, body: made, text } = await server.call<Simulation>('POST', '/api/v1/simulate', { body });
  assert.equal(status, 200, text);
  assert.deepEqual(
    [made.topOffers.map(({ offerName }) => offerName), made.compare?.topOffers.map(({ offerName }) => offerName)],
    [['Two'], ['One']],
  );
});

test('rejects an invalid overlay, and an overlay with overrides', async () => {
  const unknown = { overlay: [{ kind: 'offers', key: 'Unknown', patch: null }] };
  assert.deepEqual(await problem(unknown), [422, 'overlay_invalid', '/overlay/0/key']);
  assert.deepEqual(await problem({ ...unknown, overrides: { offerIds: [] } }), [400, 'validation_failed', '/overlay']);
  const decisionId = '01a2029b-ab27-746e-9a7a-e14694d7b707';
  assert.deepEqual(await problem({ ...unknown, decisionId }), [400, 'validation_failed', '/overlay']);
});
