import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBucketUrl } from '../../config/bucket-settings.ts';
import { createObjectStore, type ObjectStore, ObjectStoreError } from './object-store.ts';
import { startTestObjectStore, type TestObjectStore } from './test-object-store.ts';

let peer: TestObjectStore;
let store: ObjectStore;
before(async () => {
  peer = await startTestObjectStore();
  store = createObjectStore(readBucketUrl(peer.url));
});
after(() => peer.close());

const fails = (work: Promise<unknown>, text: string) =>
  assert.rejects(work, (error) => error instanceof ObjectStoreError && error.message === text);

test('writes, replaces and removes objects with odd names', async () => {
  const key = "t/spring sale+1/ü & 'x'(1)*.csv";
  await store.put(key, new Blob(['one']), 'text/csv');
  await store.put(key, new Blob(['two']), 'text/csv');
  const { body, type } = peer.objects.get(key) ?? {};
  assert.deepEqual([body, type], ['two', 'text/csv']);
  await store.remove(key);
  await store.remove(key);
  assert.equal(peer.objects.size, 0);
});

test('reads objects, parts of them, and their size', async () => {
  await store.put('read', new Blob(['0123456789']), 'text/plain');
  const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
  assert.equal(textOf(await store.get('read')), '0123456789');
  assert.equal(textOf(await store.get('read', { start: 2, end: 5 })), '234');
  assert.equal(await store.size('read'), 10);
  assert.deepEqual([await store.get('missing'), await store.size('missing')], [null, null]);
  await store.remove('read');
});

test('retries after 5xx and 429, and gives up with the code of S3', async () => {
  peer.next.push(503, 429);
  await store.put('again', new Blob(['x']), 'text/csv');
  assert.equal(peer.objects.get('again')?.body, 'x');
  peer.next.push(503, 503, 503, 503);
  await fails(store.put('never', new Blob(['x']), 'text/csv'), 'the bucket answered 503 (SlowDown)');
  assert.equal(peer.objects.has('never'), false);
  assert.deepEqual(peer.next, []);
});

test("doesn't retry after a rejection", async () => {
  peer.next.push(403, 403);
  await fails(store.put('no', new Blob(['x']), 'text/csv'), 'the bucket answered 403 (AccessDenied)');
  assert.deepEqual(peer.next.splice(0), [403]);
  const stranger = createObjectStore({ ...readBucketUrl(peer.url), secretAccessKey: 'wrong' });
  await fails(stranger.remove('again'), 'the bucket answered 403 (SignatureDoesNotMatch)');
  const elsewhere = createObjectStore({ ...readBucketUrl(peer.url), bucket: 'other' });
  await fails(elsewhere.put('a', new Blob(['x']), 'text/csv'), 'the bucket answered 404 (NoSuchBucket)');
  await fails(elsewhere.get('a'), 'the bucket answered 404 (NoSuchBucket)');
});

test("a store that isn't running is unreachable", async () => {
  const nobody = createObjectStore({ ...readBucketUrl(peer.url), origin: 'http://127.0.0.1:1' });
  await fails(nobody.remove('a'), "the bucket can't be reached");
});
