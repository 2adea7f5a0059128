import type { JsonObject } from '../compile/config-problems.ts';
import type { Candidate, Run } from '../run.ts';

/** A rank method of a plan; one file and one line of `rank-methods.ts` each. */
export interface RankMethodKind {
  readonly name: string;
  compile(config: JsonObject): RankMethod;
}

export interface RankMethod {
  readonly name: string;
  /** Replaces the method when nothing may be left to chance; absent: it draws nothing. */
  readonly greedy?: RankMethod;
  /** How `explore_exploit` chooses, as named in `selection.method`; absent: the method leaves nothing to chance. */
  readonly strategy?: string;
  /** True when the order depends on evidence, whatever the score method does. */
  readonly readsEvidence?: boolean;
  /** Starts one answer. */
  begin(run: Run): Ranking;
}

export interface Ranking {
  /**
   * Returns the next item among the candidates left for a slot; null when none is left. Exploration may replace it, so
   * a method that depends on what was chosen waits for `took`. `place`: 1 for the first item of the answer.
   */
  next(left: (candidate: Candidate) => boolean, place: number): RankedPick | null;
  /** True: its pick comes before all others that are left. */
  readonly picksFirst?: true;
  /** Called with what was taken. */
  readonly took?: (candidate: Candidate) => void;
  /** True: a limit of the method holds this candidate back at the slot of the last `next` call. */
  readonly waits?: (candidate: Candidate) => boolean;
  /** Probability of this candidate at the slot of the last `next` call; absent: 1 for the pick, 0 for all others. */
  readonly chanceOf?: (candidate: Candidate) => number;
}

export interface RankedPick {
  readonly candidate: Candidate;
  readonly pick: Pick;
}

export interface Pick {
  /** Chance of this item in this slot given the candidates left; 1 without chance. */
  readonly probability: number;
  readonly estimated: boolean;
  readonly explored: boolean;
  /** Repetitions that an estimated probability was counted in; absent: it is exact. */
  readonly draws?: number;
}

/** A pick without chance. */
export const certain: Pick = { probability: 1, estimated: false, explored: false };
