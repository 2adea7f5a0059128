// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CommandLine, createCommandLine } from '../../packages/cli/src/test-command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';

let db: TestDatabase;
let commands: CommandLine;
let folder: string;
before(async () => {
  db = await createTestDatabase();
  commands = await createCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'arbiter-serve-'));
});
after(async () => {
  await commands?.close();
  await db?.close();
  await rm(folder, { recursive: true, force: true });
});

test('serve --empty creates a first tenant without demo data, and names the command that loads a file', async () => {
  const environment = {
    DATABASE_URL: db.url,
    DATABASE_ADMIN_URL: db.adminUrl,
    DATA_DIR: folder,
    AUTO_SECRETS: 'on',
    LOG_LEVEL: 'silent',
  };
  const { code, out, err } = await commands.arbiter(['serve', '--empty', '--apply-only'], environment);
  assert.equal(code, 0, err);
  assert.match(out, /^API key +krn_/m);
  assert.match(out, /schema import customers\.csv --create customers/);
  const counts = await db.ownerQuery(
    `select (select count(*)::int from arbiter.tenants) as tenants, (select count(*)::int from arbiter.offers) as offers,
       (select count(*)::int from arbiter.schemas) as schemas`,
  );
  assert.deepEqual(counts, [{ tenants: 1, offers: 0, schemas: 0 }]);
});
