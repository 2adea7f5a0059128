import type { DecisionItem } from '../decision.ts';
import { evaluateInto } from '../nodes/compute.ts';
import type { FormulaError, OutputItem } from '../nodes/output-step.ts';
import { type Candidate, focus, type Run } from '../run.ts';
import { componentsOf } from '../scoring/score-stage.ts';
import { settingsFor } from '../scoring/scoring.ts';
import type { Json } from '../snapshot.ts';
import type { Delivery, Taken } from './walk.ts';

export interface Items {
  readonly items: readonly DecisionItem[];
  /** Entries of `_errors` over all items. */
  readonly errors: number;
  readonly slateProbability: number;
  readonly creativeShares: readonly number[];
  /** Per slot, positions in `items`. */
  readonly bySlot: readonly (readonly number[])[];
}

/** Phase 3 over the items of the answer, and their numbers: ranks run through, placement by placement. */
export function writeItems(run: Run, delivery: Delivery): Items {
  const items: DecisionItem[] = [];
  const creativeShares: number[] = [];
  let errors = 0;
  let slateProbability = 1;
  const inPlacement = new Map<string, number>();
  const rankIn = (placementId: string | null): number | null => {
    if (placementId === null) return null;
    const rank = (inPlacement.get(placementId) ?? 0) + 1;
    inPlacement.set(placementId, rank);
    return rank;
  };
  const bySlot = delivery.map((taken) =>
    taken.map((item) => {
      const written = writeItem(run, item, items.length + 1, rankIn(item.placementId));
      items.push(written.item);
      errors += written.errors;
      slateProbability *= item.pick.probability;
      creativeShares.push(item.candidate.creativeShare);
      return items.length - 1;
    }),
  );
  return { items, errors, slateProbability, creativeShares, bySlot };
}

function writeItem(
  run: Run,
  taken: Taken,
  rank: number,
  placementRank: number | null,
): { item: DecisionItem; errors: number } {
  const { candidate, mandatory, pick } = taken;
  const { creative, offer } = candidate;
  const components = componentsOf(run, candidate);
  const score = mandatory ? 1 : candidate.score;
  const output = openOutput(run, candidate, rank);
  const { scope } = run;
  scope.score = { total: score, ...components, rank };
  scope.placement = taken.placementId === null ? null : (run.plan.names.placement(taken.placementId) ?? null);
  for (const field of offer.computed) if (run.program.customFieldsOn) evaluateInto(run, output, field);
  for (const step of run.program.output) step.item(run, output);
  const variables = creative === null ? {} : creative.template.variables(scope, output.names);
  const content = creative === null ? {} : creative.template.render(scope, output.names);
  const personalization: Record<string, Json> = { ...variables, ...output.personalization };
  if (output.errors.length > 0) personalization._errors = output.errors;
  const { ladder } = settingsFor(run.program.scoring, candidate);
  return {
    errors: output.errors.length,
    item: {
      rank,
      placementRank,
      offerId: offer.id,
      creativeId: creative?.id ?? null,
      channelId: creative?.row.channelId ?? null,
      placementId: taken.placementId,
      effect: effectOf(run, candidate),
      mandatory,
      priority: candidate.priority,
      score,
      scoreComponents: components,
      modelKey: candidate.propensitySource === 'model' ? ladder.modelKey : null,
      modelType: null,
      propensitySource: candidate.propensitySource,
      selection: { ...pick, method: mandatory ? 'mandatory' : run.rankMethod },
      content,
      personalization,
    },
  };
}

function openOutput(run: Run, candidate: Candidate, rank: number): OutputItem {
  focus(run, candidate);
  // Compute keys are added to the names, so the offer's own values are copied.
  const names: Record<string, Json> = Object.assign(Object.create(null), candidate.offer.customFields);
  run.scope.names = names;
  const errors: FormulaError[] = [];
  return { candidate, rank, personalization: {}, names, errors };
}

function effectOf(run: Run, { creative }: Candidate): 'impress' | 'reserve' {
  if (creative === null) return 'impress';
  return run.program.channels[creative.channel]?.impressionMode === 'explicit' ? 'reserve' : 'impress';
}
