import { compileConditionList } from '../conditions/compile-condition.ts';
import { mergeRows } from '../nodes/enrich.ts';
import type { Builder } from '../plan/builder.ts';
import type { CompiledCondition as Condition } from '../plan/condition.ts';
import type { Branching, Phases } from '../plan/stages.ts';
import { everyNode, type PlacedNode } from './placed-nodes.ts';
import { routeOf, type Stop } from './route.ts';

/** Maximum compiled routes to keep. Each conditional doubles the number of possible ones. */
const maxWays = 64;

/** Null when no node of the plan is a conditional, so all requests take one route. */
export function createBranching(
  nodes: readonly PlacedNode[],
  builder: Builder,
  compilePhases: (stops: readonly Stop[]) => Phases,
): Branching | null {
  const conditions = new Map<string, Condition | null>();
  let enriches = false;
  for (const { node, phase } of everyNode(nodes)) {
    if (phase > 2) continue;
    if (node.type === 'enrich') enriches = true;
    if (node.type !== 'conditional') continue;
    const { conditions: list = [], combinator } = node.config ?? {};
    const compiled = compileConditionList(list, combinator === 'OR' ? 'OR' : 'AND');
    // A stored condition that cannot be compiled is false for every customer.
    conditions.set(node.id, compiled.ok ? compiled.condition : null);
    if (compiled.ok) builder.readPaths(compiled.condition.paths);
  }
  if (conditions.size === 0) return null;
  const ways = new Map<string, Phases>();
  return {
    phasesFor(run) {
      const { scope } = run;
      const { customer, channel } = scope;
      // Later conditions see what enrich nodes add; the decision itself merges the rows at its own time.
      const seen = enriches ? { ...run.customer } : run.customer;
      scope.customer = seen;
      scope.channel = run.target.channelView;
      let way = '';
      const stops = routeOf(nodes, {
        holds({ node }) {
          const holds = conditions.get(node.id)?.test(scope) === true;
          way += holds ? '1' : '0';
          return holds;
        },
        passes({ node }) {
          if (node.type === 'enrich') mergeRows(run, node, seen);
        },
      });
      scope.customer = customer;
      scope.channel = channel;
      let phases = ways.get(way);
      if (phases === undefined) {
        phases = compilePhases(stops);
        // Drop the oldest. The next request on that route waits for it to be compiled again.
        if (ways.size >= maxWays) ways.delete(ways.keys().next().value!);
        ways.set(way, phases);
      }
      return phases;
    },
  };
}
