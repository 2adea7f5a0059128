import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import { standsBefore } from '../stages/candidates.ts';

/** The best candidate left, by the tie break of docs/design/api-decisioning.md 1; null when none is left. */
export function bestLeft(run: Run, left: (candidate: Candidate) => boolean): Candidate | null {
  let best: Candidate | null = null;
  const { list } = run;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    if ((best === null || standsBefore(run, candidate, best)) && left(candidate)) best = candidate;
  }
  return best;
}

/**
 * Gathers the `most` best candidates of the list in `best`, best first, in one pass. Returns how many. Without `left` they are
 * those that have not left.
 */
export function gatherBest(
  run: Run,
  most: number,
  best: Candidate[],
  left: ((candidate: Candidate) => boolean) | null = null,
): number {
  const { list, scratch } = run;
  const { score } = scratch.columns;
  let count = 0;
  let least = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    if (candidate.reason !== null) continue;
    if (count === most && (score[candidate.at]! < least || !standsBefore(run, candidate, best[count - 1]!))) continue;
    if (left !== null && !left(candidate)) continue;
    let place = count === most ? count - 1 : count;
    for (; place > 0 && standsBefore(run, candidate, best[place - 1]!); place--) best[place] = best[place - 1]!;
    best[place] = candidate;
    if (count < most) count += 1;
    least = score[best[count - 1]!.at]!;
  }
  return count;
}

/** Best score of the candidates that enter the rank stage: what scores are measured against. */
export function maxScoreOf(run: Run): number {
  const { score } = run.scratch.columns;
  let max = 0;
  for (const { reason, at } of run.list) if (reason === null && score[at]! > max) max = score[at]!;
  return max;
}
