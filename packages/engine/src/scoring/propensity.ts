import { finiteNumber } from '../arithmetic/order.ts';
import { modelScore, openModel } from '../models/model-scores.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { PropensitySource } from '../plan/decision.ts';
import type { Run } from '../plan/run.ts';
import type { AssignedModel, Ladder } from '../plan/scoring.ts';
import type { Json } from '../plan/snapshot.ts';
import { DRAWN, PROPENSITY } from '../scratch.ts';
import { scoredBy, settingsFor } from './scoring.ts';

/** Sources by their number in the scratch. Among the priors, the first means "not computed yet". */
export const propensitySources: readonly PropensitySource[] = [
  'model',
  'default',
  'global',
  'category',
  'offer_blend',
  'offer',
  'request',
];
const fromModel = 0;
const fromDefault = 1;
const fromGlobal = 2;
const fromCategory = 3;
const fromBlend = 4;
const fromOffer = 5;
const fromRequest = 6;

/** P of a candidate: the first step of the ladder that answers (docs/design/api-decisioning.md 10). */
export function propensityOf(run: Run, candidate: Candidate): number {
  workOutPropensity(run, candidate);
  return run.scratch.columns.propensity[candidate.at]!;
}

/** Writes P and its source to their columns, once. */
export function workOutPropensity(run: Run, candidate: Candidate): void {
  const { columns, priorSource, priorValue } = run.scratch;
  const { at } = candidate;
  if ((columns.known[at]! & PROPENSITY) !== 0) return;
  const { ladder } = settingsFor(scoredBy(run, candidate), candidate);
  const pair = evidenceOf(run, candidate);
  const positives = pair[0];
  const negatives = pair[1];
  columns.known[at] = columns.known[at]! | PROPENSITY;
  const asked = run.propensityScores === null ? null : requestScore(run, candidate, ladder);
  if (asked !== null) {
    columns.source[at] = fromRequest;
    columns.propensity[at] = asked;
    return;
  }
  const count = positives + negatives;
  const model = modelFor(run, candidate, ladder);
  if (model >= 0 && !ladder.adaptiveFirst && takeModel(run, candidate, model)) return;
  if (count >= ladder.offerMin) {
    columns.source[at] = fromOffer;
    columns.propensity[at] = positives / count;
    return;
  }
  const group = run.scratch.offers.category[candidate.ordinal]! + 1;
  // A category's expectation depends on the node that asks.
  if (run.rescored !== null && run.priorsOf !== ladder) {
    priorSource.fill(0);
    run.priorsOf = ladder;
  }
  if (priorSource[group] === 0) workOutPrior(run, candidate, group, ladder);
  // Without any evidence, the model provides the expectation, if it can.
  const isUnknown = priorSource[group] === fromDefault && model >= 0;
  if (count === 0) {
    if (isUnknown && takeModel(run, candidate, model)) return;
    columns.source[at] = priorSource[group]!;
    columns.propensity[at] = priorValue[group]!;
    return;
  }
  let prior = priorValue[group]!;
  if (isUnknown) {
    const score = modelScore(run, candidate, model);
    if (score !== null) {
      prior = score;
      noteUse(run, at, model);
    }
  }
  columns.source[at] = fromBlend;
  columns.propensity[at] = (positives + ladder.smoothing * prior) / (count + ladder.smoothing);
}

/** Position of the model that scores a candidate with this ladder; -1: none (docs/design/api-decisioning.md 10, "Which model"). */
export function modelFor(run: Run, candidate: Candidate, ladder: Ladder): number {
  if (run.holdout) return -1;
  return assignedTo(run, candidate)?.model ?? ladder.model;
}

/** Champion or challenger of the node that scored the candidate; null: the node has none. */
export function assignedTo(run: Run, { origin }: Candidate): AssignedModel | null {
  const rescored = run.rescored?.get(origin);
  return rescored === undefined ? run.assigned : rescored.assigned;
}

/** Takes the model's score for P; false when it has none for the offer. */
function takeModel(run: Run, candidate: Candidate, model: number): boolean {
  const score = modelScore(run, candidate, model);
  if (score === null) return false;
  const { columns } = run.scratch;
  const { at } = candidate;
  columns.source[at] = fromModel;
  columns.propensity[at] = score;
  noteUse(run, at, model);
  return true;
}

function noteUse(run: Run, at: number, model: number): void {
  const { columns } = run.scratch;
  openModel(run, model).used = true;
  if (run.program.models.list[model]!.program.isRandom) columns.known[at] = columns.known[at]! | DRAWN;
}

type Pair = readonly [positives: number, negatives: number];

/** The offer's own evidence. */
export function evidenceOf({ scratch, input: { evidence } }: Run, { ordinal, offer }: Candidate): Pair {
  const { pairsOf } = evidence;
  if (pairsOf === undefined) return evidence.offer(offer.id);
  if (scratch.pairsOf !== pairsOf) {
    scratch.pairs = new Array(scratch.offers.category.length);
    scratch.pairsOf = pairsOf;
  }
  const known = scratch.pairs[ordinal];
  if (known !== undefined) return known;
  const pair = evidence.offer(offer.id);
  scratch.pairs[ordinal] = pair;
  return pair;
}

/** Computes the expectation of an offer without evidence of its own; the same for all offers of a category. */
function workOutPrior(run: Run, { offer }: Candidate, group: number, ladder: Ladder): void {
  const { evidence } = run.input;
  const { priorSource, priorValue } = run.scratch;
  const { categoryId } = offer;
  const category = categoryId === null ? null : rate(evidence.category(categoryId), ladder.categoryMin);
  const global = category === null ? rate(evidence.global, ladder.globalMin) : null;
  priorSource[group] = category !== null ? fromCategory : global !== null ? fromGlobal : fromDefault;
  priorValue[group] = category ?? global ?? 0.5;
}

function rate(pair: Pair, least: number): number | null {
  const count = pair[0] + pair[1];
  return count >= least ? pair[0] / count : null;
}

/** `attributes.propensityScores[offerId]`, else `[modelKey]`, clamped to 0..1; anything but a finite number is missing. */
function requestScore(run: Run, candidate: Candidate, ladder: Ladder): number | null {
  const scores = run.propensityScores;
  if (scores === null) return null;
  let value = ownNumber(scores, candidate.offer.id);
  if (value === null) {
    // By the flow's name for it, or by the key of the model behind the name.
    const name = assignedTo(run, candidate)?.name ?? ladder.modelKey;
    if (name !== null) value = ownNumber(scores, name);
    const model = modelFor(run, candidate, ladder);
    if (value === null && model >= 0) value = ownNumber(scores, run.program.models.list[model]!.key);
  }
  return value === null ? null : Math.min(1, Math.max(0, value));
}

function ownNumber(values: { readonly [key: string]: Json }, key: string): number | null {
  return Object.hasOwn(values, key) ? finiteNumber(values[key]) : null;
}

/** Words for how much evidence an offer has (docs/design/api-decisioning.md 10). */
export function maturityOf(count: number): 'cold_start' | 'immature' | 'maturing' | 'mature' {
  if (count === 0) return 'cold_start';
  if (count < 50) return 'immature';
  return count < 200 ? 'maturing' : 'mature';
}
