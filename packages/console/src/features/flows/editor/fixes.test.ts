import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDraft } from '@arbiter/contract/catalogue/decision-flows';
import { openReferences, validateFlow } from '@arbiter/engine';
import { duplicateNode, insertNode, removeNode } from '../../../flow-canvas/editing/commands.ts';
import { editableConfig, type FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { fixOf } from './fixes.ts';

const base = editableConfig(exampleDraft);
const isGone = (_: string, id: string) => id !== 'gone';

const findingsOf = (config: FlowConfig) => {
  const { errors, warnings } = validateFlow(config, { ...openReferences, has: isGone }, { use: 'publish' });
  return [...errors, ...warnings].map((each) => ({ ...each, severity: 'error' as const }));
};

const withNode = (id: string, values: object): FlowConfig => ({
  ...base,
  nodes: base.nodes.map((node) => (node.id === id ? { ...node, ...values } : node)),
});

const broken: Readonly<Record<string, FlowConfig>> = {
  missing_inventory: removeNode(base, 'inventory').config,
  inventory_not_first: { ...base, nodes: [base.nodes[1]!, base.nodes[0]!, ...base.nodes.slice(2)] },
  response_not_last: { ...base, nodes: [...base.nodes.slice(0, -2), base.nodes[6]!, base.nodes[5]!] },
  score_order: { ...base, nodes: [...base.nodes.slice(0, 4), base.nodes[5]!, base.nodes[4]!, base.nodes[6]!] },
  duplicate_node: duplicateNode(base, 'rank').config,
  duplicate_id: withNode('qualify', { id: 'policy' }),
  hook_position: withNode('qualify', { type: 'extension_point', config: { hook: 'post_rank', kind: 'none' } }),
  skip_target: insertNode(
    withNode('qualify', { type: 'conditional', config: { onTrue: { action: 'skip_to', nodeId: 'nowhere' } } }),
    'filter',
    'policy',
  ).config,
  empty_scope: withNode('inventory', { config: { scope: 'offers' } }),
  scoring_not_configured: removeNode(base, 'score').config,
  unknown_reference: withNode('qualify', { config: { mode: 'selected', ruleIds: ['here', 'gone'] } }),
  unknown_key: withNode('rank', { config: { method: 'topN', topn: 3 } }),
};

for (const [code, config] of Object.entries(broken)) {
  test(`fixes ${code}`, () => {
    const found = findingsOf(config).find((each) => each.code === code);
    assert.ok(found, JSON.stringify(findingsOf(config)));
    const fix = fixOf(config, found);
    assert.ok(fix);
    assert.deepEqual(findingsOf(fix.config), [], fix.name);
  });
}

test('removes only the missing record from a list', () => {
  const config = broken.unknown_reference!;
  const fix = fixOf(config, findingsOf(config)[0]!);
  assert.deepEqual(fix?.config.nodes[2]?.config, { mode: 'selected', ruleIds: ['here'] });
});

test('leaves a required record to the author', () => {
  const config = insertNode(base, 'call_flow', 'policy').config;
  const call = {
    ...config,
    nodes: config.nodes.map((node) => (node.type === 'call_flow' ? { ...node, config: { flowKey: 'gone' } } : node)),
  };
  const found = findingsOf(call).find(({ code }) => code === 'unknown_reference');
  assert.ok(found);
  assert.equal(fixOf(call, found), null);
});
