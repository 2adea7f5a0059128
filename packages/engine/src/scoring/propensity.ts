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
  const { row } = candidate.offer;
  const [positives, negatives] = evidence.offer(row.id);
  candidate.positives = positives;
  candidate.negatives = negatives;
  const asked = requestScore(run, row.id, ladder.modelKey);
  if (asked !== null) return found(candidate, 'request', asked);
  const count = positives + negatives;
  if (count >= ladder.offerMin && count > 0) return found(candidate, 'offer', positives / count);
  const [categoryPositives, categoryNegatives] = row.categoryId === null ? none : evidence.category(row.categoryId);
  const categoryCount = categoryPositives + categoryNegatives;
  const [globalPositives, globalNegatives] = evidence.global;
  const globalCount = globalPositives + globalNegatives;
  const categoryRate =
    categoryCount >= ladder.categoryMin && categoryCount > 0 ? categoryPositives / categoryCount : null;
  const globalRate = globalCount >= ladder.globalMin && globalCount > 0 ? globalPositives / globalCount : null;
  if (count >= 1) {
    const prior = categoryRate ?? globalRate ?? 0.5;
    return found(candidate, 'offer_blend', (positives + ladder.smoothing * prior) / (count + ladder.smoothing));
  }
  if (categoryRate !== null) return found(candidate, 'category', categoryRate);
  if (globalRate !== null) return found(candidate, 'global', globalRate);
  return found(candidate, 'default', 0.5);
}

const none = [0, 0] as const;

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
