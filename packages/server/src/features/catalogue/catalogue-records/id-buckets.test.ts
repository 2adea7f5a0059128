import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { bucketOf, bucketSql, buckets } from './id-buckets.ts';

test('the database computes the same bucket, and IDs spread', async () => {
  const database = await createTestDatabase();
  try {
    const ids = Array.from({ length: 2_000 }, () => newId());
    const rows = await database.ownerQuery<{ id: string; bucket: number }>(
      `select id, ${bucketSql('id')} as bucket from unnest($1::uuid[]) as id`,
      [ids],
    );
    assert.equal(rows.length, ids.length);
    const sizes = new Array<number>(buckets).fill(0);
    for (const { id, bucket } of rows) {
      assert.equal(bucketOf(id), bucket);
      sizes[bucket]! += 1;
    }
    assert.ok(sizes.filter((size) => size > 0).length > 200, 'of 256 buckets nearly all are used');
    assert.ok(Math.max(...sizes) < 30, 'none holds much more than its share of eight');
  } finally {
    await database.close();
  }
});
