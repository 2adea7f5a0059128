import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate, migrationsFolder, pendingMigrations, readMigrations } from '../../packages/server/src/db/migrate.ts';
import { dumpSchema } from '../../packages/server/src/db/schema-dump.ts';
import { withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { fingerprint } from '../operations/fingerprint.ts';
import { catalogueFindings } from '../tenancy/catalogue-findings.ts';
import { populate } from '../tenancy/world.ts';

/** Migrations as an operator meets them: again on a database in use, and one release after the other. */

let server: TestServer;
let empty: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  empty = `test_steps_${process.pid}`;
  await server.testDatabase.ownerQuery(`create database ${empty}`);
});
after(async () => {
  await server?.testDatabase.ownerQuery(`drop database if exists ${empty} with (force)`);
  await server?.close();
});

test('numbers the files from 0001 without gaps or duplicates', async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.map((name) => name.slice(0, 5)),
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}_`),
  );
});

test('a second run on a database in use applies nothing, and leaves schema and data unchanged', async () => {
  const { testDatabase, tenants } = server;
  for (const tenant of tenants) await populate(server, tenant);
  const ids = tenants.map(({ id }) => id);
  const [schema, data] = [await dumpSchema(testDatabase.adminUrl), await fingerprint(server, ids)];
  const partitions = () =>
    testDatabase.ownerQuery(
      `select c.oid::regclass::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_class c
        where c.relispartition order by 1`,
    );
  const before = await partitions();
  for (let run = 0; run < 2; run += 1) {
    assert.deepEqual(await migrate({ adminUrl: testDatabase.adminUrl, url: testDatabase.url }), []);
  }
  assert.equal(await dumpSchema(testDatabase.adminUrl), schema);
  assert.deepEqual(await fingerprint(server, ids), data);
  assert.deepEqual(await partitions(), before);
  assert.deepEqual(await catalogueFindings(testDatabase), []);
  // The server noticed nothing.
  const answer = await server.call('GET', '/api/v1/offers');
  assert.equal(answer.status, 200, answer.text);
});

test('each release gives the committed schema; each run applies one file, a repeat none', async () => {
  const adminUrl = withDatabase(server.testDatabase.adminUrl, empty);
  const url = withUser(adminUrl, 'arbiter_test_app');
  const path = await mkdtemp(join(tmpdir(), 'arbiter-steps-'));
  const folder = pathToFileURL(`${path}/`);
  try {
    for (const { name } of await readMigrations()) {
      await copyFile(new URL(`${name}.sql`, migrationsFolder), new URL(`${name}.sql`, folder));
      assert.deepEqual(await migrate({ adminUrl, url, folder }), [name]);
      assert.deepEqual(await migrate({ adminUrl, url, folder }), []);
    }
    assert.deepEqual(await pendingMigrations(url), []);
    const committed = await readFile(new URL('../../docs/schema.sql', import.meta.url), 'utf8');
    assert.equal(await dumpSchema(adminUrl), committed);
  } finally {
    await rm(path, { recursive: true });
  }
});
