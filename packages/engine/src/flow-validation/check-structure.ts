import { nodeKinds } from '../nodes/node-kinds.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import { checkHook, checkSkips } from './check-places.ts';
import type { FlowIssue, IssueNode, RefuseAt } from './flow-issues.ts';

/** Node types that must follow this relative order. */
const scoreOrder = ['score', 'optimize', 'rank', 'group'];

/** Structure of the list of nodes (docs/design/api-decisioning.md 7); disabled nodes count as absent. */
export function checkStructure(nodes: readonly FlowNode[], use: 'draft' | 'publish', errors: FlowIssue[]): void {
  const refuse: RefuseAt = (at, code, message, below = '') => {
    const node = at === null ? undefined : nodes[at];
    const path = at === null ? '/nodes' : `/nodes/${at}${below}`;
    errors.push({ path, nodeId: node?.id ?? null, code, message, class: 'P' });
  };
  const ids = new Set<string>();
  nodes.forEach(({ id }, at) => {
    if (ids.has(id)) refuse(at, 'duplicate_id', `another node already has the ID ${id}`);
    ids.add(id);
  });
  const enabled = placed(nodes, refuse);
  if (enabled.length === 0 && use === 'draft') return;
  checkInventory(enabled, refuse);
  checkOrder(enabled, refuse);
  for (const place of enabled) {
    if (place.node.type === 'extension_point') checkHook(place, enabled, refuse);
    if (place.node.type === 'conditional') checkSkips(place, enabled, refuse);
  }
  const response = enabled.findIndex(({ node }) => node.type === 'response');
  if (response >= 0 && response < enabled.length - 1) {
    refuse(enabled[response]?.at ?? null, 'response_not_last', 'response must be the last node');
  }
}

/** Returns the enabled nodes. Those of any phase get the phase of their position. */
function placed(nodes: readonly FlowNode[], refuse: RefuseAt): readonly IssueNode[] {
  let phase = 1;
  return nodes.flatMap((node, at) => {
    const kind = nodeKinds.get(node.type);
    if (node.enabled === false || kind === undefined) return [];
    if (kind.phase !== 'any') {
      if (kind.phase < phase) {
        refuse(at, 'phase_order', `${node.type} belongs in phase ${kind.phase} but is placed in phase ${phase}`);
      }
      phase = Math.max(phase, kind.phase);
    }
    return [{ node, at, phase }];
  });
}

function checkOrder(enabled: readonly IssueNode[], refuse: RefuseAt): void {
  const seen = new Set<string>();
  let order = -1;
  for (const { node, at, phase } of enabled) {
    if (node.type === 'call_flow' && phase === 2 && order >= scoreOrder.indexOf('rank')) {
      refuse(at, 'score_order', 'call_flow must come before rank or be placed in phase 3');
    }
    if (nodeKinds.get(node.type)?.single === true && node.type !== 'inventory' && seen.has(node.type)) {
      refuse(at, 'duplicate_node', `a flow can have at most one ${node.type} node`);
    }
    seen.add(node.type);
    const place = scoreOrder.indexOf(node.type);
    if (place >= 0 && place < order) refuse(at, 'score_order', `${node.type} must come after ${scoreOrder[order]}`);
    order = Math.max(order, place);
  }
}

function checkInventory(enabled: readonly IssueNode[], refuse: RefuseAt): void {
  const inventories = enabled.filter(({ node }) => node.type === 'inventory');
  const [first, ...others] = inventories;
  if (first === undefined) {
    refuse(null, 'missing_inventory', 'a flow must have exactly one inventory node');
    return;
  }
  for (const { at } of others) refuse(at, 'duplicate_node', 'a flow can have at most one inventory node');
  if (enabled[0] !== first) refuse(first.at, 'inventory_not_first', 'the inventory node must come first');
}
