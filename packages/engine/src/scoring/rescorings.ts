import type { Run } from '../plan/run.ts';
import type { Rescoring } from '../plan/scoring.ts';

/**
 * True where scores may be drawn and a stage behind the score node may change them: then the chance of a pick is found by
 * doing all of these stages again.
 */
export function keepsScores({ program, phases, holdout, probe }: Run): boolean {
  if (holdout || probe?.greedy === true) return false;
  if (!phases.rescores && program.optimize === null) return false;
  return program.models.list.some((model) => model.program.isRandom);
}

/** Called when a stage begins to score the list. */
export function noteScores(run: Run, again: Rescoring['again'], readsPropensity = false): void {
  if (run.rescorings === null) return;
  run.rescorings.push({ list: [...run.list], rescored: new Map(run.rescored ?? []), readsPropensity, again });
}

/** Does the stages again, in order, each on the candidates that it had; the run's own list and scores stay behind. */
export function scoreAgain(run: Run, rescorings: readonly Rescoring[]): void {
  const { list, rescored } = run;
  for (const stage of rescorings) {
    run.list = stage.list;
    run.rescored = stage.rescored;
    stage.again(run);
  }
  run.list = list;
  run.rescored = rescored;
}
