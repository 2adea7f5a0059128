import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpSchema } from '../../packages/server/src/db/schema-dump.ts';
import { createTestDatabase } from '../../packages/server/src/db/test-database.ts';

/** Writes docs/schema.sql from a database that the migrations have just built. */
const db = await createTestDatabase();
try {
  writeFileSync(join(import.meta.dirname, '../../docs/schema.sql'), await dumpSchema(db.adminUrl));
} finally {
  await db.close();
}
