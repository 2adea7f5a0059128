import { type Candidate, type Run, standsBefore } from '../run.ts';

/** The best candidate left, by the tie break of api-decisioning.md 1; null when none is left. */
export function bestLeft(run: Run, left: (candidate: Candidate) => boolean): Candidate | null {
  let best: Candidate | null = null;
  const { list } = run;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    if ((best === null || standsBefore(candidate, best)) && left(candidate)) best = candidate;
  }
  return best;
}

/** Best score of the candidates that enter the rank stage: what scores are measured against. */
export function maxScoreOf(run: Run): number {
  let max = 0;
  for (const { reason, score } of run.list) if (reason === null && score > max) max = score;
  return max;
}
