import type { StoredConfig } from './flows.store.ts';

/** Draft of a flow that was created without one. */
export const emptyDraft: StoredConfig = { version: 2, nodes: [], flowConfig: {} };

/** Key of the flow of a tenant that created none. */
export const baseFlowKey = 'base';
export const baseFlowName = 'Base flow';

const entriesOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);

/** Flows write ids in any letter case. */
const lists = (value: unknown, id: string): boolean =>
  Array.isArray(value) && value.some((entry) => typeof entry === 'string' && entry.toLowerCase() === id);

/**
 * True when a draft names the policy: `stages.filter.contactPolicyIds` of the old form, `contactPolicyIds` or
 * `policyIds` of a v2 node (docs/design/api-catalogue.md 8.4).
 */
export function namesPolicy(draft: StoredConfig, policyId: string): boolean {
  const filter = entriesOf(entriesOf(draft.stages).get('filter'));
  if (lists(filter.get('contactPolicyIds'), policyId)) return true;
  const nodes = draft.nodes;
  if (!Array.isArray(nodes)) return false;
  return nodes.some((node) => {
    const config = entriesOf(entriesOf(node).get('config'));
    return lists(config.get('contactPolicyIds'), policyId) || lists(config.get('policyIds'), policyId);
  });
}
