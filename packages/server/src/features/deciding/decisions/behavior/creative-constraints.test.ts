import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

// Constraints of creatives (docs/design/api-catalogue.md 7) from the write to the decision.

let server: TestServer;
let now = Date.parse('2026-03-10T09:00:00.000Z');
let channelId: string;
before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  // The base flow shows offers without a creative too.
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const id = await server.create('decision-flows', { key: 'strict', name: 'Strict', draftConfig });
  await server.publishFlow(id);
});
after(() => server?.close());

async function offerWith(name: string, constraints: object, priority = 50): Promise<string> {
  const offerId = await server.create('offers', { name, status: 'active', priority });
  await server.create('creatives', { name, offerId, channelId, status: 'active', constraints });
  return offerId;
}
const recommend = (customerId: string, more: object = {}) =>
  server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId, decisionFlowKey: 'strict', limit: 50, ...more },
  });
const isShown = async (customerId: string, id: string) =>
  (await recommend(customerId)).body.decisions.some(({ offerId }) => offerId === id);

test('frequencyCapPerDay holds under parallel decisions and resets each day; a replay agrees', async () => {
  const id = await offerWith('Capped', { frequencyCapPerDay: 3 });
  const shown = await Promise.all(Array.from({ length: 10 }, () => isShown('raced', id)));
  assert.equal(shown.filter(Boolean).length, 3);
  const { body } = await recommend('raced', { debug: true });
  assert.match(JSON.stringify(body), /"creative_constraint"/);
  const replay = await server.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${body.recommendationId}/replay`,
    {
      body: {},
    },
  );
  assert.equal(replay.body.identical, true, replay.text);
  assert.equal(await isShown('somebody else', id), true);
  now = Date.parse('2026-03-10T23:59:59.999Z');
  assert.equal(await isShown('raced', id), false);
  now += 1;
  assert.equal(await isShown('raced', id), true);
});

test('cooldownHours ends on time, and priorityOverride sets the order', async () => {
  const cooling = await offerWith('Cooling', { cooldownHours: 2 });
  const first = await offerWith('First', { priorityOverride: 100 }, 0);
  const { body } = await recommend('known');
  assert.equal(body.decisions[0]?.offerId, first);
  assert.equal(await isShown('known', cooling), false);
  now += 2 * 3_600_000 - 1;
  assert.equal(await isShown('known', cooling), false);
  now += 1;
  assert.equal(await isShown('known', cooling), true);
});
