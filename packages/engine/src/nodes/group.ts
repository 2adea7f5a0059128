import { pointerStep } from '../compile/config-problems.ts';
import { readNumber, readObject, readObjects } from '../config-values.ts';
import type { Grouping } from '../plan/ranking.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import { boolean, integer, type NodeIssues, number, objects, oneOf, reference, taking } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const placementShape = objects(20, {
  keys: { placementId: reference('placement'), maxSlots: integer(1, 50) },
  required: ['placementId'],
});

const checkWeight = number(0, 10);

/** Decides which candidate goes to which placement (docs/design/api-decisioning.md 8, 10). */
export const group: NodeKind = {
  type: 'group',
  phase: 2,
  single: true,
  keys: {
    allocation: oneOf(['optimal', 'greedy']),
    placements: taking(placementShape.takes ?? {}, (value, path, issues) => {
      placementShape(value, path, issues);
      const seen = new Set<string>();
      readObjects(value).forEach(({ placementId }, at) => {
        if (typeof placementId !== 'string') return;
        const id = placementId.toLowerCase();
        if (seen.has(id)) issues.refuse(`${path}/${at}/placementId`, 'invalid_config', 'is listed more than once');
        seen.add(id);
      });
    }),
    placementWeights: taking(
      { schema: { type: 'object', additionalProperties: checkWeight.takes?.schema ?? {} } },
      checkWeights,
    ),
    uniqueOffers: boolean,
    // Accepted without effect: flows written for an older version contain it.
    allowPartial: boolean,
  },
  required: [],
};

function checkWeights(value: Json, path: string, issues: NodeIssues): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    issues.refuse(path, 'invalid_config', 'must be an object that maps placement IDs to weights');
    return;
  }
  for (const [id, weight] of Object.entries(readObject(value))) {
    const place = `${path}/${pointerStep(id)}`;
    reference('placement')(id, place, issues);
    checkWeight(weight, place, issues);
  }
}

/** Null: the flow has no such node. */
export function compileGroup(node: FlowNode | undefined): Grouping | null {
  if (node === undefined) return null;
  const { allocation, placements, placementWeights, uniqueOffers } = node.config ?? {};
  const own = readObjects(placements).flatMap(({ placementId, maxSlots }) =>
    typeof placementId === 'string'
      ? [{ placementId: placementId.toLowerCase(), maxSlots: typeof maxSlots === 'number' ? maxSlots : null }]
      : [],
  );
  const weights = Object.entries(readObject(placementWeights));
  return {
    nodeId: node.id,
    allocation: allocation === 'greedy' ? 'greedy' : 'optimal',
    placements: own.length === 0 ? null : own,
    weights: new Map(weights.map(([id, weight]) => [id.toLowerCase(), readNumber(weight, 1)])),
    uniqueOffers: uniqueOffers !== false,
  };
}
