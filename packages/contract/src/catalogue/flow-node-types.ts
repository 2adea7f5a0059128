/** Types of the nodes of a flow, in the order of the phases in which they run. */
export const flowNodeTypes = [
  'inventory',
  'match_creatives',
  'enrich',
  'qualify',
  'contact_policy',
  'filter',
  'conditional',
  'score',
  'optimize',
  'rank',
  'group',
  'compute',
  'set_properties',
  'response',
  'call_flow',
  'extension_point',
] as const;
export type FlowNodeType = (typeof flowNodeTypes)[number];
