import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDraft } from '@arbiter/contract/catalogue/decision-flows';
import { changeNode, type Edited, insertNode, moveNode, removeNode } from '../../../flow-canvas/editing/commands.ts';
import { editableConfig, type FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { mergeFlows } from './merge-flows.ts';

const base = editableConfig(exampleDraft);
const idsOf = ({ nodes }: FlowConfig) => nodes.map(({ id }) => id);
const renamed = (config: FlowConfig, id: string, name: string) =>
  changeNode(config, id, (node) => ({ ...node, name })).config;

test('merges changes of different nodes automatically', () => {
  const mine = renamed(insertNode(base, 'filter', 'policy').config, 'rank', 'Best three');
  const theirs = renamed(removeNode(base, 'qualify').config, 'score', 'By value');
  const { config, conflicts, others } = mergeFlows(base, mine, theirs);
  assert.deepEqual(conflicts, []);
  assert.deepEqual(idsOf(config), ['inventory', 'creatives', 'policy', 'filter', 'score', 'rank', 'response']);
  assert.deepEqual([...others].sort(), ['qualify', 'score']);
  assert.equal(config.nodes.find(({ id }) => id === 'score')?.name, 'By value');
  assert.equal(config.nodes.find(({ id }) => id === 'rank')?.name, 'Best three');
});

test('asks about a node that both changed, or that one changed and the other removed', () => {
  const mine = renamed(base, 'rank', 'Mine');
  const theirs = renamed(base, 'rank', 'Theirs');
  const { conflicts } = mergeFlows(base, mine, theirs);
  assert.deepEqual(
    conflicts.map(({ key }) => key),
    ['node rank'],
  );
  const nameIn = (side: 'mine' | 'theirs') =>
    mergeFlows(base, mine, theirs, new Map([['node rank', side]])).config.nodes.find(({ id }) => id === 'rank')?.name;
  assert.deepEqual([nameIn('mine'), nameIn('theirs')], ['Mine', 'Theirs']);
  const removed = removeNode(base, 'rank').config;
  assert.deepEqual(
    mergeFlows(base, mine, removed).conflicts.map(({ theirs: gone }) => gone),
    [null],
  );
  const merged = mergeFlows(base, mine, removed, new Map([['node rank', 'mine']]));
  assert.deepEqual([idsOf(merged.config), merged.conflicts], [idsOf(base), []]);
});

test('keeps both of two different nodes with the same ID', () => {
  const mine = renamed(insertNode(base, 'filter', 'policy').config, 'filter', 'Mine');
  const theirs = renamed(insertNode(base, 'filter', 'qualify').config, 'filter', 'Theirs');
  const { config, conflicts } = mergeFlows(base, mine, theirs);
  assert.deepEqual(conflicts, []);
  assert.deepEqual(
    config.nodes.filter(({ type }) => type === 'filter').map(({ name }) => name),
    ['Theirs', 'Mine'],
  );
});

test('gives each of several colliding nodes an ID of its own', () => {
  const twoFilters = (name: string) => {
    const { config } = insertNode(insertNode(base, 'filter', 'policy').config, 'filter', 'policy');
    return ['filter', 'filter-2'].reduce((changed, id) => renamed(changed, id, `${name} ${id}`), config);
  };
  const { config, conflicts } = mergeFlows(base, twoFilters('Mine'), twoFilters('Theirs'));
  assert.deepEqual(conflicts, []);
  assert.equal(new Set(idsOf(config)).size, config.nodes.length);
  assert.deepEqual(config.nodes.flatMap(({ type, name }) => (type === 'filter' ? [name] : [])).sort(), [
    'Mine filter',
    'Mine filter-2',
    'Theirs filter',
    'Theirs filter-2',
  ]);
});

test('lets a conditional continue at the node that it named, also when its ID changes', () => {
  const withFilter = renamed(insertNode(base, 'filter', 'policy').config, 'filter', 'Mine');
  const onTrue = { action: 'skip_to', nodeId: 'filter' };
  const { nodes } = withFilter;
  const conditional = { id: 'branch', type: 'conditional', config: { onTrue, onFalse: { action: 'continue' } } };
  const mine = { ...withFilter, nodes: [nodes[0]!, conditional, ...nodes.slice(1)] };
  const theirs = renamed(insertNode(base, 'filter', 'qualify').config, 'filter', 'Theirs');
  const { config } = mergeFlows(base, mine, theirs);
  const target = config.nodes.find(({ name }) => name === 'Mine')?.id;
  assert.notEqual(target, 'filter');
  assert.deepEqual(config.nodes.find(({ id }) => id === 'branch')?.config, {
    onTrue: { ...onTrue, nodeId: target },
    onFalse: { action: 'continue' },
  });
});

test('keeps the order of the side that moved nodes, and asks if both did', () => {
  const mine = (moveNode(base, 'policy', -1) as Edited).config;
  const theirs = insertNode(base, 'filter', 'creatives').config;
  assert.deepEqual(idsOf(mergeFlows(base, mine, theirs).config).slice(0, 5), [
    'inventory',
    'creatives',
    'filter',
    'policy',
    'qualify',
  ]);
  assert.deepEqual(mergeFlows(base, theirs, mine).conflicts, []);
  const other = (moveNode(base, 'creatives', 1) as Edited).config;
  assert.deepEqual(
    mergeFlows(base, mine, other).conflicts.map(({ key }) => key),
    ['order'],
  );
  const settled = mergeFlows(base, mine, other, new Map([['order', 'theirs']]));
  assert.deepEqual(idsOf(settled.config), idsOf(other));
});

test('merges the settings of the flow as one part', () => {
  const limit = (defaultLimit: number) => ({ ...base, flowConfig: { ...base.flowConfig, defaultLimit } });
  assert.equal(mergeFlows(base, base, limit(5)).config.flowConfig.defaultLimit, 5);
  assert.deepEqual(
    mergeFlows(base, limit(4), limit(5)).conflicts.map(({ key }) => key),
    ['settings'],
  );
});
