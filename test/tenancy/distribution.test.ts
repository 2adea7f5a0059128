import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { coordinatorTables } from '../../packages/server/src/db/cluster/distribute.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { populate } from './world.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
  await populate(server, server.tenants[0]);
});
after(() => server?.close());

test("the tables of a cluster's coordinator exist, and refer to no table of a worker", async () => {
  const { ownerQuery } = server.testDatabase;
  const found = await ownerQuery<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'arbiter'::regnamespace and relname = any ($1) order by 1`,
    [coordinatorTables],
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    coordinatorTables.toSorted(),
  );
  const references = await ownerQuery<{ name: string }>(
    `select k.conname as name from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
      where k.contype = 'f' and a.relnamespace = 'arbiter'::regnamespace
        and (a.relname = any ($1)) <> (b.relname = any ($1))`,
    [coordinatorTables],
  );
  assert.deepEqual(references, []);
});
