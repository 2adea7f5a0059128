import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../platform/ids.ts';
import { systemActor } from './database.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

test('works', async () => {
  const id = newId();
  await db.database.withTenant(id, systemActor('test'), async (tx) => {
    await tx.query('insert into tenants (id, name) values ($1, $2)', [id, 'a']);
    tx.touchCatalogue();
  });
  const rows = await db.ownerQuery('select * from arbiter.catalogue_versions');
  assert.equal(rows.length, 1);
});
