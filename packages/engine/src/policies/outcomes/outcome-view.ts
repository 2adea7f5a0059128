import type { LaneView } from '../../plan/lanes.ts';
import type { Run } from '../../plan/run.ts';
import { viewLanes } from '../lane-view.ts';

/** The customer's outcomes in the plan's numbers, one lane each; numbered for the first policy that asks. */
export function outcomesOf(run: Run): LaneView {
  if (run.outcomes !== null) return run.outcomes;
  const outcomes = run.input.outcomes ?? [];
  const facts = { lanes: outcomes.map(({ lane }) => lane), lastAt: outcomes.map(({ at }) => at), counts: [] };
  const horizonMs = run.plan.outcomeReads?.horizonMs ?? 0;
  run.outcomes = viewLanes(run.scratch.outcomes, facts, run.program, horizonMs, run.now);
  return run.outcomes;
}

/** Key of the outcome at a place of `outcomesOf`. */
export function outcomeKeyOf(run: Run, view: LaneView, at: number): string {
  return run.input.outcomes?.[view.lane[at]!]?.key ?? '';
}
