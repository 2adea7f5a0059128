import assert from 'node:assert/strict';
import { test } from 'node:test';
import { populationOf } from './population.ts';

const node = (nodeId: string, changes: object = {}) => ({
  ...{ nodeId, customersIn: 10, customersOut: 4, candidatesIn: 90, candidatesOut: 20, skipped: 0 },
  dropped: { small: 1, large: 69 },
  ...changes,
});

test('shows customers at each node, and the main reasons first', () => {
  const run = populationOf({ sampledCustomers: 10, nodes: [node('qualify'), node('rank', { skipped: 10 })] });
  const at = run?.byNode.get('qualify');
  assert.deepEqual([at?.entered, at?.passed, at?.skipped], [10, 4, false]);
  assert.deepEqual(at?.dropped, [
    ['large', 69],
    ['small', 1],
  ]);
  assert.equal(run?.byNode.get('rank')?.skipped, true);
  assert.equal(run?.isPopulation, true);
});

test('has nothing to show for a simulation that did not count, and skips nothing for an empty segment', () => {
  assert.equal(populationOf({ sampledCustomers: 10, nodes: null }), null);
  assert.equal(populationOf({ sampledCustomers: 0, nodes: [node('a')] })?.byNode.get('a')?.skipped, false);
});
