import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createVersionWatch } from './version-watch.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

async function change(name: string): Promise<number> {
  const made = await server.call('POST', '/api/v1/categories', { body: { name } });
  assert.equal(made.status, 201, made.text);
  return Number(made.headers['x-config-version']);
}

/** A watch that gets no notifications, and how often it queried the database. */
function deafWatch() {
  let reads = 0;
  const watch = createVersionWatch({
    withTenant(...call) {
      reads += 1;
      return server.database.withTenant(...call);
    },
  });
  return { watch, reads: () => reads };
}

test('finds an unannounced version by polling, and many waiters poll as often as one', async () => {
  const tenantId = server.tenants[0].id;
  const version = await change('first');
  const { watch, reads } = deafWatch();
  const until = performance.now() + 60_000;
  const waiting = Promise.all(Array.from({ length: 50 }, () => watch.newest(tenantId, version + 1, until)));
  const alone = deafWatch();
  const one = alone.watch.newest(tenantId, version + 1, until);
  assert.equal(await change('second'), version + 1);
  assert.deepEqual(new Set(await waiting), new Set([version + 1]));
  assert.equal(await one, version + 1);
  // Each checks once on arrival. From then on, one check serves all.
  assert.ok(reads() - 50 <= alone.reads() + 5, `${reads()} reads, alone ${alone.reads()}`);
});

test("gives a waiter the newest version in time if the expected one doesn't come", async () => {
  const tenantId = server.tenants[0].id;
  const version = await change('third');
  const { watch } = deafWatch();
  assert.equal(await watch.newest(tenantId, version + 1, performance.now() + 250), version);
  assert.equal(await watch.newest(tenantId, version, performance.now() - 1), version);
});

test('polls at once on request', async () => {
  const tenantId = server.tenants[0].id;
  const version = await change('fourth');
  const { watch, reads } = deafWatch();
  const waiting = watch.newest(tenantId, version + 1, performance.now() + 60_000);
  assert.equal(await change('fifth'), version + 1);
  const before = reads();
  watch.look(tenantId);
  assert.equal(await waiting, version + 1);
  assert.ok(reads() <= before + 1);
});
