import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { createOutboxDispatcher } from '../../../operations/stream/index.ts';

/** Metrics of creatives (docs/design/api-catalogue.md 7). */

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

const call = <Body>(method: string, path: string, body?: object) =>
  server.call<Body>(method, `/api/v1/${path}`, body === undefined ? {} : { body });

async function make(path: string, body: object): Promise<string> {
  const made = await call<{ id: string }>('POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

it("count what customers saw and did, and can't be set", async () => {
  const offerId = await make('offers', { name: 'O', status: 'active' });
  const channelId = await make('channels', { name: 'C', channelType: 'web' });
  const id = await make('creatives', { name: 'K', offerId, channelId, status: 'active', metrics: { clicks: 9 } });
  for (const [at, outcomes] of [['click', 'convert'], ['click'], ['dismiss'], []].entries()) {
    const shown = await call<RecommendAnswer>('POST', 'recommend', { customerId: `c${at}` });
    assert.equal(shown.body.count, 1, shown.text);
    for (const outcome of outcomes) {
      const told = await call('POST', 'respond', { customerId: `c${at}`, offerId, creativeId: id, outcome });
      assert.ok(told.status < 300, told.text);
    }
  }
  const expected = { impressions: 4, clicks: 2, conversions: 1, positive: 3, negative: 1, ctr: 50, cvr: 25 };
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  const put = await call<{ metrics: object; version: number }>('PUT', 'creatives', { id, metrics: { clicks: 100 } });
  assert.deepEqual([put.body.metrics, put.body.version], [expected, 2], put.text);
  const read = await call<{ metrics: object }>('GET', `creatives/${id}`);
  assert.deepEqual(read.body.metrics, expected);
  const list = await call<{ data: { metrics: object }[] }>('GET', 'creatives');
  assert.deepEqual(list.body.data[0]?.metrics, expected);
});
