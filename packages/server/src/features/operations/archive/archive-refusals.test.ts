import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ConfigError } from '../../../config.ts';
import { assertArchive } from '../../../main/archive.ts';
import { startServerOn, type TestNode } from '../../../main/test-server.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createFolderArchive } from '../../../platform/archive/archive-files.ts';
import type { ByteRange } from '../../../platform/object-store/object-store.ts';
import { createArchive, findArchivedRow } from '../../deciding/archived-months/index.ts';
import { type ArchiveWorld, startArchiveWorld } from './test-archive.ts';

// What readers and operators see when the archive is missing or differs from what was written.

let world: ArchiveWorld;
let decisionId: string;
let file: string;
let archiveId: string;
const month = new Date().toISOString().slice(0, 7);

before(async () => {
  world = await startArchiveWorld({ tenants: 2 });
  decisionId = String((await world.decide('C-1')).recommendationId);
  await world.publish();
  world.ahead();
  await world.run('history.archive');
  const [decisions] = await world.archives('?kind=decisions');
  assert.ok(decisions);
  archiveId = decisions.id;
  file = join(world.folder, decisions.path);
  await copyFile(file, `${file}.copy`);
});
after(() => world?.close());

/** Asks a process that has opened no file yet. */
async function freshly<T>(config: object, ask: (node: TestNode) => Promise<T>): Promise<T> {
  const node = startServerOn(
    { ...world.server.testDatabase, close: async () => undefined },
    {
      config: { ARCHIVE_URL: { folder: world.folder }, ...config },
      clock: { now: () => Date.now() + 45 * 86_400_000 },
    },
  );
  try {
    return await ask(node);
  } finally {
    await node.close();
  }
}

const read = (config: object = {}) =>
  freshly(config, (node) =>
    node.call('GET', `/api/v1/decisions/${decisionId}`, { key: world.server.tenants[0].keys.admin }),
  );
const act = (verb: 'verify' | 'restore', key = world.server.tenants[0].keys.admin, id = archiveId) =>
  world.server.call<{ problem?: string | null; code?: string; detail?: string }>(
    'POST',
    `/api/v1/admin/archives/${id}/${verb}`,
    { body: {}, key },
  );

// A suite, because hooks around each test would run for tests of other files in the same process, too.
describe('an archive that is missing or differs', () => {
  beforeEach(() => copyFile(`${file}.copy`, file));

  test('reads the decision while its file is there', async () => {
    assert.equal((await read()).status, 200);
  });

  test('a missing file is 503 with its month, not 404', async () => {
    await unlink(file);
    const answer = await read();
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.body.code, 'unavailable');
    assert.match(
      String(answer.body.detail),
      new RegExp(`Archived decisions of ${month} can't be read: the file is missing`),
    );
    assert.ok(answer.headers['retry-after']);
    assert.equal((await act('verify')).body.problem, 'The file is missing.');
    const restored = await act('restore');
    assert.deepEqual([restored.status, restored.body.code], [409, 'record_corrupt'], restored.text);
    assert.equal(await world.count('decisions'), 0);
  });

  test('an archive that hangs is 503 with its month, before the request is late', async () => {
    const never = new Promise<never>(() => undefined);
    const files = createFolderArchive(world.folder);
    let reads = 0;
    const footerOnly = (path: string, range?: ByteRange) => {
      reads += 1;
      return reads > 1 ? never : files.read(path, range);
    };
    for (const hanging of [
      { ...files, size: () => never },
      { ...files, read: footerOnly },
    ]) {
      const archive = createArchive(hanging);
      await assert.rejects(
        world.within((tx) => findArchivedRow(tx, archive, 'decisions', decisionId)),
        (error) => {
          assert.ok(error instanceof AppError);
          assert.deepEqual([error.status, error.code], [503, 'unavailable']);
          assert.match(String(error.detail), new RegExp(`${month} can't be read: the archive didn't answer in time`));
          return true;
        },
      );
    }
  });

  test('without ARCHIVE_URL, an archived decision is 503 with its month', async () => {
    const answer = await read({ ARCHIVE_URL: null });
    assert.deepEqual([answer.status, answer.body.code], [503, 'not_configured'], answer.text);
    assert.match(String(answer.body.detail), new RegExp(month));
  });

  test('reading, verifying and restoring find a changed file', async () => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, -1));
    assert.deepEqual((await read()).body.code, 'record_corrupt');
    assert.match(String((await act('verify')).body.problem), /bytes instead of/);
    // One bit in the first column of the first row.
    for (const place of [20, Math.floor(bytes.length / 3), bytes.length - 20]) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await writeFile(file, changed);
      assert.match(String((await act('verify')).body.problem), /changed/);
      const restored = await act('restore');
      assert.deepEqual([restored.status, restored.body.code], [409, 'record_corrupt'], restored.text);
    }
    await writeFile(file, bytes);
    const verified = await act('verify');
    assert.equal(verified.body.problem, null, verified.text);
  });

  test('rejects a file of another part or tenant', async () => {
    const [impressions] = await world.archives('?kind=impressions');
    assert.ok(impressions);
    await copyFile(join(world.folder, impressions.path), file);
    const problem = String((await act('verify')).body.problem);
    assert.match(problem, /another part|bytes instead of/);
    const [, other] = world.server.tenants;
    const tenantId = world.server.tenants[0].id;
    const bytes = await readFile(`${file}.copy`);
    // IDs have one length, so the footer stays well-formed.
    const foreign = Buffer.from(bytes.toString('latin1').replaceAll(tenantId, other?.id ?? ''), 'latin1');
    assert.notDeepEqual(foreign, bytes);
    await writeFile(file, foreign);
    assert.equal((await act('verify')).body.problem, 'The file belongs to another tenant.');
    assert.equal((await read()).body.code, 'record_corrupt');
  });

  test("another tenant's archives don't exist", async () => {
    const key = world.server.tenants[1]?.keys.admin ?? '';
    assert.equal((await act('verify', key)).status, 404);
    assert.equal((await act('restore', key)).status, 404);
    const list = await world.server.call<{ total: number }>('GET', '/api/v1/admin/archives', { key });
    assert.equal(list.body.total, 0);
    assert.equal((await act('verify', undefined, crypto.randomUUID())).status, 404);
    const viewer = await world.server.call('GET', '/api/v1/admin/archives', {
      key: world.server.tenants[0].keys.viewer,
    });
    assert.equal(viewer.status, 403);
  });

  test('an unwritable archive stops the start and says what to do, and later fails the job', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'arbiter-archive-'));
    const occupied = join(folder, 'a-file');
    await writeFile(occupied, '');
    await assert.rejects(assertArchive({ ARCHIVE_URL: { folder: occupied } }, assert.fail), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(
        error.problems.join(),
        /^ARCHIVE_URL can't be written: the archive folder returned (ENOTDIR|EEXIST)$/,
      );
      return true;
    });
    await assertArchive({ ARCHIVE_URL: { folder } }, assert.fail);
    await assertArchive({ ARCHIVE_URL: null }, assert.fail);
    await rm(folder, { recursive: true });
    const late = await world.decide('C-2');
    world.ahead(45 + 31);
    await rm(join(world.folder, world.server.tenants[0].id, 'decisions', month), { recursive: true });
    await writeFile(join(world.folder, world.server.tenants[0].id, 'decisions', month), '');
    await assert.rejects(world.run('history.archive'), /the archive folder returned/);
    assert.equal(await world.count('decisions'), 1, `${late.recommendationId} stays`);
  });
});
