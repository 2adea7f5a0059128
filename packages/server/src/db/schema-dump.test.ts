import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { dumpSchema } from './schema-dump.ts';
import { createTestDatabase } from './test-database.ts';

test('docs/schema.sql is what the migrations build (npm run generate writes it)', async () => {
  const db = await createTestDatabase();
  try {
    const committed = await readFile(new URL('../../../../docs/schema.sql', import.meta.url), 'utf8');
    assert.equal(committed, await dumpSchema(db.adminUrl));
  } finally {
    await db.close();
  }
});
