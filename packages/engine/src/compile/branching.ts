import { compileConditionList } from '../conditions/compile-condition.ts';
import type { CompiledCondition as Condition } from '../conditions/condition.ts';
import { mergeRows } from '../nodes/enrich.ts';
import type { Run } from '../run.ts';
import type { Builder } from './builder.ts';
import type { Phases } from './phases.ts';
import { everyNode, type PlacedNode } from './placed-nodes.ts';
import { routeOf, type Stop } from './route.ts';

/** The stages of a plan with conditionals: they are compiled for each way that requests take, when one first takes it. */
export interface Branching {
  phasesFor(run: Run): Phases;
}

/** Ways that are kept compiled; each conditional doubles the number of those that there may be. */
const mostWays = 64;

/** Null: no node of the plan is a conditional, so all requests take one way. */
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
      // What enrich nodes add is seen by the conditions behind them; the decision itself merges the rows in its own time.
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
        // The oldest goes: whoever takes it again waits for it once more.
        if (ways.size >= mostWays) ways.delete(ways.keys().next().value!);
        ways.set(way, phases);
      }
      return phases;
    },
  };
}
