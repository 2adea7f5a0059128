import type { NodeCounts } from '@arbiter/contract';
import type { DecisionTrace, Plan } from '@arbiter/engine';

type Counts = { -readonly [K in keyof NodeCounts]: NodeCounts[K] };

/** Counts at the nodes of a flow, in the order of the flow. */
export interface NodeTally {
  readonly byNode: ReadonlyMap<string, Counts>;
}

export const newNodeTally = ({ flow }: Plan): NodeTally => ({
  byNode: new Map(
    flow.config.nodes
      .filter(({ enabled }) => enabled !== false)
      .map(({ id: nodeId }): [string, Counts] => [
        nodeId,
        { nodeId, customersIn: 0, customersOut: 0, candidatesIn: 0, candidatesOut: 0, skipped: 0, dropped: {} },
      ]),
  ),
});

/** Adds the counts of a decision's trace. */
export function countNodes({ byNode }: NodeTally, { pipeline }: Pick<DecisionTrace, 'pipeline'>): void {
  const seen = new Set<string>();
  for (const { nodeId, candidates, passed, skipped, dropped } of pipeline) {
    const counts = nodeId === null ? undefined : byNode.get(nodeId);
    // A called flow's rows follow that of the call, and its nodes may have the same ids.
    if (counts === undefined || seen.has(counts.nodeId)) continue;
    seen.add(counts.nodeId);
    if (skipped === true) {
      counts.skipped += 1;
      continue;
    }
    if (candidates > 0) counts.customersIn += 1;
    if (passed > 0) counts.customersOut += 1;
    counts.candidatesIn += candidates;
    counts.candidatesOut += passed;
    for (const [reason, count] of Object.entries(dropped))
      counts.dropped[reason] = (counts.dropped[reason] ?? 0) + count;
  }
}

export const nodeCountsOf = ({ byNode }: NodeTally): readonly NodeCounts[] => [...byNode.values()];
