import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { draftFlowConfig, type RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

interface Route {
  readonly id: string;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly decisionFlow: { readonly id: string; readonly key: string };
  readonly priority: number;
  readonly version: number;
  readonly createdAt: string;
  readonly code: string;
  readonly errors: readonly { readonly path: string }[];
}

let server: TestServer;
let web: string;
let mail: string;
let hero: string;
let category: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  web = await server.create('channels', { name: 'Web', channelType: 'web' });
  mail = await server.create('channels', { name: 'Mail', channelType: 'email' });
  hero = await server.create('placements', { name: 'Hero', channelId: web });
  category = await server.create('categories', { name: 'Cards' });
  const offerId = await server.create('offers', { name: 'Gold', status: 'active', categoryId: category });
  await server.create('creatives', { name: 'Gold web', offerId, channelId: web, status: 'active' });
});
after(() => server?.close());

let flows = 0;
async function flow(publish = true): Promise<{ id: string; key: string }> {
  const key = `flow-${++flows}`;
  const id = await server.create('decision-flows', { key, name: key, draftConfig: draftFlowConfig(category) });
  if (publish)
    assert.equal((await server.call('POST', '/api/v1/decision-flows/publish', { body: { id } })).status, 200);
  return { id, key };
}
const set = (body: object) => server.call<Route>('POST', '/api/v1/flow-routes', { body });
const change = (id: string, body: object) =>
  server.call<Route>('PUT', '/api/v1/flow-routes', { body: { id, ...body } });
const list = async (query = '') =>
  (await server.call<{ data: Route[] }>('GET', `/api/v1/flow-routes${query}`)).body.data;
async function flowOf(request: object): Promise<string> {
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1', ...request },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.decisionFlowKey;
}

describe('flow routes', () => {
  it('are set once per pair, and a placement implies its channel', async () => {
    const [a, b] = [await flow(), await flow()];
    const made = await set({ placementId: hero, decisionFlowId: a.id, priority: 7 });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body.channelId, made.body.priority, made.body.decisionFlow.key], [web, 7, a.key]);
    const again = await set({ channelId: web.toUpperCase(), placementId: hero, decisionFlowId: b.id });
    assert.equal(again.status, 200, again.text);
    const { id, createdAt, version, priority, decisionFlow } = again.body;
    assert.deepEqual(
      [id, createdAt, version, priority, decisionFlow.key],
      [made.body.id, made.body.createdAt, 2, 0, b.key],
    );
    const other = await set({ channelId: mail, placementId: hero, decisionFlowId: a.id });
    assert.deepEqual([other.status, other.body.errors[0]?.path], [400, '/channelId'], other.text);
    const plain = await set({ channelId: mail, decisionFlowId: a.id });
    assert.equal(plain.status, 201, plain.text);
    const taken = await change(plain.body.id, { placementId: hero, channelId: null });
    assert.deepEqual([taken.status, taken.body.code], [409, 'duplicate_key'], taken.text);
    const wrong = await change(made.body.id, { channelId: mail });
    assert.deepEqual([wrong.status, wrong.body.errors[0]?.path], [400, '/channelId'], wrong.text);
    const lifted = await change(made.body.id, { placementId: null, priority: 3 });
    assert.deepEqual([lifted.body.channelId, lifted.body.placementId, lifted.body.priority], [web, null, 3]);
    for (const route of await list()) {
      assert.equal((await server.call('DELETE', `/api/v1/flow-routes?id=${route.id}`)).status, 204);
    }
  });

  it('stay unique per pair when ten are set at once', async () => {
    const { id } = await flow(false);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, priority) => set({ channelId: mail, decisionFlowId: id, priority })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    const [route, ...more] = await list(`?channelId=${mail}`);
    assert.deepEqual([route?.version, more.length], [10, 0]);
    assert.equal((await server.call('DELETE', `/api/v1/flow-routes/${route?.id}`)).status, 204);
  });

  it('choose the flow when the request names none, from the next decision on', async () => {
    const [usual, byChannel, byPlacement, catchAll, draft] = [
      await flow(),
      await flow(),
      await flow(),
      await flow(),
      await flow(false),
    ];
    await server.call('PUT', '/api/v1/decision-flows', { body: { id: usual.id, isDefault: true } });
    assert.equal(await flowOf({ channelId: web }), usual.key);
    await set({ channelId: web, decisionFlowId: byChannel.id });
    assert.equal(await flowOf({ channelId: web }), byChannel.key);
    assert.equal(await flowOf({ channel: 'web', placement: 'hero' }), byChannel.key);
    await set({ placementId: hero, decisionFlowId: byPlacement.id });
    assert.equal(await flowOf({ placements: [{ placementId: hero }] }), byPlacement.key);
    assert.equal(await flowOf({ placements: [{ placementId: hero }], decisionFlowKey: usual.key }), usual.key);
    assert.equal(await flowOf({}), usual.key);
    await set({ decisionFlowId: catchAll.id });
    assert.equal(await flowOf({}), catchAll.key);
    assert.equal(await flowOf({ channelId: mail }), catchAll.key);
    await set({ channelId: mail, decisionFlowId: draft.id });
    assert.equal(await flowOf({ channelId: mail }), catchAll.key, 'a flow without a published version is passed over');
  });

  it('are deleted with their flow, channel or placement, each with an audit row', async () => {
    const [a, b] = [await flow(false), await flow(false)];
    const channelId = await server.create('channels', { name: 'App', channelType: 'mobile' });
    const placementId = await server.create('placements', { name: 'Top', channelId });
    const ofChannel = await set({ channelId, decisionFlowId: a.id });
    const ofPlacement = await set({ placementId, decisionFlowId: b.id });
    assert.equal((await server.call('DELETE', `/api/v1/placements/${placementId}`)).status, 204);
    assert.deepEqual(
      (await list(`?channelId=${channelId}`)).map(({ id }) => id),
      [ofChannel.body.id],
    );
    const second = await server.create('placements', { name: 'Bottom', channelId });
    const withIt = await set({ placementId: second, decisionFlowId: b.id });
    assert.equal((await server.call('DELETE', `/api/v1/channels/${channelId}`)).status, 204);
    assert.deepEqual(await list(`?channelId=${channelId}`), []);
    const last = await set({ channelId: mail, decisionFlowId: b.id });
    const gone = await server.call<{ cascaded: number }>('DELETE', `/api/v1/decision-flows?id=${b.id}`);
    assert.deepEqual([gone.status, gone.body.cascaded], [200, 1], gone.text);
    const audit = await server.call<{ data: { entityId: string }[] }>(
      'GET',
      '/api/v1/audit-logs?entityType=flowRoute&action=soft_delete&limit=4',
    );
    assert.deepEqual(
      audit.body.data.map(({ entityId }) => entityId).sort(),
      [ofChannel, ofPlacement, withIt, last].map(({ body }) => body.id).sort(),
    );
  });

  it('belong to their tenant', async () => {
    const stranger = server.tenants[1]!.keys.admin;
    const route = (await list())[0]!;
    const read = await server.call('GET', `/api/v1/flow-routes/${route.id}`, { key: stranger });
    assert.equal(read.status, 404);
    const body = { decisionFlowId: route.decisionFlow.id };
    const foreign = await server.call<Route>('POST', '/api/v1/flow-routes', { body, key: stranger });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'reference_not_found']);
  });
});
