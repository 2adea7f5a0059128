import type { JsonObject } from '../compile/config-problems.ts';
import type { Candidate, Run } from '../run.ts';

/** A rank method of a plan; one file and one line of `rank-methods.ts` each. */
export interface RankMethodKind {
  readonly name: string;
  compile(config: JsonObject): RankMethod;
}

export interface RankMethod {
  readonly name: string;
  /** What stands in its place when nothing is left to chance; absent: it draws nothing. */
  readonly greedy?: RankMethod;
  /** Starts one answer. */
  begin(run: Run): Ranking;
}

export interface Ranking {
  /**
   * The next item among the candidates left for a slot; null when none is left. Exploration may put another in its place,
   * so a method that depends on what was chosen waits for `took`.
   */
  next(left: (candidate: Candidate) => boolean): RankedPick | null;
  /** True: its pick stands before all others that are left. */
  readonly picksFirst?: true;
  /** Told what was taken. */
  readonly took?: (candidate: Candidate) => void;
  /** True: a limit of the method holds this candidate back at the slot that `next` was last asked for. */
  readonly waits?: (candidate: Candidate) => boolean;
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
}

/** A pick without chance. */
export const certain: Pick = { probability: 1, estimated: false, explored: false };
