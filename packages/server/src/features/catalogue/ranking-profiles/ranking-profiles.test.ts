import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftFlowConfig } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
const url = '/api/v1/ranking-profiles';
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

const call = (method: string, path: string, body?: unknown) =>
  server.call<{
    id: string;
    key: string;
    version: number;
    code: string;
    weights: object;
    data: { id: string }[];
    errors: { path: string; message: string }[];
  }>(method, path, body === undefined ? {} : { body });
const make = async (name: string) => {
  const made = await call('POST', url, { name, weights: { margin: 1 } });
  assert.equal(made.status, 201, made.text);
  return made.body;
};

test('a profile gets a key from its name, is changed and deleted, and frees its name and key', async () => {
  const made = await make('Margin first!');
  assert.deepEqual([made.key, made.version, made.weights], ['margin-first', 1, { margin: 1 }]);
  assert.equal((await make('Margin first')).key, 'margin-first-2');
  const changed = await call('PUT', url, { id: made.id, key: 'margin-first', weights: { revenue: 0.5, fatigue: 0 } });
  assert.deepEqual(
    [changed.status, changed.body.key, changed.body.version, changed.body.weights],
    [200, 'margin-first', 2, { revenue: 0.5, fatigue: 0 }],
  );
  const late = await call('PUT', `${url}/${made.id}`, { name: 'Late', rowVersion: 1 });
  assert.deepEqual([late.status, late.body.code], [409, 'row_version_conflict']);
  assert.equal(
    (await call('POST', url, { name: 'Margin first!', weights: { margin: 1 } })).body.code,
    'duplicate_name',
  );
  const taken = await call('POST', url, { name: 'Third', key: 'margin-first', weights: { margin: 1 } });
  assert.deepEqual([taken.status, taken.body.code], [409, 'duplicate_key']);
  assert.equal((await call('DELETE', `${url}/${made.id}`)).status, 204);
  assert.equal((await call('GET', `${url}/${made.id}`)).status, 404);
  assert.equal((await make('Margin first!')).key, 'margin-first');
  const ids = async (query: string) => (await call('GET', `${url}?${query}`)).body.data.map(({ id }) => id);
  assert.equal((await ids('search=margin')).includes(made.id), false);
  assert.equal((await ids('search=margin&includeDeleted=true')).includes(made.id), true);
});

test("rejects weights that can't rank, on create and on change", async () => {
  const { id } = await make('Kept');
  for (const weights of [
    {},
    { margin: 0 },
    { margin: 1.1 },
    { margin: -0.1 },
    { margin: null },
    { margin: 1, luck: 1 },
    { margin: 1, uplift: 0.5 },
    { margin: 1, clv: 0.5 },
    [1],
    null,
  ]) {
    const made = await call('POST', url, { name: 'Refused', weights });
    assert.deepEqual([made.status, made.body.code], [400, 'validation_failed'], JSON.stringify(weights));
    assert.ok(made.body.errors[0]?.path.startsWith('/weights'), made.text);
    assert.equal((await call('PUT', `${url}/${id}`, { weights })).status, 400, JSON.stringify(weights));
  }
  assert.equal((await call('POST', url, { name: 'Refused' })).status, 400);
  const kept = await call('GET', `${url}/${id}`);
  assert.deepEqual([kept.body.version, kept.body.weights], [1, { margin: 1 }]);
});

test("a profile named in a flow's draft can't be deleted", async () => {
  const { id } = await make('Named');
  const category = await call('POST', '/api/v1/categories', { name: 'Cards' });
  const draftConfig = draftFlowConfig(category.body.id);
  const nodes = draftConfig.nodes as { type: string; config: object }[];
  const naming = {
    ...draftConfig,
    nodes: nodes.map((node) =>
      node.type === 'score' ? { ...node, config: { method: 'formula', strategyProfileId: id } } : node,
    ),
  };
  const flow = await call('POST', '/api/v1/decision-flows', { key: 'named', name: 'Named', draftConfig: naming });
  assert.equal(flow.status, 201, flow.text);
  const refused = await call('DELETE', `${url}/${id}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  assert.equal(refused.body.errors[0]?.message, `is used by decision flow "Named" (${flow.body.id})`);
  assert.equal((await call('PUT', `/api/v1/decision-flows/${flow.body.id}`, { draftConfig })).status, 200);
  assert.equal((await call('DELETE', `${url}/${id}`)).status, 204);
});
