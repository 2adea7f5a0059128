import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { Optimizing } from '../plan/scoring.ts';
import { openObjective } from './objectives.ts';
import { noteScores } from './rescorings.ts';

const value = new Float64Array(1);

/**
 * Weighs objectives against each other and against the score: `c = sum(w * v) / sum(w)` over the objectives that have a
 * value, 0 when none has; the score becomes c, or `(1 - b) * score / maxScore + b * c` (docs/design/api-decisioning.md 8).
 */
export function optimizeStage(run: Run, optimizing: Optimizing): void {
  const readsPropensity = optimizing.terms.some(({ objective }) => objective === 'propensity');
  noteScores(run, (again) => void optimizeScores(again, optimizing, again.list), readsPropensity);
  const topScore = optimizeScores(run, optimizing, run.list);
  run.trace?.stage({
    stage: `${run.prefix}optimize`,
    nodeId: optimizing.nodeId,
    candidates: run.offerCount,
    passed: run.offerCount,
    topScore,
    method: optimizing.replaces ? 'replace' : 'blend',
    dropped: {},
    warnings: [],
  });
}

/** Does the same for some of the candidates. Returns the highest of the new scores, null without one. */
export function optimizeScores(
  run: Run,
  { terms, replaces, blendFactor }: Omit<Optimizing, 'nodeId'>,
  candidates: readonly Candidate[],
): number | null {
  const { score } = run.scratch.columns;
  let maxScore = 0;
  if (!replaces) for (const { at } of candidates) maxScore = Math.max(maxScore, score[at]!);
  const opened = terms.map(({ objective, weight }) => ({ weight, write: openObjective(run, objective) }));
  let topScore: number | null = null;
  for (const candidate of candidates) {
    let sum = 0;
    let weights = 0;
    for (const { weight, write } of opened) {
      write(candidate, value, 0);
      if (Number.isNaN(value[0])) continue;
      sum += weight * value[0]!;
      weights += weight;
    }
    const combined = weights === 0 ? 0 : sum / weights;
    const before = maxScore === 0 ? 0 : score[candidate.at]! / maxScore;
    const after = replaces ? combined : (1 - blendFactor) * before + blendFactor * combined;
    score[candidate.at] = after;
    if (topScore === null || after > topScore) topScore = after;
  }
  return topScore;
}
