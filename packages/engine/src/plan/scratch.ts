import type { Candidate } from './candidate.ts';
import type { LaneScratch } from './lanes.ts';
import type { KnownTargets } from './target.ts';

/**
 * Working memory of a plan's decisions, reused to produce little garbage. `decide` is synchronous, so two decisions
 * never use it at once. Nothing of it is handed out, and each decision sets up every part that it uses, so one that
 * throws harms no other.
 */
export interface Scratch {
  /** Decisions of the plan so far. Tells values of this decision from leftovers of others. */
  decisions: number;
  readonly tally: Tally;
  readonly lanes: LaneScratch;
  readonly outcomes: LaneScratch;
  readonly offers: OfferColumns;
  readonly candidates: Candidate[];
  /** Numbers of the candidates by `candidate.at`; doubles in objects would be allocated one by one. */
  columns: CandidateColumns;
  /** Channel by position in `program.creatives`. */
  readonly creativeChannel: Int32Array;
  readonly targets: KnownTargets;
  /** The normal list; its length is set by inventory. */
  readonly list: Candidate[];
  /** Result of the latest `candidatesInScope`. */
  readonly selection: { items: readonly Candidate[]; count: number };
  readonly found: Candidate[];
  /** The best candidates of the list, best first. */
  readonly best: Candidate[];
  /** What exploration draws from. */
  readonly pool: Candidate[];
  /** What a strategy of `explore_exploit` chooses from, a number for each, and the inputs of thompson's draws. */
  readonly rankPool: Candidate[];
  readonly poolNumbers: Float64Array;
  readonly betas: BetaColumns;
  /** Evidence by offer number, as far as it was looked up; good while `input.evidence.pairsOf` is `pairsOf`. */
  pairs: (readonly [positives: number, negatives: number] | undefined)[];
  pairsOf: object | null;
  /** By position in `program.policies`: 1 when some stage asked it. */
  readonly asked: Uint8Array;
  /** By category number + 1: prior of an offer without evidence of its own; source 0: not computed yet. */
  readonly priorSource: Uint8Array;
  readonly priorValue: Float64Array;
  /** By number of the plan's models, once used: scores by offer number, and the decision that they belong to. */
  readonly modelTables: ({ readonly scores: Float64Array; readonly known: Float64Array } | undefined)[];
  /** By channel number; by interest number. */
  readonly channelParts: Float64Array;
  readonly interests: Uint8Array;
}

/** By position in `rankPool`: the shapes of the Beta distribution, the score, P and the exponent of P in the score. */
export interface BetaColumns {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly score: Float64Array;
  readonly propensity: Float64Array;
  readonly exponent: Float64Array;
}

/** Few and narrow: with thousands of candidates each further column costs as much as the work it saves. */
export interface CandidateColumns {
  readonly size: number;
  /** What's known of the candidate, as the bits below. */
  readonly known: Uint8Array;
  readonly score: Float64Array;
  /** Product of the penalties of failed match rules; with FITTED, else 1. */
  readonly fit: Float64Array;
  /** Share of the creative among the usable ones; with SHARED, else 1. */
  readonly creativeShare: Float64Array;
  /** With PROPENSITY: P and its source (position in `propensitySources`). */
  readonly propensity: Float64Array;
  readonly source: Uint8Array;
}

/**
 * What scores need of every offer, by its number: in columns, because with thousands of offers each object is a cache
 * miss.
 */
export interface OfferColumns {
  readonly category: Int32Array;
  /** Half the business value in hundredths: its part of impact. */
  readonly worth: Float64Array;
  /** NaN: none. */
  readonly margin: Float64Array;
  readonly revenue: Float64Array;
  /** Interest numbers of offer n: `interests[from[n]]` to before `interests[from[n + 1]]`. */
  readonly from: Int32Array;
  readonly interests: Int32Array;
}

/**
 * Sums of one decision by row and bucket: a row is one limit of one assignment (`builder.rows`), a bucket is what it's
 * narrowed to. Part of a plan's scratch; `openTally` empties it without touching its entries.
 */
export interface Tally {
  /** Marks entries that belong to the current decision. */
  stamp: number;
  used: number;
  /** Places - 1; their number is a power of two. */
  mask: number;
  stamps: Int32Array;
  rows: Int32Array;
  buckets: Int32Array;
  values: Float64Array;
}
