import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let flowId = '';

/** A schema of text columns, the first of which is the primary key, with its rows. */
async function table(name: string, columns: readonly string[], rows: readonly string[][], more: object = {}) {
  const id = await server.create('schemas', {
    name,
    displayName: name,
    schemaType: 'account',
    fields: columns.map((column, at) => ({ name: column, isPrimaryKey: at === 0, isNullable: at > 0 })),
    ...more,
  });
  const body = { rows: rows.map((row) => Object.fromEntries(row.map((value, at) => [columns[at], value]))) };
  const stored = await server.call('POST', `/api/v1/schemas/${id}/data`, { body });
  assert.equal(stored.status, 201, stored.text);
}

const enrich = (schemaId: string, lookupFrom: string, lookupKey = 'customer_id') => ({
  id: schemaId,
  type: 'enrich',
  config: { sources: [{ schemaId }], lookupFrom, lookupKey },
});
const moved = enrich('moves', 'request.customerId');
const account = enrich('accounts', 'customer.account_id', 'key');
const tier = enrich('tiers', 'customer.tier', 'name');

const draft = (nodes: readonly object[]) => ({
  version: 2,
  nodes: [
    { id: 'i', type: 'inventory', config: {} },
    ...nodes,
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ],
  flowConfig: {},
});

async function publish(nodes: readonly object[]): Promise<void> {
  const put = await server.call('PUT', '/api/v1/decision-flows', { body: { id: flowId, draftConfig: draft(nodes) } });
  assert.equal(put.status, 200, put.text);
  await server.publishFlow(flowId);
}

async function decide(customerId: string): Promise<{ subject: unknown; recommendationId: string | null }> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, decisionFlowKey: 'main' },
  });
  assert.equal(status, 200, text);
  return { subject: body.decisions[0]?.content?.subject, recommendationId: body.recommendationId };
}

async function assertReplays(id: string | null): Promise<void> {
  const { status, body, text } = await server.call('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
  assert.deepEqual([status, body.identical], [200, true], text);
}

before(async () => {
  server = await startTestServer();
  await table(
    'people',
    ['customer_id', 'account_id'],
    [
      ['C1', 'A1'],
      ['C2', 'A1'],
      ['C3', 'A3'],
    ],
    { schemaType: 'customer', autoEnrich: true },
  );
  await table(
    'moves',
    ['customer_id', 'account_id'],
    [
      ['C1', 'A2'],
      ['C4', 'A1'],
    ],
  );
  await table(
    'accounts',
    ['key', 'tier', 'owner'],
    [
      ['A1', 'silver', 'Ann'],
      ['A2', 'gold', 'Bea'],
    ],
  );
  await table(
    'tiers',
    ['name', 'perk'],
    [
      ['silver', 'tea'],
      ['gold', 'lounge'],
    ],
  );
  const channelId = await server.create('channels', { name: 'Mail', channelType: 'email' });
  const offerId = await server.create('offers', { name: 'A', status: 'active' });
  await server.create('creatives', {
    name: 'a',
    offerId,
    channelId,
    status: 'active',
    content: { subject: '{account_id} {owner} {tier} {perk}' },
  });
  flowId = await server.create('decision-flows', { key: 'main', name: 'Main' });
});

after(() => server?.close());

test('a lookup sees the rows that earlier enrich nodes read', async () => {
  await publish([moved, account, tier]);
  const wanted = {
    C1: 'A2 Bea gold lounge',
    C2: 'A1 Ann silver tea',
    C3: 'A3   ',
    C4: 'A1 Ann silver tea',
    C5: '   ',
  };
  // Once alone, once in a batch with the others.
  for (const together of [false, true]) {
    const asked = Object.keys(wanted).map((customerId) => () => decide(customerId));
    const answers = [];
    if (together) answers.push(...(await Promise.all(asked.map((ask) => ask()))));
    else for (const ask of asked) answers.push(await ask());
    assert.deepEqual(
      answers.map(({ subject }) => subject),
      Object.values(wanted),
    );
    for (const { recommendationId } of answers) await assertReplays(recommendationId);
  }
});

test('a later node looks up by the winning row, and the record keeps the rows read', async () => {
  // The owner's second look-up happens before the move is known, so it must use the old account.
  await publish([{ ...account, id: 'before' }, moved, tier]);
  const { subject, recommendationId } = await decide('C1');
  assert.equal(subject, 'A2 Ann silver tea');
  await assertReplays(recommendationId);
  const { body } = await server.call<{ inputs: { enriched: unknown } }>(
    'GET',
    `/api/v1/decisions/${recommendationId}?include=inputs`,
  );
  assert.deepEqual(body.inputs.enriched, {
    before: [{ owner: 'Ann', tier: 'silver' }],
    moves: [{ account_id: 'A2' }],
    tiers: [{ perk: 'tea' }],
  });
});

test('a chain costs one round trip per additional node, and nothing without one', async () => {
  const dryRun = async (): Promise<number> => {
    const before = server.hot.trips();
    const body = { customerId: 'C1', decisionFlowKey: 'main', dryRun: true, attributes: { account: 'A2' } };
    const { status, text } = await server.call('POST', '/api/v1/recommend', { body });
    assert.equal(status, 200, text);
    return server.hot.trips() - before;
  };
  const tripsOf = async (nodes: readonly object[]): Promise<number> => {
    await publish(nodes);
    // The first decision after a change may look for the newest catalogue.
    await dryRun();
    return dryRun();
  };
  const plain = await tripsOf([]);
  assert.equal(await tripsOf([moved, enrich('accounts', 'attributes.account', 'key')]), plain);
  assert.equal(await tripsOf([account, { ...account, id: 'again' }]), plain + 1);
  assert.equal(await tripsOf([moved, account]), plain + 1);
  assert.equal(await tripsOf([moved, account, tier]), plain + 2);
  assert.equal(await tripsOf([account, tier]), plain + 2);
});

test('rejects a chain of more than three nodes', async () => {
  await table('perks', ['title', 'worth'], [['lounge', '10']]);
  const nodes = [moved, account, tier, enrich('perks', 'customer.perk', 'title')];
  const put = await server.call<{ code: string; errors: { path: string; nodeId: string }[] }>(
    'PUT',
    '/api/v1/decision-flows',
    { body: { id: flowId, draftConfig: draft(nodes) } },
  );
  assert.deepEqual([put.status, put.body.code], [422, 'pipeline_invalid'], put.text);
  assert.deepEqual(
    put.body.errors.map(({ path, nodeId }) => [path, nodeId]),
    [['/draftConfig/nodes/4/config/lookupFrom', 'perks']],
  );
  const made = await server.call('POST', '/api/v1/decision-flows', {
    body: { key: 'deep', name: 'Deep', draftConfig: draft(nodes) },
  });
  assert.equal(made.status, 400, made.text);
});
