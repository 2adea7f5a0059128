import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, treeOf } from './tree.ts';

const leaf = (id: string, categoryId: string) => ({ id, categoryId, name: id, status: 'active' as const, ordinal: 0 });

test('puts subcategories below their category, in the order of the lists', () => {
  const tree = treeOf(
    [{ id: 'b' }, { id: 'a' }],
    [leaf('a2', 'a'), leaf('b1', 'b'), leaf('a1', 'a'), leaf('x', 'gone')],
  );
  assert.deepEqual(
    tree.map(({ category, children }) => [category.id, ...children.map(({ id }) => id)]),
    [
      ['b', 'b1'],
      ['a', 'a2', 'a1'],
    ],
  );
});

test("inherits the category's fields, unless the subcategory has one of the same name", () => {
  const fields = fieldsOf(
    [{ key: 'fee', type: 'number' }],
    [
      { key: 'fee', type: 'text' },
      { key: 'note', type: 'text' },
    ],
  );
  assert.deepEqual(
    fields.map(({ key, type, inherited }) => [key, type, inherited]),
    [
      ['fee', 'number', false],
      ['note', 'text', true],
    ],
  );
  assert.deepEqual(fieldsOf([]), []);
});
