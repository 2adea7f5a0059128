import { modelRunsByChance } from '../models/model-scores.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { DrawnChoices } from '../plan/forced.ts';
import type { Pick, RankedPick, RankMethod } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { Rescoring } from '../plan/scoring.ts';
import { stream } from '../random/stream.ts';
import { optimizeScores } from '../scoring/optimize-stage.ts';
import { scoreAgain } from '../scoring/rescorings.ts';
import { scoreCandidate } from '../scoring/score-stage.ts';
import { DRAWN, PROPENSITY } from '../scratch.ts';
import { type Exploring, ownChances } from './explore.ts';

/** Repetitions of an estimate, and the numbers of the beta distribution that all of them draw together at most. */
const maxRepetitions = 1000;
const minRepetitions = 20;
const maxDraws = 20_000;

/** A place of the answer as it was filled. */
export interface FilledPlace {
  readonly slot: number | null;
  readonly place: number;
  /** Candidates left. */
  readonly size: number;
  taken: RankedPick | null;
}

/** An answer whose scores a model drew. */
export interface Answer {
  readonly run: Run;
  readonly steps: readonly FilledPlace[];
  /** Candidates that were left for some step. */
  readonly base: readonly Candidate[];
  readonly lastStep: Int32Array;
}

/**
 * Counts how often the picks recur when scores are drawn again. A repetition that departs from the answer's picks
 * counts only for the picks before that, so that the candidates left for each place are known.
 */
export function estimatedPicks(answer: Answer, method: RankMethod, exploring: Exploring | null): Pick[] {
  const { run, steps } = answer;
  const draws = Math.min(maxRepetitions, Math.max(minRepetitions, Math.floor(maxDraws / sizeOf(answer))));
  /** Repetitions that agreed up to and including each step. */
  const hits = new Float64Array(steps.length);
  const next = stream(run.input.seed, `estimate:${run.program.scoring.nodeId ?? 'scoring'}:0`);
  repeat(answer, draws, next, () => countRepetition(answer, method, exploring, hits));
  return steps.map(({ taken, size }, step) => {
    const { pick } = taken!;
    if (size === 1) return { ...pick, probability: 1 };
    const before = step === 0 ? draws : hits[step - 1]!;
    return { ...pick, probability: (hits[step]! + 1) / (before + size), estimated: true, draws };
  });
}

/** Counts what fills each place, given the picks before it, over many repetitions. */
export function repeatedChoices(
  answer: Answer,
  method: RankMethod,
  exploring: Exploring | null,
  repetitions: number,
): DrawnChoices[] {
  const { run, steps } = answer;
  const weights = steps.map(() => new Map<Candidate, number>());
  const hits = new Float64Array(steps.length);
  const next = stream(run.input.seed, `weigh:${run.program.scoring.nodeId ?? 'scoring'}:0`);
  repeat(answer, repetitions, next, () => {
    countRepetition(answer, method, exploring, hits, weights);
  });
  return steps.map(({ size }, step) => {
    const chances = weights[step]!;
    let sum = 0;
    for (const weight of chances.values()) sum += weight;
    for (const [candidate, weight] of chances) chances.set(candidate, size === 1 ? 1 : weight / sum);
    return { chances, hits: size === 1 ? null : hits[step]! };
  });
}

/** How many numbers a repetition draws: one per offer, or one per candidate of each scoring stage. */
function sizeOf({ run, base }: Answer): number {
  const { rescorings } = run;
  const size = rescorings === null ? ordinalsOf(base).length : rescoredBy(rescorings).length;
  return Math.max(1, size);
}

const ordinalsOf = (list: readonly Candidate[]): number[] =>
  [...new Set(list.map(({ ordinal }) => ordinal))].sort((a, b) => a - b);

const rescoredBy = (rescorings: readonly Rescoring[]): readonly Candidate[] => [
  ...new Set(rescorings.flatMap(({ list }) => list)),
];

/** Repeats the random scores this many times, then restores the run's own. */
function repeat({ run, base }: Answer, times: number, next: () => number, each: () => void): void {
  const { columns } = run.scratch;
  /** The candidates to score again. */
  const scored = run.rescorings === null ? base : rescoredBy(run.rescorings);
  const before = scored.map(({ at, reason, taken }) => ({ reason, taken, score: columns.score[at]! }));
  const models = modelRunsByChance(run);
  const scores = models.map((model) => Float64Array.from(model.scores));
  // Candidates that a stage removed are no longer in the order; their draws are taken as given.
  const ordinals = ordinalsOf(run.rescorings === null ? base : run.list);
  for (let repetition = 0; repetition < times; repetition++) {
    for (const { model, state, scores: table } of models) {
      const scorer = model.program.begin(state, run.scope, next);
      for (const ordinal of ordinals) table[ordinal] = scorer.score(run.program.offers[ordinal]!.id, next);
    }
    for (const candidate of base) {
      candidate.reason = null;
      candidate.taken = false;
    }
    if (run.rescorings === null) scoreBase(run, base);
    else scoreAgain(run, run.rescorings);
    each();
  }
  models.forEach((model, at) => void model.scores.set(scores[at]!));
  scored.forEach((candidate, at) => {
    const { reason, taken, score } = before[at]!;
    candidate.reason = reason;
    candidate.taken = taken;
    columns.known[candidate.at] = columns.known[candidate.at]! & ~(PROPENSITY | DRAWN);
    columns.score[candidate.at] = score;
  });
}

/** By the score and optimize nodes only. */
function scoreBase(run: Run, base: readonly Candidate[]): void {
  const { known } = run.scratch.columns;
  for (const candidate of base) {
    known[candidate.at] = known[candidate.at]! & ~(PROPENSITY | DRAWN);
    scoreCandidate(run, candidate);
  }
  if (run.program.optimize !== null) optimizeScores(run, run.program.optimize, base);
}

/** `weights`: by step, what could have been picked there; absent: only the picks count. */
function countRepetition(
  { run, steps, lastStep }: Answer,
  method: RankMethod,
  exploring: Exploring | null,
  hits: Float64Array,
  weights?: readonly Map<Candidate, number>[],
): void {
  const ranking = method.begin(run);
  let weight = 1;
  for (const [step, { slot, place, taken }] of steps.entries()) {
    const left = (candidate: Candidate): boolean =>
      lastStep[candidate.at]! >= step && (slot === null || run.target.slots === null || candidate.slot === slot);
    const picked = ranking.next(left, place);
    if (picked === null) return;
    if (weights !== undefined) {
      const chances =
        exploring === null ? ownChances(picked, ranking) : exploring.chances(place, picked, left, ranking);
      const sums = weights[step]!;
      for (const [candidate, chance] of chances) sums.set(candidate, (sums.get(candidate) ?? 0) + weight * chance);
    }
    if (taken === null) return;
    const { candidate } = taken;
    weight *=
      exploring === null
        ? (ranking.chanceOf?.(candidate) ?? Number(picked.candidate === candidate))
        : exploring.chanceOf(place, picked, candidate, left, ranking);
    if (weight === 0) return;
    hits[step] = hits[step]! + weight;
    if (ranking.took !== undefined) ranking.took(candidate);
  }
}
