import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, SummaryGroup } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { createOutboxDispatcher } from '../../../operations/stream/index.ts';

/** The tenant's figures by what was shown and where (docs/design/api-access.md 16). */
let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

async function post<Body extends object = { id: string }>(path: string, body: object): Promise<Body> {
  const answer = await server.call<Body>('POST', `/api/v1/${path}`, { body });
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body;
}

interface Summed {
  readonly data: SummaryGroup[];
  readonly total: number;
}
const summary = async (query: string) =>
  (await server.call<Summed>('GET', `/api/v1/interaction-summary?${query}`)).body;

test('sums figures by offer, creative, channel and category, most impressions first', async () => {
  const category = await post('categories', { name: 'Cards' });
  const web = await post('channels', { name: 'Web', channelType: 'web' });
  const inCategory = { status: 'active', categoryId: category.id };
  const [gold, blue] = [
    await post('offers', { name: 'Gold', ...inCategory }),
    await post('offers', { name: 'Blue', ...inCategory }),
  ];
  const lone = await post('offers', { name: 'Lone', status: 'active' });
  const shows = { channelId: web.id, status: 'active' };
  const creative = await post('creatives', { name: 'Gold on the web', offerId: gold.id, ...shows });
  const all = [gold.id, blue.id, lone.id];
  const show = async (customerId: string, offerId: string): Promise<string> => {
    const excludeOffers = all.filter((id) => id !== offerId);
    const { recommendationId, count } = await post<RecommendAnswer>('recommend', { customerId, excludeOffers });
    assert.equal(count, 1);
    return recommendationId!;
  };
  const first = await show('A', gold.id);
  await post('respond', { recommendationId: first, outcome: 'click' });
  await post('respond', { recommendationId: first, outcome: 'convert', conversionValue: 20 });
  await show('B', gold.id);
  await show('C', gold.id);
  await post('respond', { recommendationId: await show('A', blue.id), outcome: 'dismiss' });
  await show('B', blue.id);
  await show('A', lone.id);
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();

  const none = { positive: 0, negative: 0, neutral: 0, converts: 0, total: 0, ctr: 0, cvr: 0, totalValue: 0 };
  const golden = {
    impressions: 3,
    ...none,
    positive: 2,
    converts: 1,
    total: 2,
    ctr: 33.33,
    cvr: 33.33,
    totalValue: 20,
  };
  const live = { status: 'active' };
  const byOffer = await summary('');
  assert.deepEqual(byOffer.data, [
    { id: gold.id, name: 'Gold', ...live, ...golden },
    { id: blue.id, name: 'Blue', ...live, ...none, impressions: 2, negative: 1, total: 1 },
    { id: lone.id, name: 'Lone', ...live, ...none, impressions: 1 },
  ]);
  const cut = await summary('groupBy=offer&limit=2&days=1');
  assert.deepEqual([cut.data, cut.total], [byOffer.data.slice(0, 2), 3]);
  assert.deepEqual((await summary('groupBy=creative')).data, [
    { id: creative.id, name: 'Gold on the web', ...live, ...golden },
    { id: null, name: null, status: null, ...none, impressions: 3, negative: 1, total: 1 },
  ]);
  const channels = (await summary('groupBy=channel')).data;
  assert.deepEqual(
    channels.map(({ id, name, impressions }) => [id, name, impressions]),
    [
      [web.id, 'Web', 3],
      [null, null, 3],
    ],
  );
  const [cards, others] = (await summary('groupBy=category')).data;
  const { impressions, positive, negative, cvr, totalValue } = cards!;
  assert.deepEqual([cards!.id, cards!.name], [category.id, 'Cards']);
  assert.deepEqual([impressions, positive, negative, cvr, totalValue], [5, 2, 1, 20, 20]);
  assert.deepEqual([others!.id, others!.name, others!.impressions], [null, null, 1]);
});
