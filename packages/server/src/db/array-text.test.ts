import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { booleanArray, bytesArray, instantArray, numberArray, textArray, textsArray, uuidArray } from './array-text.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

test('array literals survive a round trip, whatever the text', async () => {
  const texts = [
    '',
    'NULL',
    'null',
    '{}',
    ',',
    'a"b',
    "a'b",
    'a\\b',
    '\\x00',
    ' outer ',
    'line\nbreak',
    'ünï€😀',
    '"',
    '\\',
    '{"a":[1,"b\\"c"]}',
    null,
  ];
  const ids = ['0190a000-0000-7000-8000-000000000001', null];
  const numbers = [1, -2.5, null, 9_007_199_254_740_991];
  const bytes = [Buffer.alloc(0), Buffer.from([0, 255, 92, 34])];
  const at = new Date('2026-11-20T09:00:00.123Z');
  const [row] = await db.ownerQuery<Record<string, unknown[]>>(
    `select $1::text[] as texts, $2::uuid[] as ids, $3::float8[] as numbers, $4::bytea[] as bytes, $5::boolean[] as flags, $6::timestamptz[] as instants,
       $7::text[] as long`,
    [
      textArray(texts),
      uuidArray(ids),
      numberArray(numbers),
      bytesArray(bytes),
      booleanArray([true, false]),
      instantArray([at, null]),
      textsArray(texts),
    ],
  );
  assert.deepEqual(row, { texts, ids, numbers, bytes, flags: [true, false], instants: [at, null], long: texts });
  const [empty] = await db.ownerQuery<{ texts: number; bytes: number; long: number }>(
    'select cardinality($1::text[]) as texts, cardinality($2::bytea[]) as bytes, cardinality($3::text[]) as long',
    [textArray([]), bytesArray([]), textsArray([])],
  );
  assert.deepEqual(empty, { texts: 0, bytes: 0, long: 0 });
});
