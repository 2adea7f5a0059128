import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowNodeTypes } from '@arbiter/contract/catalogue/flow-node-types';
import { nodeNames, nodeSummary } from '../messages/flows/flow-nodes.ts';
import { readFlow, skipsOf } from './flow.ts';
import { firstView, layoutOf } from './layout.ts';

const node = (id: string, type: string, config: object = {}) => ({ id, type, config });
const config = {
  version: 2,
  nodes: [
    node('inventory', 'inventory'),
    node('gate', 'conditional', {
      conditions: [{ field: 'customer.tier', operator: 'eq', value: 'black' }],
      onTrue: { action: 'skip_to', nodeId: 'score' },
      onFalse: { action: 'skip_to', nodeId: 'gone' },
    }),
    node('save', 'call_flow', { flowKey: 'telco-save' }),
    node('score', 'score', { method: 'formula' }),
    node('hook', 'extension_point', { hook: 'post_rank', kind: 'webhook' }),
    { ...node('response', 'response'), enabled: false },
  ],
  flowConfig: { defaultLimit: 3 },
};

test('gives calls and extension points the phase of their position', () => {
  assert.deepEqual(
    readFlow(config).nodes.map(({ id, phase }) => `${id} ${phase}`),
    ['inventory 1', 'gate 1', 'save 1', 'score 2', 'hook 2', 'response 3'],
  );
});

test('reads the valid parts of an invalid config', () => {
  assert.deepEqual(readFlow(null), { nodes: [], settings: {} });
  const { nodes } = readFlow({ nodes: [null, { type: 'teleport' }] });
  assert.deepEqual(
    nodes.map(({ id, type, phase }) => [id, type, phase]),
    [
      ['node 1', '', 1],
      ['node 2', 'teleport', 1],
    ],
  );
});

test('draws arcs between existing nodes only', () => {
  assert.deepEqual(skipsOf(readFlow(config)), [{ from: 'gate', to: 'score', on: 'true' }]);
});

test('places nodes in the lane of their phase, in order, without overlap', () => {
  const nodes = Array.from({ length: 14 }, (_, at) => node(`n${at}`, at < 8 ? 'filter' : 'compute'));
  const { places, lanes } = layoutOf(readFlow({ nodes }));
  assert.deepEqual(
    lanes.map(({ phase }) => phase),
    [1, 3],
  );
  const all = [...places.values()];
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(at + 1)) {
      assert.ok(Math.abs(one.x - other.x) >= 208 || Math.abs(one.y - other.y) >= 64);
    }
  }
  const lane = lanes[0]!;
  assert.ok(all.slice(0, 8).every(({ x }) => x >= lane.x && x + 208 <= lane.x + lane.width));
  assert.ok((places.get('n8')?.x ?? 0) > lane.x + lane.width);
});

test('has a name and a summary for every type', () => {
  for (const type of flowNodeTypes) {
    assert.ok(nodeNames[type], type);
    assert.notEqual(nodeSummary(type, {}), type, type);
  }
  assert.ok(flowNodeTypes.length >= 16);
});

test('writes summaries as sentences', () => {
  const summary = (type: string, values: object) =>
    nodeSummary(type, { ...values }, (id) => (id === 'c1' ? 'Retain' : null));
  assert.equal(summary('inventory', { scope: 'category', categoryIds: ['c1'] }), 'category Retain');
  assert.equal(summary('inventory', { scope: 'category', categoryIds: ['c1', 'c2'] }), '2 categories');
  assert.equal(summary('qualify', { mode: 'selected', ruleIds: ['a', 'b', 'c'] }), '3 selected');
  assert.equal(summary('rank', { method: 'diversity' }), 'diversity λ 0.7');
  assert.equal(summary('rank', { method: 'explore_exploit', explorationRate: 0.05 }), 'explore 5%, epsilon greedy');
  assert.equal(
    summary('score', {
      method: 'formula',
      modelKey: 'bank-gbm',
      championChallenger: { enabled: true, champion: { weight: 80 }, challengers: [{ weight: 20 }] },
    }),
    'formula, bank-gbm, 80/20',
  );
  assert.equal(
    summary('conditional', {
      conditions: [{ field: 'customer.tier', operator: 'eq', value: 'black' }],
      onTrue: { action: 'skip_to', nodeId: 'rank' },
    }),
    'customer.tier is black → skip to rank',
  );
  assert.equal(summary('filter', {}), 'no filter');
});

test("opens a canvas whole if it's readable, else at its start or at the selected node", () => {
  const flowOf = (filters: number) =>
    readFlow({
      nodes: [
        node('inventory', 'inventory'),
        ...Array.from({ length: filters }, (_, at) => node(`filter-${at}`, 'filter')),
        node('score', 'score'),
        node('response', 'response'),
      ],
    });
  const window = { width: 900, height: 540 };
  const small = layoutOf(flowOf(2));
  const whole = firstView(small, window, null);
  assert.ok(whole.zoom >= 0.6 && whole.zoom <= 1);
  for (const { x, width, height } of small.lanes) {
    assert.ok(whole.x + x * whole.zoom >= 0 && whole.x + (x + width) * whole.zoom <= window.width);
    assert.ok(whole.y >= 0 && whole.y + height * whole.zoom <= window.height);
  }
  assert.deepEqual(firstView(small, window, 'score'), whole, 'the chosen node is in it anyway');
  const large = layoutOf(flowOf(195));
  const begin = firstView(large, window, null);
  assert.ok(begin.zoom >= 0.6, 'not smaller than can be read');
  assert.ok(begin.x > 0 && begin.x < 50, 'from the beginning');
  assert.deepEqual(firstView(large, window, 'no such node'), begin);
  for (const id of ['inventory', 'filter-100', 'response']) {
    const { x, y, zoom } = firstView(large, window, id);
    const place = large.places.get(id);
    assert.ok(place);
    const [left, top] = [x + place.x * zoom, y + place.y * zoom];
    assert.ok(left >= 0 && left + 208 * zoom <= window.width, id);
    assert.ok(top >= 0 && top + 64 * zoom <= window.height, id);
  }
});
