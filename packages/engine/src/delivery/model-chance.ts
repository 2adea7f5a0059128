import { modelRunsByChance } from '../models/model-scores.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { DrawnChoices } from '../plan/forced.ts';
import type { Pick, RankedPick, RankMethod } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import { modelFor, workOutPropensity } from '../scoring/propensity.ts';
import { scoredBy, settingsFor } from '../scoring/scoring.ts';
import { DRAWN, fitOf } from '../scratch.ts';
import type { Exploring } from './explore.ts';
import { type Answer, estimatedPicks, type FilledPlace, repeatedChoices } from './model-estimate.ts';

/** Position of `model` among the sources of propensities. */
const fromModel = 0;

/**
 * The probability of each pick of an answer whose scores a model drew (docs/design/api-decisioning.md 15, docs/adr/0035). An
 * answer's picks depend on each other, because the same scores make them: a pick's probability is that of all picks up
 * to it, divided by that of the picks before it.
 */
export interface ModelChance {
  /**
   * Called for each place before it's filled, with the candidates left for it. `slot` null: whatever their placement.
   */
  asked(slot: number | null, place: number, left: (candidate: Candidate) => boolean): void;
  /** Called with the pick that filled the place. */
  took(picked: RankedPick): void;
  /** The picks with their chances, in order; once, when the answer is filled. */
  settle(): readonly Pick[];
  /** Receives what could fill each place, in order, once a walk along another answer ends. */
  choices(repetitions: number): readonly DrawnChoices[];
}

/** Null: no score was drawn that an order depends on. */
export function watchModelChance(run: Run, method: RankMethod, exploring: Exploring | null): ModelChance | null {
  if (run.modelRuns.length === 0 || run.holdout || !run.list.some((candidate) => isDrawn(run, candidate))) return null;
  const steps: FilledPlace[] = [];
  /** By `candidate.at`: the last step it was left for; -1: never. */
  const lastStep = new Int32Array(run.scratch.columns.size).fill(-1);
  return {
    asked(slot, place, left) {
      let size = 0;
      for (const candidate of run.list) {
        if (!left(candidate)) continue;
        lastStep[candidate.at] = steps.length;
        size += 1;
      }
      // A placement without candidates isn't a step: candidates would count as left for one place too many.
      if (size > 0) steps.push({ slot, place, size, taken: null });
    },
    took(picked) {
      steps.at(-1)!.taken = picked;
    },
    settle() {
      const filled = steps.filter(({ taken }) => taken !== null);
      const answer: Answer = { run, steps: filled, base: run.list.filter(({ at }) => lastStep[at]! >= 0), lastStep };
      const uniform = exploring === null ? uniformChanceOf(answer, method) : null;
      return uniform !== null ? exactPicks(answer, uniform) : estimatedPicks(answer, method, exploring);
    },
    choices(repetitions) {
      const answer: Answer = { run, steps, base: run.list.filter(({ at }) => lastStep[at]! >= 0), lastStep };
      const uniform = exploring === null ? uniformChanceOf(answer, method) : null;
      return uniform !== null ? exactChoices(answer, uniform) : repeatedChoices(answer, method, exploring, repetitions);
    },
  };
}

/** True when the candidate's place in the order hangs on a drawn number. */
function isDrawn(run: Run, candidate: Candidate): boolean {
  if (candidate.reason !== null) return false;
  const { known } = run.scratch.columns;
  const { method, exponents, ladder } = settingsFor(scoredBy(run, candidate), candidate);
  const isScored = method.readsEvidence && (method.name !== 'formula' || exponents.propensity !== 0);
  if (run.rescorings === null) return isScored && (known[candidate.at]! & DRAWN) !== 0;
  if (!isScored && !run.rescorings.some(({ readsPropensity }) => readsPropensity)) return false;
  if (run.program.models.list[modelFor(run, candidate, ladder)]?.program.isRandom !== true) return false;
  // A trace needs more than a decision without one: compute what isn't known yet.
  workOutPropensity(run, candidate);
  return (known[candidate.at]! & DRAWN) !== 0;
}

/** Returns the probability of a uniform order, when only that and the greedy order make the answer; otherwise null. */
function uniformChanceOf({ run, base }: Answer, method: RankMethod): number | null {
  const { scoring } = run.program;
  const { columns } = run.scratch;
  const several = run.target.slots !== null && run.target.slots.length > 1;
  if (method.name !== 'topN' || several || scoring.minPropensity > 0 || scoring.minScore > 0) return null;
  const [only, ...others] = modelRunsByChance(run);
  if (only === undefined || others.length > 0 || run.program.drawsEarly) return null;
  // Objectives, hooks and called flows make another order of the scores.
  if (run.program.optimize !== null || run.phases.rescores) return null;
  const fit = fitOf(columns, base[0]?.at ?? 0);
  const plain = base.every(
    (candidate) =>
      columns.source[candidate.at] === fromModel &&
      (columns.known[candidate.at]! & DRAWN) !== 0 &&
      fitOf(columns, candidate.at) === fit &&
      settingsFor(scoring, candidate).method.name === 'propensity',
  );
  return plain ? only.scorer.uniformChance : null;
}

/**
 * With probability e the order is uniform, otherwise greedy: k picks have probability `(1 - e) * [they are the greedy
 * ones] + e / (n (n - 1) ...)` with n, n - 1, ... candidates left. Candidates removed by a limit on the way leave the
 * order of the others uniform.
 */
function exactPicks({ run, steps, base, lastStep }: Answer, chance: number): Pick[] {
  const before = greedyOrder(run, base);
  let isGreedy = true;
  let uniform = chance;
  let all = 1;
  return steps.map(({ taken, size }, step) => {
    const { candidate, pick } = taken!;
    isGreedy &&= !base.some((other) => other !== candidate && lastStep[other.at]! >= step && before(other, candidate));
    uniform /= size;
    const upTo = (isGreedy ? 1 - chance : 0) + uniform;
    const probability = size === 1 ? 1 : upTo / all;
    all = upTo;
    return { ...pick, probability };
  });
}

/** Whether the first candidate's score before any random draw is larger. */
function greedyOrder(run: Run, base: readonly Candidate[]): (a: Candidate, b: Candidate) => boolean {
  const [{ scorer }] = modelRunsByChance(run) as [ReturnType<typeof modelRunsByChance>[number]];
  const greedy = new Map(base.map((candidate) => [candidate, scorer.greedy(candidate.offer.id)]));
  return (a, b) => {
    const difference = greedy.get(a)! - greedy.get(b)!;
    if (difference !== 0) return difference > 0;
    return a.priority !== b.priority ? a.priority > b.priority : a.ordinal < b.ordinal;
  };
}

/** The chances of `exactPicks` for all candidates of each place. */
function exactChoices({ run, steps, base, lastStep }: Answer, chance: number): DrawnChoices[] {
  const before = greedyOrder(run, base);
  let isGreedy = true;
  let uniform = chance;
  let all = 1;
  return steps.map(({ taken, size }, step) => {
    const left = base.filter(({ at }) => lastStep[at]! >= step);
    const best = left.find((candidate) => !left.some((other) => other !== candidate && before(other, candidate)));
    uniform /= size;
    const upTo = (candidate: Candidate): number => (isGreedy && candidate === best ? 1 - chance : 0) + uniform;
    const chances = new Map(left.map((candidate) => [candidate, size === 1 ? 1 : upTo(candidate) / all]));
    if (taken !== null) {
      all = upTo(taken.candidate);
      isGreedy &&= taken.candidate === best;
    }
    return { chances, hits: null };
  });
}
