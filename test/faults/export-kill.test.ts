// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { raceExports } from './export-race.ts';

let db: TestDatabase;
let folder: string;
before(async () => {
  db = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'arbiter-export-race-'));
});
after(async () => {
  await db?.close();
  await rm(folder, { recursive: true, force: true });
});

test('R15: 16 writers with open transactions, two exporters, three kills: each row is in one file once', async () => {
  const result = await raceExports({ db, folder, rows: 6_000, writers: 16, maxHeldMs: 500, kills: 3 });
  assert.ok(result.written >= 6_000);
  assert.deepEqual([result.lost, result.doubled, result.unknown, result.kills], [0, 0, 0, 3]);
});
