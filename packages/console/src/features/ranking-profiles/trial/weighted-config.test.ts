import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weightedConfig, withTop } from './weighted-config.ts';

const node = (id: string, type: string, config?: object) => ({ id, type, ...(config === undefined ? {} : { config }) });
const weights = { margin: 1 };

test('adds a node with the weights after the score', () => {
  const config = { version: 2, nodes: [node('a', 'inventory'), node('s', 'score'), node('optimize-1', 'rank')] };
  const weighted = weightedConfig(config, weights) as { readonly nodes: readonly { readonly id: string }[] };
  assert.deepEqual(
    weighted.nodes.map(({ id }) => id),
    ['a', 's', 'optimize-2', 'optimize-1'],
  );
  assert.deepEqual(weighted.nodes[2], { id: 'optimize-2', type: 'optimize', config: { weights, combine: 'replace' } });
});

test('gives an existing node the weights in place of its profile', () => {
  const config = { nodes: [node('s', 'score'), node('o', 'optimize', { profileId: 'p', combine: 'blend' })] };
  assert.deepEqual(weightedConfig(config, weights)?.nodes, [
    node('s', 'score'),
    node('o', 'optimize', { weights, combine: 'replace' }),
  ]);
});

test('returns null for a flow without a score', () => {
  assert.equal(weightedConfig({ nodes: [node('a', 'inventory')] }, weights), null);
  assert.equal(weightedConfig(null, weights), null);
});

test('makes room for more offers, and leaves longer rankings', () => {
  const ranks = (topN: number) => ({ nodes: [node('r', 'rank', { method: 'topN', topN }), node('a', 'score', {})] });
  assert.deepEqual(withTop(ranks(1), 5), ranks(5));
  assert.deepEqual(withTop(ranks(9), 5), ranks(9));
  assert.equal(withTop(undefined, 5), null);
});
