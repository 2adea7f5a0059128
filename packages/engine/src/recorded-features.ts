import { beginRun } from './decide.ts';
import { featuresIn, type Predictor } from './models/predictor-values.ts';
import { offerInScope } from './models/trees/explain-case.ts';
import type { FormulaScope } from './plan/formula.ts';
import type { DecisionInput } from './plan/input.ts';
import type { Plan } from './plan/plan.ts';
import type { Run } from './plan/run.ts';
import type { JsonObject, SnapshotOffer } from './plan/snapshot.ts';
import { runSteps } from './stages/step.ts';

/** Returns what predictors read for an offer of a decision; null when the plan doesn't have the offer. */
export type ReadFeatures = (predictors: readonly Predictor[], offerId: string) => JsonObject | null;

/**
 * Returns the scope of a decision at its score node, with the offer as the plan has it, else as given; null: without one.
 * The next call changes it.
 */
export type RecordedScope = (offer: SnapshotOffer | null) => FormulaScope;

/**
 * Repeats a decision up to its score node and returns what models read there: the attributes and the customer of the
 * input, with what enrich nodes add.
 */
function openRun(plan: Plan, input: DecisionInput): Run {
  const run = beginRun(plan, input, {});
  if (run.target.emptyReason === null) {
    if (run.program.branching !== null) run.phases = run.program.branching.phasesFor(run);
    runSteps(run, run.phases.phase1);
  }
  return run;
}

/** The same for one case after another, with all that the scope has. */
export function openScope(plan: Plan, input: DecisionInput): RecordedScope {
  const { scope, program } = openRun(plan, input);
  return (offer) => {
    const ordinal = offer === null ? undefined : plan.ordinals.offer.get(offer.id);
    if (ordinal !== undefined) scope.offer = program.offers[ordinal]!.view;
    else scope.offer = offer === null ? null : offerInScope(offer);
    return scope;
  };
}

/** Returns what predictors read in a decision. Learning relies on it, because today's values aren't those of the decision. */
export function openFeatures(plan: Plan, input: DecisionInput): ReadFeatures {
  const { scope, program } = openRun(plan, input);
  return (predictors, offerId) => {
    const ordinal = plan.ordinals.offer.get(offerId);
    if (ordinal === undefined) return null;
    scope.offer = program.offers[ordinal]!.view;
    return featuresIn(predictors, scope);
  };
}
