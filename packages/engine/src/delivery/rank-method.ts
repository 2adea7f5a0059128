import type { JsonObject } from '../compile/config-problems.ts';
import type { Candidate, Run } from '../run.ts';

/** A rank method of a plan; one file and one line of `rank-methods.ts` each. */
export interface RankMethodKind {
  readonly name: string;
  compile(config: JsonObject): RankMethod;
}

export interface RankMethod {
  readonly name: string;
  /** Starts one answer. */
  begin(run: Run): Ranking;
}

export interface Ranking {
  /** The next item among the candidates left for a slot; null when none is left. */
  next(left: (candidate: Candidate) => boolean): RankedPick | null;
}

export interface RankedPick {
  readonly candidate: Candidate;
  readonly pick: Pick;
}

export interface Pick {
  /** Chance of this pick given the candidates left; 1 without chance. */
  readonly probability: number;
  readonly estimated: boolean;
  readonly explored: boolean;
}

/** A pick without chance. */
export const certain: Pick = { probability: 1, estimated: false, explored: false };
