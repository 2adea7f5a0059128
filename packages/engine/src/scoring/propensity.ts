import { finiteNumber } from '../arithmetic/order.ts';
import type { Candidate, Run } from '../run.ts';
import type { Json } from '../snapshot.ts';
import { type Ladder, settingsFor } from './scoring.ts';

/** P of a candidate: the first step of the ladder that answers (api-decisioning.md 10). Worked out once. */
export function propensityOf(run: Run, candidate: Candidate): number {
  if (Number.isNaN(candidate.propensity)) {
    candidate.propensity = climb(run, candidate, settingsFor(run.program.scoring, candidate).ladder);
  }
  return candidate.propensity;
}

function climb(run: Run, candidate: Candidate, ladder: Ladder): number {
  const { evidence } = run.input;
  const { id } = candidate.offer;
  const [positives, negatives] = evidence.offer(id);
  candidate.positives = positives;
  candidate.negatives = negatives;
  const asked = requestScore(run, id, ladder.modelKey);
  if (asked !== null) return found(candidate, 'request', asked);
  const count = positives + negatives;
  if (count >= ladder.offerMin) return found(candidate, 'offer', positives / count);
  const prior = priorOf(run, candidate, ladder);
  if (count === 0) return found(candidate, prior.source, prior.value);
  return found(candidate, 'offer_blend', (positives + ladder.smoothing * prior.value) / (count + ladder.smoothing));
}

/** What is expected of an offer without evidence of its own; the same for all offers of a category. */
export interface Prior {
  readonly source: 'category' | 'global' | 'default';
  readonly value: number;
}

const noPrior: Prior = { source: 'default', value: 0.5 };

function priorOf(run: Run, { offer }: Candidate, ladder: Ladder): Prior {
  const known = run.priors[offer.category + 1];
  if (known !== undefined) return known;
  const { evidence } = run.input;
  const { categoryId } = offer;
  const category = categoryId === null ? null : rate(evidence.category(categoryId), ladder.categoryMin);
  const global = category === null ? rate(evidence.global, ladder.globalMin) : null;
  const prior: Prior =
    category !== null
      ? { source: 'category', value: category }
      : global !== null
        ? { source: 'global', value: global }
        : noPrior;
  run.priors[offer.category + 1] = prior;
  return prior;
}

function rate([positives, negatives]: readonly [number, number], least: number): number | null {
  const count = positives + negatives;
  return count >= least ? positives / count : null;
}

function found(candidate: Candidate, source: Candidate['propensitySource'], value: number): number {
  candidate.propensitySource = source;
  return value;
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

/** Words for how much evidence an offer has (api-decisioning.md 10). */
export function maturityOf(count: number): 'cold_start' | 'immature' | 'maturing' | 'mature' {
  if (count === 0) return 'cold_start';
  if (count < 50) return 'immature';
  return count < 200 ? 'maturing' : 'mature';
}
