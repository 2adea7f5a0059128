import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDraft } from '@arbiter/contract/catalogue/decision-flows';
import { flowNodeTypes } from '@arbiter/contract/catalogue/flow-node-types';
import { openReferences, validateFlow } from '@arbiter/engine';
import {
  duplicateNode,
  type Edited,
  insertNode,
  moveNode,
  pasteNode,
  placementsFor,
  removeNode,
  sortNodes,
  toggleNode,
} from './commands.ts';
import { editableConfig, type FlowConfig } from './flow-config.ts';
import { maxSteps, record, redo, startHistory, undo } from './history.ts';

const example = editableConfig(exampleDraft);
const idsOf = ({ nodes }: FlowConfig) => nodes.map(({ id }) => id);

/** Problems of the order of nodes, which commands must never cause. */
const structure = new Set([
  'inventory_not_first',
  'duplicate_node',
  'phase_order',
  'score_order',
  'response_not_last',
  'hook_position',
  'duplicate_id',
]);
const misplaced = (config: FlowConfig) =>
  validateFlow(config, openReferences, { use: 'draft' }).errors.filter(({ code }) => structure.has(code));

const full = flowNodeTypes.reduce<FlowConfig>((config, type) => {
  const { isTaken } = placementsFor(config, null).find((each) => each.type === type)!;
  return isTaken ? config : insertNode(config, type, config.nodes.at(-1)?.id ?? null).config;
}, example);

test('puts every type of node where the engine accepts it, whichever node is selected', () => {
  for (const start of [editableConfig(null), example, full]) {
    for (const selected of [null, ...idsOf(start)]) {
      for (const { type, isTaken } of placementsFor(start, selected)) {
        if (isTaken) continue;
        const { config, selected: id } = insertNode(start, type, selected);
        assert.equal(config.nodes.length, start.nodes.length + 1);
        assert.equal(config.nodes.find((node) => node.id === id)?.type, type);
        assert.deepEqual(
          misplaced(config).map(({ message }) => message),
          [],
          `${type} after ${selected}`,
        );
      }
    }
  }
});

test('inserts after the selected node where that fits, else at the nearest place', () => {
  const filter = insertNode(example, 'filter', 'qualify').config;
  assert.deepEqual(idsOf(filter).slice(2, 5), ['qualify', 'filter', 'policy']);
  assert.deepEqual(idsOf(insertNode(example, 'compute', 'inventory').config).slice(-2), ['compute', 'response']);
  assert.equal(placementsFor(example, 'inventory').find(({ type }) => type === 'score')?.isTaken, true);
  assert.deepEqual(idsOf(insertNode(filter, 'filter', 'filter').config).slice(3, 5), ['filter', 'filter-2']);
});

test('moves nodes only where the engine accepts them', () => {
  for (const id of idsOf(full)) {
    for (const step of [1, -1] as const) {
      const moved = moveNode(full, id, step);
      if (typeof moved === 'string') continue;
      const places = misplaced(moved.config).filter(({ code }) => code !== 'hook_position' && code !== 'score_order');
      assert.deepEqual(places, [], `${id} ${step}`);
    }
  }
  assert.equal(moveNode(example, 'inventory', -1), 'edge');
  assert.equal(moveNode(example, 'policy', 1), 'order');
  const moved = moveNode(example, 'qualify', 1) as Edited;
  assert.deepEqual(idsOf(moved.config).slice(2, 4), ['policy', 'qualify']);
});

test('turns off, copies, pastes and removes nodes, and keeps unknown keys', () => {
  const odd = { ...example, nodes: example.nodes.map((node) => ({ ...node, position: { x: 1, y: 2 } })), note: 'mine' };
  const off = toggleNode(odd, 'qualify').config;
  assert.equal(off.nodes[2]?.enabled, false);
  assert.deepEqual(toggleNode(off, 'qualify').config, odd);
  const twice = duplicateNode(odd, 'policy');
  assert.equal(twice.selected, 'policy-2');
  assert.deepEqual(twice.config.nodes[4], { ...odd.nodes[3], id: 'policy-2' });
  assert.equal(twice.config.note, 'mine');
  const removal = removeNode(odd, 'policy');
  assert.equal(removal.selected, 'score');
  assert.deepEqual(idsOf(pasteNode(removal.config, odd.nodes[3]!, 'inventory').config).slice(0, 3), [
    'inventory',
    'policy',
    'creatives',
  ]);
});

test('sorts a flow into its phases', () => {
  const mixed = { ...example, nodes: example.nodes.toReversed() };
  assert.deepEqual(misplaced(sortNodes(mixed)), []);
});

test('undoes and redoes up to 100 steps, and counts typing in a field as one', () => {
  let history = startHistory(example);
  for (const name of ['a', 'ab', 'abc'])
    history = record(history, { ...example, name }, { label: 'Rename', key: 'name' });
  assert.equal(history.past.length, 1);
  history = record(history, { ...example, name: 'other' }, { label: 'Rename' });
  assert.equal(undo(history).config.name, 'abc');
  assert.equal(undo(undo(history)).config, example);
  assert.equal(redo(undo(history)).config.name, 'other');
  assert.equal(redo(redo(undo(undo(history)))).config.name, 'other');
  assert.equal(undo(startHistory(example)).config, example);
  for (let step = 0; step < 150; step += 1) history = record(history, { ...example, step }, { label: 'Step' });
  assert.equal(history.past.length, maxSteps);
});
