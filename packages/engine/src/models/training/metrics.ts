import { ln } from '../../arithmetic/ln.ts';

/** How well scores match outcomes. Null: undefined for these rows. */
export interface ModelMetrics {
  readonly auc: number | null;
  readonly logLoss: number;
  readonly brier: number;
  /** Share of rows on the right side of 0.5. */
  readonly accuracy: number;
  /** Expected calibration error over ten bins of equal width. */
  readonly ece: number;
  readonly samples: number;
  readonly positives: number;
}

/** A score and the result of it. */
export interface ScoredRow {
  readonly score: number;
  readonly label: 0 | 1;
}

/** Keeps the logarithm of a certain error finite. */
const minChance = 1e-15;
const calibrationBins = 10;

/** Returns the metrics of at least one row. */
export function metricsOf(rows: readonly ScoredRow[]): ModelMetrics {
  let positives = 0;
  let loss = 0;
  let squares = 0;
  let right = 0;
  for (const { score, label } of rows) {
    const chance = Math.min(1 - minChance, Math.max(minChance, score));
    positives += label;
    loss -= label === 1 ? ln(chance) : ln(1 - chance);
    squares += (score - label) * (score - label);
    right += score >= 0.5 === (label === 1) ? 1 : 0;
  }
  const samples = rows.length;
  return {
    auc: aucOf(rows),
    logLoss: loss / samples,
    brier: squares / samples,
    accuracy: right / samples,
    ece: calibrationError(rows),
    samples,
    positives,
  };
}

/** Returns the share of pairs of a positive and a negative that the scores order right, ties half; null without pairs. */
function aucOf(rows: readonly ScoredRow[]): number | null {
  const sorted = [...rows].sort((a, b) => a.score - b.score);
  let positives = 0;
  let below = 0;
  let won = 0;
  for (let at = 0; at < sorted.length; ) {
    const { score } = sorted[at]!;
    let ofScore = 0;
    let negatives = 0;
    for (; at < sorted.length && sorted[at]!.score === score; at++) {
      if (sorted[at]!.label === 1) ofScore += 1;
      else negatives += 1;
    }
    won += ofScore * (below + negatives / 2);
    below += negatives;
    positives += ofScore;
  }
  return positives === 0 || below === 0 ? null : won / (positives * below);
}

function calibrationError(rows: readonly ScoredRow[]): number {
  const bins = Array.from({ length: calibrationBins }, () => ({ scores: 0, positives: 0 }));
  for (const { score, label } of rows) {
    const bin = bins[Math.min(calibrationBins - 1, Math.floor(score * calibrationBins))]!;
    bin.scores += score;
    bin.positives += label;
  }
  return bins.reduce((sum, { scores, positives }) => sum + Math.abs(scores - positives), 0) / rows.length;
}
