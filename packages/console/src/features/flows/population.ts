import type { NodeCounts, Simulation } from '@arbiter/contract/deciding/simulations';
import type { NodeRun } from '../../flow-canvas/index.ts';
import type { FlowRun } from './run.ts';

/** Returns the customers at each node as a run of the flow. Null for a simulation without counts. */
export function populationOf({
  nodes,
  sampledCustomers,
}: Pick<Simulation, 'nodes' | 'sampledCustomers'>): FlowRun | null {
  if (nodes === null) return null;
  return {
    byNode: new Map(nodes.map((node) => [node.nodeId, customersAt(node, sampledCustomers)])),
    ...{ dropped: [], between: [], shown: [], hint: null },
    isPopulation: true,
  };
}

function customersAt({ customersIn, customersOut, skipped, dropped }: NodeCounts, sampled: number): NodeRun {
  return {
    ...{ entered: customersIn, passed: customersOut, topScore: null, warnings: [] },
    dropped: Object.entries(dropped).sort((a, b) => b[1] - a[1]),
    skipped: sampled > 0 && skipped === sampled,
  };
}
