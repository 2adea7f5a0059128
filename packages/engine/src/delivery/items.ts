import { evaluateInto } from '../nodes/compute.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { DecisionItem } from '../plan/decision.ts';
import type { PlanModel } from '../plan/models.ts';
import type { Delivery, TakenItem } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { Json } from '../plan/snapshot.ts';
import type { FormulaError, OutputItem } from '../plan/stages.ts';
import { modelFor, propensitySources } from '../scoring/propensity.ts';
import { componentsOf } from '../scoring/score-stage.ts';
import { scoredBy, settingsFor } from '../scoring/scoring.ts';
import { creativeShareOf } from '../scratch.ts';
import { focus } from '../stages/candidates.ts';

export interface Items {
  readonly items: readonly DecisionItem[];
  /** Entries of `_errors` over all items. */
  readonly errors: number;
  readonly creativeShares: readonly number[];
  /** Per slot, positions in `items`. */
  readonly bySlot: readonly (readonly number[])[];
}

/** Phase 3 over the items of the answer, and their numbers: ranks run through, placement by placement. */
export function writeItems(run: Run, delivery: Delivery): Items {
  const items: DecisionItem[] = [];
  const creativeShares: number[] = [];
  const errors: FormulaError[] = [];
  let inPlacement: Map<string, number> | null = null;
  const bySlot: number[][] = [];
  for (const taken of delivery) {
    const positions: number[] = [];
    for (const item of taken) {
      let placementRank: number | null = null;
      if (item.placementId !== null) {
        inPlacement ??= new Map();
        placementRank = (inPlacement.get(item.placementId) ?? 0) + 1;
        inPlacement.set(item.placementId, placementRank);
      }
      positions.push(items.length);
      items.push(writeItem(run, item, items.length + 1, placementRank, errors));
      creativeShares.push(creativeShareOf(run.scratch.columns, item.candidate.at));
    }
    bySlot.push(positions);
  }
  return { items, errors: errors.length, creativeShares, bySlot };
}

type Values = Readonly<Record<string, Json>>;

function writeItem(
  run: Run,
  taken: TakenItem,
  rank: number,
  placementRank: number | null,
  errors: FormulaError[],
): DecisionItem {
  const { candidate, mandatory } = taken;
  const { creative, offer } = candidate;
  const { columns } = run.scratch;
  const components = componentsOf(run, candidate);
  const score = mandatory ? 1 : columns.score[candidate.at]!;
  focus(run, candidate);
  const plain = run.program.output.length === 0 && (offer.computed.length === 0 || !run.program.customFieldsOn);
  // Without formulas, nothing is added to the values of creative and offer, so don't copy.
  const output = plain ? null : computeOutput(run, taken, rank, { total: score, ...components, rank });
  if (output !== null) errors.push(...output.errors);
  const names: Values = output === null ? offer.customFields : output.names;
  const template = creative === null ? null : run.program.templateOf(creative);
  const variables = template === null ? nothing : template.variables(run.scope, names);
  const source = propensitySources[columns.source[candidate.at]!]!;
  const model = source === 'model' ? modelOf(run, candidate) : null;
  return {
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
    modelKey: model?.key ?? null,
    modelType: model?.type ?? null,
    propensitySource: source,
    selection: selectionOf(run, taken),
    content: template === null ? nothing : template.render(run.scope, names),
    personalization: output === null ? variables : personalized(variables, output),
  };
}

/** Without a spread, which would create an object more for each item. */
function selectionOf(run: Run, { mandatory, pick }: TakenItem): DecisionItem['selection'] {
  const { probability, estimated, explored, draws } = pick;
  const method = mandatory ? 'mandatory' : run.selectionMethod;
  return draws === undefined
    ? { probability, estimated, explored, method }
    : { probability, estimated, explored, method, draws };
}

/** The model that the candidate was scored by. */
function modelOf(run: Run, candidate: Candidate): PlanModel | null {
  const { ladder } = settingsFor(scoredBy(run, candidate), candidate);
  return run.program.models.list[modelFor(run, candidate, ladder)] ?? null;
}

const nothing: Values = Object.freeze({});

function computeOutput(run: Run, { candidate, placementId }: TakenItem, rank: number, score: object): OutputItem {
  const { scope, program } = run;
  // Compute keys are added to the names, so the offer's own values are copied.
  const names: Record<string, Json> = Object.assign(Object.create(null), candidate.offer.customFields);
  const output: OutputItem = { candidate, rank, personalization: {}, names, errors: [] };
  scope.names = names;
  scope.score = score;
  scope.placement = placementId === null ? null : (run.plan.names.placement(placementId) ?? null);
  if (program.customFieldsOn) for (const field of candidate.offer.computed) evaluateInto(run, output, field);
  const { observe } = run;
  if (observe !== null) observe('response', program.response.nodeId);
  for (const step of program.output) {
    step.item(run, output);
    if (observe !== null) observe(step.type, step.nodeId);
  }
  return output;
}

function personalized(variables: Values, output: OutputItem): Values {
  const personalization: Record<string, Json> = { ...variables, ...output.personalization };
  if (output.errors.length > 0) personalization._errors = output.errors;
  return personalization;
}

function effectOf(run: Run, { creative }: Candidate): 'impress' | 'reserve' {
  if (creative === null) return 'impress';
  return run.program.channels[creative.channel]?.impressionMode === 'explicit' ? 'reserve' : 'impress';
}
