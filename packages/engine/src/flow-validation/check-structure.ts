import { nodeKinds } from '../nodes/node-kinds.ts';
import type { FlowNode } from '../snapshot.ts';
import type { FlowIssue } from './validate-flow.ts';

/** Node types that stand in this order among each other. */
const scoreOrder = ['score', 'optimize', 'rank', 'group'];

/** Structure of the list of nodes (docs/design/api-decisioning.md 7); disabled nodes count as absent. */
export function checkStructure(nodes: readonly FlowNode[], use: 'draft' | 'publish', errors: FlowIssue[]): void {
  const refuse = (at: number | null, code: string, message: string): void => {
    const node = at === null ? undefined : nodes[at];
    errors.push({ path: at === null ? '/nodes' : `/nodes/${at}`, nodeId: node?.id ?? null, code, message, class: 'P' });
  };
  const ids = new Set<string>();
  nodes.forEach(({ id }, at) => {
    if (ids.has(id)) refuse(at, 'duplicate_id', `another node has the id ${id}`);
    ids.add(id);
  });
  const enabled = nodes.flatMap((node, at) => (node.enabled === false ? [] : [{ node, at }]));
  if (enabled.length === 0 && use === 'draft') return;
  checkInventory(enabled, refuse);
  const seen = new Set<string>();
  let phase = 1;
  let order = -1;
  for (const { node, at } of enabled) {
    const kind = nodeKinds.get(node.type);
    if (kind === undefined) continue;
    if (kind.single && node.type !== 'inventory' && seen.has(node.type)) {
      refuse(at, 'duplicate_node', `a flow has at most one ${node.type} node`);
    }
    seen.add(node.type);
    if (kind.phase < phase)
      refuse(at, 'phase_order', `${node.type} belongs to phase ${kind.phase} and stands in phase ${phase}`);
    phase = Math.max(phase, kind.phase);
    const place = scoreOrder.indexOf(node.type);
    if (place >= 0 && place < order) refuse(at, 'score_order', `${node.type} stands after ${scoreOrder[order]}`);
    order = Math.max(order, place);
  }
  const response = enabled.findIndex(({ node }) => node.type === 'response');
  if (response >= 0 && response < enabled.length - 1) {
    refuse(enabled[response]?.at ?? null, 'response_not_last', 'response must be the last node');
  }
}

function checkInventory(
  enabled: readonly { readonly node: FlowNode; readonly at: number }[],
  refuse: (at: number | null, code: string, message: string) => void,
): void {
  const inventories = enabled.filter(({ node }) => node.type === 'inventory');
  const [first, ...others] = inventories;
  if (first === undefined) {
    refuse(null, 'missing_inventory', 'a flow has exactly one inventory node');
    return;
  }
  for (const { at } of others) refuse(at, 'duplicate_node', 'a flow has at most one inventory node');
  if (enabled[0] !== first) refuse(first.at, 'inventory_not_first', 'the inventory node must be the first');
}
