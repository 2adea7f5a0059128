import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Offer, RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

// Stock of offers (docs/design/api-catalogue.md 6).

let server: TestServer;
let channelId: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  channelId = (await made('channels', { name: 'Web', channelType: 'web' })).id;
});
after(() => server?.close());

async function made(resource: string, body: object): Promise<Offer> {
  const answer = await server.call<Offer>('POST', `/api/v1/${resource}`, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
async function offerOf(name: string, totalStock: number | null): Promise<Offer> {
  const offer = await made('offers', { name, status: 'active', inventory: { totalStock } });
  await made('creatives', { name, offerId: offer.id, channelId, status: 'active' });
  return offer;
}
const inventoryOf = async ({ id }: Offer) => (await server.call<Offer>('GET', `/api/v1/offers/${id}`)).body.inventory;
const put = async ({ id }: Offer, inventory: object) => {
  const answer = await server.call<Offer>('PUT', '/api/v1/offers', { body: { id, inventory } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.inventory;
};
const convert = async ({ id }: Offer, customerId: string, more: object = {}) => {
  const body = { customerId, offerId: id, channelId, outcome: 'convert', ...more };
  const answer = await server.call<{ status: string }>('POST', '/api/v1/respond', { body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body.status;
};
const recommend = (more: object = {}) =>
  server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId: 'somebody', channelId, ...more } });
const isShown = async ({ id }: Offer, more: object = {}) => {
  const { body, text } = await recommend({ limit: 50, ...more });
  assert.ok(Array.isArray(body.decisions), text);
  return body.decisions.some(({ offerId }) => offerId === id);
};

test('a conversion takes one from stock, and the last one removes the offer', async () => {
  const offer = await offerOf('Phone', 2);
  assert.deepEqual(offer.inventory, { totalStock: 2, remainingStock: 2 });
  const timestamp = new Date(Date.now() - 1000).toISOString();
  await convert(offer, 'a', { outcome: 'click' });
  assert.equal((await inventoryOf(offer)).remainingStock, 2, 'only conversions take pieces');
  await convert(offer, 'a', { timestamp });
  assert.equal(await convert(offer, 'a', { timestamp }), 'duplicate');
  assert.equal((await inventoryOf(offer)).remainingStock, 1, 'the same conversion takes one piece');
  assert.equal(await isShown(offer), true);
  await convert(offer, 'b');
  assert.deepEqual(await inventoryOf(offer), { totalStock: 2, remainingStock: 0 });
  assert.equal(await isShown(offer), false);
  assert.equal(await isShown(offer, { dryRun: true }), false);
  const { body } = await recommend({ debug: true });
  assert.match(JSON.stringify(body), /"stock"/);
  const replay = await server.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${body.recommendationId}/replay`,
    {
      body: {},
    },
  );
  assert.equal(replay.body.identical, true, replay.text);
  assert.equal(await convert(offer, 'c'), 'recorded', 'a later conversion is recorded all the same');
  assert.equal((await inventoryOf(offer)).remainingStock, 0);
});

test("a changed total moves the rest with it, not below 0; without a total, stock isn't tracked", async () => {
  const offer = await offerOf('Tablet', 3);
  await convert(offer, 'a');
  await convert(offer, 'b');
  assert.deepEqual(await put(offer, { totalStock: 5 }), { totalStock: 5, remainingStock: 3 });
  assert.deepEqual(await put(offer, { totalStock: 5, remainingStock: 99 }), { totalStock: 5, remainingStock: 3 });
  assert.deepEqual(await put(offer, { totalStock: 2 }), { totalStock: 2, remainingStock: 0 });
  assert.equal(await isShown(offer), false);
  assert.deepEqual(await put(offer, { totalStock: 3 }), { totalStock: 3, remainingStock: 1 });
  assert.equal(await isShown(offer), true);
  assert.deepEqual(await put(offer, {}), {});
  await convert(offer, 'c');
  assert.deepEqual(await inventoryOf(offer), {});
  assert.deepEqual(await put(offer, { totalStock: 0 }), { totalStock: 0, remainingStock: 0 });
  assert.equal(await isShown(offer), false, '0 closes it at once');
  const none = await offerOf('Cloud', null);
  assert.deepEqual([none.inventory, await isShown(none)], [{ totalStock: null }, true]);
});

test('parallel conversions and changes of the total lose nothing', async () => {
  const offer = await offerOf('Watch', 100);
  const other = await offerOf('Band', 10);
  await Promise.all([
    ...Array.from({ length: 40 }, (_, n) => convert(n % 2 === 0 ? offer : other, `buyer ${n}`)),
    ...Array.from({ length: 20 }, (_, n) => convert(n % 2 === 0 ? other : offer, `buyer ${n}`)),
    put(offer, { totalStock: 110 }),
  ]);
  assert.deepEqual(await inventoryOf(offer), { totalStock: 110, remainingStock: 80 });
  assert.deepEqual(await inventoryOf(other), { totalStock: 10, remainingStock: 0 });
});

test('a restored offer has its remaining stock, and other tenants see none of it', async () => {
  const offer = await offerOf('Lamp', 2);
  await convert(offer, 'a');
  assert.equal((await server.call('DELETE', `/api/v1/offers?id=${offer.id}`)).status, 200);
  const restored = await server.call('POST', `/api/v1/restore?entityType=offer&id=${offer.id}`);
  assert.ok(restored.status < 300, restored.text);
  assert.deepEqual(await inventoryOf(offer), { totalStock: 2, remainingStock: 1 });
  const theirs = await server.call('GET', `/api/v1/offers/${offer.id}`, { key: server.tenants[1]!.keys.admin });
  assert.equal(theirs.status, 404);
});
