import { finiteNumber } from '../arithmetic/order.ts';
import type { PropensitySource } from '../decision.ts';
import type { Candidate, Run } from '../run.ts';
import { PROPENSITY } from '../scratch.ts';
import type { Json } from '../snapshot.ts';
import { type Ladder, settingsFor } from './scoring.ts';

/** Sources by their number in the scratch; the first stands for "not worked out yet" among the priors. */
export const propensitySources: readonly PropensitySource[] = [
  'model',
  'default',
  'global',
  'category',
  'offer_blend',
  'offer',
  'request',
];
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
  const { ladder } = settingsFor(run.scoring, candidate);
  const pair = evidenceOf(run, candidate);
  const positives = pair[0];
  const negatives = pair[1];
  columns.known[at] = columns.known[at]! | PROPENSITY;
  const asked = run.propensityScores === null ? null : requestScore(run, candidate.offer.id, ladder.modelKey);
  if (asked !== null) {
    columns.source[at] = fromRequest;
    columns.propensity[at] = asked;
    return;
  }
  const count = positives + negatives;
  if (count >= ladder.offerMin) {
    columns.source[at] = fromOffer;
    columns.propensity[at] = positives / count;
    return;
  }
  const group = run.scratch.offers.category[candidate.ordinal]! + 1;
  if (priorSource[group] === 0) workOutPrior(run, candidate, group, ladder);
  if (count === 0) {
    columns.source[at] = priorSource[group]!;
    columns.propensity[at] = priorValue[group]!;
    return;
  }
  columns.source[at] = fromBlend;
  columns.propensity[at] = (positives + ladder.smoothing * priorValue[group]!) / (count + ladder.smoothing);
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

/** What is expected of an offer without evidence of its own; the same for all offers of a category. */
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
function requestScore(run: Run, offerId: string, modelKey: string | null): number | null {
  const scores = run.propensityScores;
  if (scores === null) return null;
  const value = ownNumber(scores, offerId) ?? (modelKey === null ? null : ownNumber(scores, modelKey));
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
