import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
const ids: Record<string, string> = {};

const recommend = (body: object) =>
  server.call<RecommendAnswer & { code: string; errors: { path: string }[] }>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1', ...body },
  });
const reasonsOf = ({ placementResults }: RecommendAnswer) =>
  Object.fromEntries(
    Object.entries(placementResults ?? {}).map(([id, { count, emptyReason }]) => [id, [count, emptyReason]]),
  );

before(async () => {
  server = await startTestServer({});
  ids.web = await server.create('channels', { name: 'Web', channelType: 'web' });
  ids.mail = await server.create('channels', { name: 'Mail', channelType: 'email' });
  ids.hero = await server.create('placements', { name: 'Hero', channelId: ids.web });
  ids.side = await server.create('placements', { name: 'Side', channelId: ids.web });
  ids.inbox = await server.create('placements', { name: 'Inbox', channelId: ids.mail });
  const offerId = await server.create('offers', { name: 'A', status: 'active' });
  for (const channelId of [ids.web, ids.mail]) {
    await server.create('creatives', { name: `on ${channelId}`, offerId, channelId, status: 'active' });
  }
  const paused = [
    server.call('PUT', '/api/v1/placements', { body: { id: ids.side, status: 'inactive' } }),
    server.call('PUT', '/api/v1/channels', { body: { id: ids.mail, status: 'paused' } }),
  ];
  for (const { status, text } of await Promise.all(paused)) assert.equal(status, 200, text);
});

after(() => server?.close());

const named = (...names: string[]) => names.map((name) => ({ placementId: ids[name] }));

test("inactive placements get nothing, say so, and don't fail the request", async () => {
  const { status, body, text } = await recommend({ placements: named('inbox', 'hero', 'side') });
  assert.equal(status, 200, text);
  assert.equal(body.emptyReason, null);
  assert.deepEqual(reasonsOf(body), {
    [ids.inbox!]: [0, 'placement_inactive'],
    [ids.hero!]: [1, null],
    [ids.side!]: [0, 'placement_inactive'],
  });
  assert.equal(body.placementResults?.[ids.inbox!]?.placementName, 'Inbox');
  const replay = await server.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${body.recommendationId}/replay`,
    { body: {} },
  );
  assert.equal(replay.body.identical, true, replay.text);
});

test('only inactive placements give an empty response', async () => {
  for (const more of [{}, { channelId: ids.mail }, { channel: 'email' }]) {
    const { status, body, text } = await recommend({ placements: named('inbox'), ...more });
    assert.deepEqual([status, body.count, body.emptyReason], [200, 0, 'placement_inactive'], text);
    assert.deepEqual(reasonsOf(body), { [ids.inbox!]: [0, 'placement_inactive'] });
  }
});

test('placements of another channel and deleted ones are errors', async () => {
  for (const more of [{ channelId: ids.mail }, { channel: 'email' }]) {
    const foreign = await recommend({ placements: named('hero'), ...more });
    assert.deepEqual(
      [foreign.status, foreign.body.code, foreign.body.errors[0]?.path],
      [400, 'validation_failed', '/placements/0/placementId'],
      foreign.text,
    );
  }
  assert.equal((await server.call('DELETE', `/api/v1/placements?id=${ids.side}`)).status, 204);
  const gone = await recommend({ placements: named('hero', 'side') });
  assert.deepEqual(
    [gone.status, gone.body.code, gone.body.errors[0]?.path],
    [400, 'reference_not_found', '/placements/1/placementId'],
    gone.text,
  );
});

test('under atomic coupling an inactive placement empties its siblings', async () => {
  const box = await server.create('placements', { name: 'Box', channelId: ids.web, status: 'inactive' });
  const set = await server.call('PUT', '/api/v1/channels', { body: { id: ids.web, couplingMode: 'atomic' } });
  assert.equal(set.status, 200, set.text);
  const { body, text } = await recommend({ placements: [...named('hero'), { placementId: box }] });
  assert.equal(body.emptyReason, 'coupling', text);
  assert.deepEqual(reasonsOf(body), { [ids.hero!]: [0, 'coupling'], [box]: [0, 'placement_inactive'] });
});
