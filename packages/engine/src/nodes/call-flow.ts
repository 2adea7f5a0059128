import { oneOf, reference } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

/** Runs the published nodes of another flow in its place (docs/design/api-decisioning.md 8). */
export const callFlow: NodeKind = {
  type: 'call_flow',
  phase: 'any',
  single: false,
  keys: { flowKey: reference('flow'), mode: oneOf(['narrow', 'merge', 'replace']) },
  required: ['flowKey'],
};
