// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Delivery } from '@arbiter/contract';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { queueDelivery } from '../../packages/server/src/features/outreach/deliveries/index.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';

const secret = 'a signing secret of the guide';

/** A delivery that was sent under this id. */
async function sent({ database, tenants, testDatabase }: TestServer, messageId: string): Promise<string> {
  const id = await database.withTenant(tenants[0].id, systemActor('test'), (tx) =>
    queueDelivery(tx, {
      ...{ origin: { source: 'journey', journeyId: newId() }, customerId: 'C-1', offerId: newId() },
      ...{ channelId: newId(), creativeId: null, recommendationId: null, effectKey: newId() },
    }),
  );
  await testDatabase.ownerQuery(
    `update arbiter.deliveries set status = 'sent', provider = 'webhook', provider_message_id = $2 where id = $1`,
    [id, messageId],
  );
  return id;
}

test('delivery-callbacks: the relay signs what the provider reports', async () => {
  const text = await readFile(new URL('../../docs/guides/delivery-callbacks.md', import.meta.url), 'utf8');
  const [script] = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const [callback, answer] = [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => json);
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-relay-'));
  const server = await startTestServer({ config: { WEBHOOK_SIGNING_SECRET: secret } });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  writeFileSync(join(folder, 'relay.mjs'), script!);
  const relay = spawn(process.execPath, [join(folder, 'relay.mjs')], {
    env: {
      ...{ ARBITER_URL: `http://127.0.0.1:${port}`, PORT: '0', RELAY_TOKEN: 'a-token-of-the-relay' },
      WEBHOOK_SIGNING_SECRET: secret,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: relay.stdout });
    const { value: line } = await lines[Symbol.asyncIterator]().next();
    const relayPort = /^relay on port (\d+)$/.exec(String(line))?.[1];
    const id = await sent(server, 'message-1');
    const body = callback!.replaceAll('$message', 'message-1');
    const post = (path: string) => fetch(`http://127.0.0.1:${relayPort}${path}`, { method: 'POST', body });
    assert.equal((await post('/another-token')).status, 404);
    const first = await post('/a-token-of-the-relay');
    assert.deepEqual([first.status, await first.json()], [200, JSON.parse(answer!)]);
    const { body: delivery } = await server.call<Delivery>('GET', `/api/v1/deliveries/${id}`);
    assert.deepEqual([delivery.status, delivery.events.length], ['opened', 2]);
  } finally {
    relay.kill();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
