import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxTransforms, type PipelineTransform } from '@arbiter/contract';
import { compileTransforms, type TransformedRow } from './transforms.rules.ts';
import { plainRow } from './values.rules.ts';

const context = { now: Date.parse('2026-11-20T12:00:00Z'), hash: (text: string) => `#${text}` };

function compiled(...transforms: PipelineTransform[]) {
  const result = compileTransforms(transforms, context);
  assert.ok(result.ok, JSON.stringify(result));
  return (row: object): unknown => shown(result.transform(plainRow({ ...row })));
}

const shown = (result: TransformedRow): unknown =>
  result.kind === 'row' ? { ...result.row } : result.kind === 'dropped' ? 'dropped' : result.problem;

type Case = [transform: PipelineTransform, row: object, expected: unknown];

const cases: Case[] = [
  [{ op: 'rename', map: { a: 'b' } }, { a: 1 }, { b: 1 }],
  [
    { op: 'rename', map: { a: 'b', b: 'a' } },
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  [
    { op: 'rename', map: { x: 'y' } },
    { a: 1, y: 2 },
    { a: 1, y: 2 },
  ],
  [{ op: 'keep', columns: ['a', 'x'] }, { a: 1, b: 2 }, { a: 1 }],
  [{ op: 'drop', columns: ['a', 'x'] }, { a: 1, b: 2 }, { b: 2 }],
  [{ op: 'cast', column: 'a', dataType: 'integer' }, { a: ' 12.0 ' }, { a: '12' }],
  [{ op: 'cast', column: 'a', dataType: 'integer' }, { a: '12.5' }, { column: 'a', error: 'must be a whole number' }],
  [{ op: 'cast', column: 'a', dataType: 'integer' }, { a: '' }, { a: null }],
  [{ op: 'cast', column: 'a', dataType: 'integer' }, { b: 1 }, { b: 1 }],
  [{ op: 'cast', column: 'a', dataType: 'varchar(3)' }, { a: 123 }, { a: '123' }],
  [
    { op: 'cast', column: 'a', dataType: 'varchar(3)' },
    { a: 1234 },
    { column: 'a', error: 'must be at most 3 characters' },
  ],
  [{ op: 'cast', column: 'a', dataType: 'boolean' }, { a: 'Yes' }, { a: true }],
  [{ op: 'cast', column: 'a', dataType: 'boolean' }, { a: 0 }, { a: false }],
  [{ op: 'cast', column: 'a', dataType: 'double' }, { a: '1e3' }, { a: 1000 }],
  [
    { op: 'cast', column: 'a', dataType: 'timestamptz' },
    { a: '2026-11-20 12:00:00+02' },
    { a: '2026-11-20T10:00:00.000Z' },
  ],
  [{ op: 'cast', column: 'a', dataType: 'date' }, { a: '2026-11-20T00:00:00.000Z' }, { a: '2026-11-20' }],
  [{ op: 'add_field', column: 'b', formula: 'a * 2 + customer.a' }, { a: 5 }, { a: 5, b: 15 }],
  [{ op: 'add_field', column: 'a', value: null }, { a: 5 }, { a: null }],
  [{ op: 'map_values', column: 'a', map: { '1': 'one' } }, { a: 1 }, { a: 'one' }],
  [{ op: 'map_values', column: 'a', map: { '1': 'one' } }, { a: 2 }, { a: 2 }],
  [{ op: 'map_values', column: 'a', map: { '1': 'one' }, default: null }, { a: 2 }, { a: null }],
  [{ op: 'filter', condition: { field: 'a', operator: '>=', value: 5 } }, { a: 5 }, { a: 5 }],
  [{ op: 'filter', condition: { field: 'a', operator: '>=', value: 5 } }, { a: 4 }, 'dropped'],
  [{ op: 'filter', condition: [{ field: 'customer.a', operator: 'exists' }] }, { a: null }, 'dropped'],
  [
    { op: 'trim', columns: ['a', 'b'] },
    { a: ' x ', b: 1 },
    { a: 'x', b: 1 },
  ],
  [{ op: 'lower', columns: ['a'] }, { a: 'ÄB' }, { a: 'äb' }],
  [{ op: 'upper', columns: ['a'] }, { a: 'äb' }, { a: 'ÄB' }],
  [{ op: 'split', column: 'a', separator: ' ', into: ['b', 'c'] }, { a: 'x y z' }, { a: 'x y z', b: 'x', c: 'y z' }],
  [{ op: 'split', column: 'a', separator: ' ', into: ['b', 'c'] }, { a: 'x' }, { a: 'x', b: 'x', c: null }],
  [
    { op: 'merge', columns: ['a', 'b', 'c'], separator: '-', into: 'd' },
    { a: 'x', b: null, c: 3 },
    { a: 'x', b: null, c: 3, d: 'x-3' },
  ],
  [{ op: 'merge', columns: ['a', 'b'], separator: '-', into: 'd' }, {}, { d: null }],
  [
    { op: 'hash', columns: ['a', 'b'] },
    { a: 7, b: null },
    { a: '#7', b: null },
  ],
  [{ op: 'mask', columns: ['a'], keepLast: 2 }, { a: 'ab😀d' }, { a: '**😀d' }],
  [{ op: 'mask', columns: ['a'], keepLast: 9 }, { a: 'abc' }, { a: 'abc' }],
];

describe('each transform', () => {
  for (const [transform, row, expected] of cases) {
    test(`${JSON.stringify(transform)} of ${JSON.stringify(row)}`, () => {
      assert.deepEqual(compiled(transform)(row), expected);
    });
  }

  test('deduplicate keeps the first row, and distinguishes types and missing values', () => {
    const run = compiled({ op: 'deduplicate', columns: ['a', 'b'] });
    const rows = [{ a: 1, b: 'x' }, { a: '1', b: 'x' }, { a: 1 }, { a: 1, b: 'x', c: 2 }, { a: 1, b: null }];
    assert.deepEqual(
      rows.map((row) => run(row) !== 'dropped'),
      [true, true, true, false, false],
    );
  });

  test('a formula that fails is a problem of its row', () => {
    const run = compiled({ op: 'add_field', column: 'b', formula: 'a / c' });
    assert.deepEqual(run({ a: 4, c: 2 }), { a: 4, c: 2, b: 2 });
    assert.equal((run({ a: 4, c: 0 }) as { column: string }).column, 'b');
  });

  test('steps run in order, and the first that drops a row ends', () => {
    const run = compiled(
      { op: 'rename', map: { a: 'b' } },
      { op: 'filter', condition: { field: 'b', operator: 'eq', value: 'x' } },
      { op: 'upper', columns: ['b'] },
    );
    assert.deepEqual(run({ a: 'x' }), { b: 'X' });
    assert.equal(run({ b: 'y' }), 'dropped');
  });

  test('columns with names of object properties are ordinary columns', () => {
    const run = compiled({ op: 'rename', map: { a: '__proto__' } }, { op: 'keep', columns: ['__proto__'] });
    assert.deepEqual(Object.entries(run({ a: 1, constructor: 2 }) as object), [['__proto__', 1]]);
  });
});

const refused: [PipelineTransform, string][] = [
  [{ op: 'cast', column: 'a', dataType: 'point' }, '/0/dataType'],
  [{ op: 'cast', column: 'a', dataType: 'varchar(0)' }, '/0/dataType'],
  [{ op: 'add_field', column: 'a' }, '/0'],
  [{ op: 'add_field', column: 'a', formula: '1 +', value: 1 }, '/0'],
  [{ op: 'add_field', column: 'a', formula: '1 +' }, '/0/formula'],
  [{ op: 'add_field', column: 'a', formula: 'offer.priority' }, '/0/formula'],
  [{ op: 'filter', condition: { field: 'offer.priority', operator: 'eq', value: 1 } }, '/0/condition/field'],
  [{ op: 'filter', condition: [{ field: 'a', operator: 'like', value: 1 }] }, '/0/condition/0/operator'],
  [{ op: 'rename', map: { a: 'c', b: 'c' } }, '/0/map'],
];

describe('a transform is rejected', () => {
  for (const [transform, path] of refused) {
    test(`${JSON.stringify(transform)} at ${path}`, () => {
      const result = compileTransforms([transform], context);
      assert.ok(!result.ok);
      assert.equal(result.problems[0]?.path, path);
    });
  }

  test('names the step', () => {
    const steps = Array.from({ length: maxTransforms - 1 }, (): PipelineTransform => ({ op: 'trim', columns: ['a'] }));
    const result = compileTransforms([...steps, { op: 'add_field', column: 'a', formula: 'nope(' }], context);
    assert.ok(!result.ok && result.problems[0]?.path === '/49/formula');
    assert.match(result.problems[0].message, /position/);
  });
});
