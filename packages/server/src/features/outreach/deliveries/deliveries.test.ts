import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Delivery } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { type NewDelivery, queueDeliveries, queueDelivery } from './index.ts';

/** Queued messages and the lists of them (docs/design/api-access.md 12.4). */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

const message = (effectKey: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
  origin: { source: 'journey', journeyId: newId() },
  customerId: 'C-1',
  offerId: newId(),
  creativeId: null,
  channelId: newId(),
  recommendationId: null,
  effectKey,
  ...more,
});

test('queues a message once per effect key, with one job', async () => {
  const first = await inTenant((tx) => queueDelivery(tx, message('one step')));
  assert.equal(await inTenant((tx) => queueDelivery(tx, message('one step'))), first);
  const both = await inTenant((tx) => queueDeliveries(tx, [message('one step'), message('x'.repeat(5_000))]));
  assert.equal(both[0], first);
  assert.notEqual(both[1], first);
  const jobs = await server.testDatabase.ownerQuery<{ payload: { deliveryId: string; tenantId: string } }>(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'delivery.send' order by j.id`,
  );
  assert.deepEqual(
    jobs.map(({ payload }) => payload.deliveryId),
    both,
  );
  await assert.rejects(
    inTenant(async (tx) => {
      await queueDelivery(tx, message('rolled back'));
      throw new Error('undone');
    }),
    /undone/,
  );
  const { body } = await server.call<{ data: Delivery[] }>('GET', '/api/v1/deliveries');
  assert.deepEqual(
    body.data.map(({ id }) => id),
    [...both].reverse(),
  );
});

test('lists deliveries by filter and page, and shows one; other tenants see none', async () => {
  const [runId, campaignId, channelId] = [newId(), newId(), newId()];
  const ids = await inTenant((tx) =>
    queueDeliveries(
      tx,
      ['A', 'B', 'C'].map((customerId) =>
        message(`run ${customerId}`, { customerId, channelId, origin: { source: 'campaign', campaignId, runId } }),
      ),
    ),
  );
  type Page = { data: Delivery[]; pagination: { total: number; nextCursor: string | null } };
  const list = async (query: string) => (await server.call<Page>('GET', `/api/v1/deliveries?${query}`)).body;
  const first = await list(`runId=${runId}&limit=2`);
  assert.deepEqual([first.data.length, first.pagination.total], [2, 3]);
  const second = await list(`runId=${runId}&limit=2&cursor=${first.pagination.nextCursor}`);
  assert.deepEqual([...first.data, ...second.data].map(({ id }) => id).reverse(), ids);
  assert.equal((await list(`channelId=${channelId}&customerId=B&status=queued`)).data[0]?.campaignId, campaignId);
  for (const nothing of ['customerId=b', `runId=${newId()}`, 'runId=x', `channelId=${channelId}&status=sent`]) {
    assert.equal((await list(nothing)).pagination.total, 0, nothing);
  }
  const { status, body } = await server.call<Delivery>('GET', `/api/v1/deliveries/${ids[0]}`);
  assert.deepEqual([status, body.status, body.customerId, body.provider, body.events], [200, 'queued', 'A', null, []]);
  assert.equal((await server.call('GET', '/api/v1/deliveries?cursor=x')).body.code, 'invalid_cursor');
  const key = server.tenants[1]!.keys.viewer;
  assert.equal((await server.call('GET', `/api/v1/deliveries/${ids[0]}`, { key })).status, 404);
  assert.equal((await server.call<Page>('GET', '/api/v1/deliveries', { key })).body.pagination.total, 0);
});
