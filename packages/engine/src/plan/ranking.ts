import type { Candidate } from './candidate.ts';
import type { Run } from './run.ts';

export interface RankMethod {
  readonly name: string;
  /** Replaces the method where randomness isn't allowed; absent for methods without it. */
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
  /** Candidates with such a probability at the slot of the last `next` call. Comes with `chanceOf`. */
  readonly choices?: () => readonly Candidate[];
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

/** The group node of a plan (docs/design/api-decisioning.md 8). */
export interface Grouping {
  readonly nodeId: string;
  readonly allocation: 'optimal' | 'greedy';
  /** Used for requests without a placement; null: none. */
  readonly placements: readonly { readonly placementId: string; readonly maxSlots: number | null }[] | null;
  /** By placement id; 1 if missing. */
  readonly weights: ReadonlyMap<string, number>;
  /** True: an offer once per answer; false: once per placement. */
  readonly uniqueOffers: boolean;
}

/** Adds chance around a flow's rank method, so that we can estimate what would have happened otherwise (docs/adr/0019). */
export interface Explore {
  /** Chance of a slot to be drawn from the pool, 0 to 0.2. */
  readonly rate: number;
  readonly poolSize: number;
  readonly fromRank: number;
  /** By channel number: 1 where it explores; null: everywhere. */
  readonly channels: Uint8Array | null;
}

/** An item of the answer. */
export interface TakenItem {
  readonly candidate: Candidate;
  readonly placementId: string | null;
  readonly mandatory: boolean;
  /** Where a model drew the scores, its probability is known once the answer is filled. */
  pick: Pick;
}

/** Items by slot in delivery order; requests without `placements` have one slot. */
export type Delivery = readonly (readonly TakenItem[])[];

export interface Walked {
  readonly delivery: Delivery;
  /**
   * Picks that may be random, in order. Coupling and quota may take some of them back. Null: nothing by chance.
   */
  readonly draws: readonly RankedPick[] | null;
}
