import type { Plan } from '../plan/plan.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { scratchOf } from '../scratch.ts';
import { semantics } from '../version.ts';
import { compileFlowStages } from './flow-stages.ts';
import { planOf } from './plan.ts';
import { compileRows } from './plan-rows.ts';
import { programOf } from './program.ts';

/**
 * Turns a published flow and the tenant's catalogue into a plan (docs/design/decisioning.md 2). Pure. The order of the
 * snapshot's lists doesn't matter, except for `schemas` and the flow's nodes. Throws when the flow names a node type or
 * method that isn't built (`validateFlow` rejects those on write), and when the plan was made for a newer engine.
 */
export function compile(snapshot: Snapshot): Plan {
  const work = compileInSlices(snapshot);
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

/**
 * Compiles the same plan in small pieces, so that the caller can do something else in between. With thousands of
 * offers, a piece takes a few milliseconds at most.
 */
export function* compileInSlices(snapshot: Snapshot): Generator<void, Plan> {
  if (snapshot.semantics > semantics) {
    throw new RangeError(`the plan has semantics ${snapshot.semantics}; this engine supports ${semantics}`);
  }
  const rows = yield* compileRows(snapshot);
  yield;
  const stages = compileFlowStages(rows);
  yield;
  const program = programOf(rows, stages);
  yield;
  // Created now, between two points, so that the first decision doesn't pay for it.
  scratchOf(program);
  yield;
  return planOf(rows, stages, program);
}
