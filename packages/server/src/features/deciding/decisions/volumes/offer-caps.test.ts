import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let channelId: string;
const noon = Date.parse('2026-11-20T12:00:00Z');
const clock = { now: noon };

const recommend = (body: object) => server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });

before(async () => {
  server = await startTestServer({ clock: { now: () => clock.now } });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
});
after(() => server?.close());

async function offer(name: string, body: object): Promise<string> {
  const id = await server.create('offers', { name, status: 'active', ...body });
  await server.create('creatives', { name, offerId: id, channelId, status: 'active' });
  return id;
}

test("an offer's cap holds for each customer, even under many parallel requests", async () => {
  const id = await offer('Capped', { frequencyCaps: { perCustomer: { daily: 3 } } });
  for (const customerId of ['one', 'two']) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => recommend({ customerId })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const shown = answers.filter(({ body }) => body.count === 1);
    assert.equal(shown.length, 3);
    const empty = answers.filter(({ body }) => body.count === 0);
    assert.deepEqual([...new Set(empty.map(({ body }) => body.emptyReason))], ['inventory']);
    for (const { body } of [shown[0]!, empty[0]!]) {
      const replay = await server.call<{ identical: boolean }>(
        'POST',
        `/api/v1/decisions/${body.recommendationId}/replay`,
        { body: {} },
      );
      assert.equal(replay.body.identical, true, replay.text);
    }
  }
  // The window is the day of the tenant's zone, which is UTC here.
  clock.now = Date.parse('2026-11-20T23:59:59.999Z');
  assert.equal((await recommend({ customerId: 'one' })).body.count, 0);
  clock.now = Date.parse('2026-11-21T00:00:00Z');
  assert.equal((await recommend({ customerId: 'one' })).body.count, 1);
  clock.now = noon;
  const put = await server.call('PUT', '/api/v1/offers', {
    body: { id, frequencyCaps: { perCustomer: { total: 0 } } },
  });
  assert.equal(put.status, 200, put.text);
  assert.equal((await recommend({ customerId: 'three' })).body.count, 0);
  await server.call('PUT', '/api/v1/offers', { body: { id, status: 'paused' } });
});

test('placements of one response share the rest of a cap', async () => {
  const places = await Promise.all(
    ['Top', 'Side', 'Foot'].map((name) => server.create('placements', { name, channelId })),
  );
  await offer('Shared', { frequencyCaps: { perCustomer: { weekly: 2 } } });
  const placements = places.map((placementId) => ({ placementId }));
  const first = await recommend({ customerId: 'shared', placements });
  assert.equal(first.body.count, 2, first.text);
  const again = await recommend({ customerId: 'shared', placements });
  assert.equal(again.body.count, 0, again.text);
});
