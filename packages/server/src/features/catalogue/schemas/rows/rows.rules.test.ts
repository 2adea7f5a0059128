import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaField, SchemaFieldDefinition } from '@arbiter/contract';
import { draftFields } from '../fields/fields.rules.ts';
import { bySuppliedColumns, checkRows, lastOfEachKey, rowChecks } from './rows.rules.ts';

function fields(...definitions: SchemaFieldDefinition[]): SchemaField[] {
  const { drafts, problems } = draftFields(definitions);
  assert.deepEqual(problems, []);
  return drafts.map((draft, ordinal) => ({ ...draft, id: `f${ordinal}`, schemaId: 's', ordinal }));
}

const source = { now: new Date('2026-11-20T09:00:00Z'), newUuid: () => 'u' };
const customers = fields(
  { name: 'customer_id', dataType: 'varchar', isPrimaryKey: true },
  { name: 'age', dataType: 'integer' },
  { name: 'tier', isNullable: false, defaultValue: 'basic' },
  { name: 'seen', dataType: 'timestamptz', defaultValue: 'now()' },
);
const checks = rowChecks('customer', customers);

test('missing values get their default, and null stays null where allowed', () => {
  const { rows, errors } = checkRows([{ customer_id: 'a', seen: null, tier: null }], checks, source, {
    fillMissing: true,
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(rows, [{ customer_id: 'a', age: null, tier: 'basic', seen: null }]);
  const filled = checkRows([{ customer_id: 'a' }], checks, source, { fillMissing: true });
  assert.equal(filled.rows[0]?.seen, '2026-11-20T09:00:00.000Z');
});

test('an update names only the given columns', () => {
  const { rows } = checkRows([{ customer_id: 'a', age: 3 }], checks, source, { fillMissing: false });
  assert.deepEqual(rows, [{ customer_id: 'a', age: 3 }]);
});

test('every problem has a pointer, up to twenty', () => {
  const { errors } = checkRows(
    [
      { customer_id: ' a', age: 1 },
      { customer_id: 'b', 'x/y~z': 1 },
      { age: 'x' },
      { customer_id: 'x'.repeat(256) },
      { customer_id: 'a\u0007' },
      { customer_id: '' },
    ],
    checks,
    source,
    { fillMissing: true },
  );
  assert.deepEqual(
    errors.map((error) => error.path),
    [
      '/rows/0/customer_id',
      '/rows/1/x~1y~0z',
      '/rows/2/customer_id',
      '/rows/2/age',
      '/rows/3/customer_id',
      '/rows/4/customer_id',
      '/rows/5/customer_id',
    ],
  );
  const many = checkRows(
    Array.from({ length: 50 }, () => ({ nope: 1 })),
    checks,
    source,
    { fillMissing: true },
  );
  assert.equal(many.errors.length, 20);
});

test('rejects keys longer than an index entry, in every schema', () => {
  const wide = rowChecks(
    'event',
    fields({ name: 'k', dataType: 'text', isUnique: true }, { name: 'v', dataType: 'text' }),
  );
  const { errors } = checkRows([{ k: 'ü'.repeat(1400), v: 'ü'.repeat(1400) }], wide, source, { fillMissing: true });
  assert.deepEqual(
    errors.map((error) => error.path),
    ['/rows/0/k'],
  );
});

test('keeps the last of equal keys, and all rows without a key', () => {
  const rows = [{ k: 'a', v: 1 }, { k: null, v: 2 }, { k: 'a', v: 3 }, { v: 4 }];
  assert.deepEqual(lastOfEachKey(rows, 'k'), { kept: [rows[1], rows[2], rows[3]], dropped: 1 });
});

test('groups rows with the same columns', () => {
  const groups = bySuppliedColumns([{ a: 1 }, { a: 2, b: 1 }, { a: 3 }]);
  assert.deepEqual(
    groups.map((group) => [group.columns, group.rows.length]),
    [
      [['a'], 2],
      [['a', 'b'], 1],
    ],
  );
});
