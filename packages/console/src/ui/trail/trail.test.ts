import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveTrail, stepsFrom } from './trail.ts';

test('links a record to its neighbors in the table that showed it last', () => {
  leaveTrail('Offers', () => ['/offers/a', '/offers/b', '/offers/c']);
  assert.deepEqual(stepsFrom('/offers/b?tab=limits#x'), {
    label: 'Offers',
    place: 2,
    of: 3,
    previous: '/offers/a',
    next: '/offers/c',
  });
  assert.deepEqual([stepsFrom('/offers/a')?.previous, stepsFrom('/offers/c')?.next], [null, null]);
  leaveTrail('Offers of a category', () => ['/offers/c', '/offers/a']);
  assert.equal(stepsFrom('/offers/a')?.previous, '/offers/c');
  assert.equal(stepsFrom('/offers/b')?.label, 'Offers', 'where the last table did not show it');
  leaveTrail('Offers', () => ['/offers/b', '/offers/a']);
  assert.equal(stepsFrom('/offers/a')?.previous, '/offers/b', 'the table as it was shown last');
});

test('has no neighbors without a table, for a single row, and between parts of one page', () => {
  assert.equal(stepsFrom('/rules/a'), null);
  leaveTrail('Rules', () => ['/rules/a']);
  assert.equal(stepsFrom('/rules/a'), null);
  leaveTrail('Nodes', () => ['/categories?node=1', '/categories?node=2']);
  assert.equal(stepsFrom('/categories?node=1'), null);
});
