import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockTypes, type ContentBlock } from '@arbiter/contract/catalogue/content';
import { blockCount, newBlock, typesFor, withBlock, withColumns, withMoved, withoutBlock } from './block-tree.ts';

const text = (id: string): ContentBlock => ({ id, type: 'text', props: { text: id } });
const tree: readonly ContentBlock[] = [
  text('a'),
  {
    id: 'c',
    type: 'columns',
    props: { widths: [60, 40] },
    children: [
      { id: 'l', type: 'column', children: [text('b'), text('d')] },
      { id: 'r', type: 'column', children: [] },
    ],
  },
];
const shape = (blocks: readonly ContentBlock[]): string =>
  blocks
    .map(({ id, type, children }) => `${id ?? type}${children === undefined ? '' : `(${shape(children)})`}`)
    .join(' ');

test('adds, moves and removes blocks on every level', () => {
  assert.equal(shape(tree), 'a c(l(b d) r())');
  assert.equal(shape(withMoved(tree, [0], 1)), 'c(l(b d) r()) a');
  assert.equal(shape(withMoved(tree, [0], -1)), shape(tree));
  assert.equal(shape(withMoved(tree, [1, 0, 1], -1)), 'a c(l(d b) r())');
  assert.equal(shape(withoutBlock(tree, [1, 0, 0])), 'a c(l(d) r())');
  assert.equal(shape(withBlock(tree, [1, 1], newBlock('button'))), 'a c(l(b d) r(button))');
  assert.equal(shape(withBlock([], [], newBlock('columns'))), 'columns(column() column())');
  assert.equal(blockCount(tree), 6);
});

test('keeps widths only while they fit the columns', () => {
  const [, columns] = withColumns(tree, [1], 3);
  assert.deepEqual(columns?.props, {});
  assert.equal(shape(withColumns(tree, [1], 3)), 'a c(l(b d) r() column())');
  assert.equal(blockCount(withColumns(withColumns(tree, [1], 4), [1], 2)), blockCount(tree));
});

test('offers no columns inside columns', () => {
  assert.ok(typesFor(blockTypes, []).includes('columns'));
  assert.ok(!typesFor(blockTypes, [1, 0]).includes('columns'));
  assert.ok(!typesFor(blockTypes, []).includes('column'));
});
