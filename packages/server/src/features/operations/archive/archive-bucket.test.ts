import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBucketUrl } from '../../../config/bucket-settings.ts';
import { ConfigError } from '../../../config.ts';
import { assertArchive } from '../../../main/archive.ts';
import { startTestObjectStore, type TestObjectStore } from '../../../platform/object-store/test-object-store.ts';
import { type ArchiveWorld, startArchiveWorld } from './test-archive.ts';

let bucket: TestObjectStore;
let world: ArchiveWorld;

before(async () => {
  bucket = await startTestObjectStore();
  world = await startArchiveWorld({ config: { ARCHIVE_URL: { bucket: readBucketUrl(bucket.url) } } });
});
after(async () => {
  await world?.close();
  await bucket?.close();
});

test('archives into a bucket, reads parts of its objects, and restores', async () => {
  const { recommendationId } = await world.decide('C-1');
  const read = () => world.server.call('GET', `/api/v1/decisions/${recommendationId}`);
  const before = (await read()).body;
  world.ahead();
  // The bucket is busy for a moment.
  bucket.next.push(503);
  await world.run('history.archive');
  const archives = await world.archives();
  assert.deepEqual([...bucket.objects.keys()].sort(), archives.map(({ path }) => path).sort());
  assert.equal(await world.count('decisions'), 0);
  assert.deepEqual((await read()).body, before);
  for (const { id } of archives) {
    const { status, text } = await world.server.call('POST', `/api/v1/admin/archives/${id}/restore`, { body: {} });
    assert.equal(status, 202, text);
    await world.run('archive.restore', { archiveId: id });
  }
  assert.equal(await world.count('decisions'), 1);
  assert.deepEqual((await read()).body, before);
});

test('a refusing bucket is 503 for the reader, and fails the job with its error', async () => {
  world.ahead(45 + 31);
  bucket.next.push(403);
  await assert.rejects(world.run('history.archive'), /the bucket answered 403 \(AccessDenied\)/);
  await world.run('history.archive');
  const [decisions] = await world.archives('?kind=decisions');
  assert.ok(decisions);
  bucket.next.push(403);
  const verified = await world.server.call('POST', `/api/v1/admin/archives/${decisions.id}/verify`, { body: {} });
  assert.deepEqual([verified.status, verified.body.code], [503, 'unavailable'], verified.text);
  // The size comes first, and an answer to HEAD has no body with a reason.
  assert.match(String(verified.body.detail), /the bucket answered 403/);
});

test('a bucket that refuses stops the start, and one that is away warns', async () => {
  const config = { ARCHIVE_URL: { bucket: readBucketUrl(bucket.url) } };
  bucket.next.push(403);
  await assert.rejects(assertArchive(config, assert.fail), ConfigError);
  const warnings: string[] = [];
  // As often as the client tries.
  bucket.next.push(503, 503, 503, 503);
  await assertArchive(config, (warning) => warnings.push(warning));
  assert.deepEqual(warnings, ['the archive is away: the bucket answered 503 (SlowDown)']);
});
