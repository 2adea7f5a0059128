import type { PlanOffer } from './compile/catalogue.ts';
import { NONE, type Program } from './compile/plan.ts';
import { type KnownTargets, noTargets } from './delivery/known-targets.ts';
import { createOfferColumns, type OfferColumns } from './offer-columns.ts';
import { createLaneScratch, type LaneScratch } from './policies/lane-view.ts';
import { createTally, openTally, type Tally } from './policies/tally.ts';
import type { Candidate } from './run.ts';

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
interface BetaColumns {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly score: Float64Array;
  readonly propensity: Float64Array;
  readonly exponent: Float64Array;
}

/** Largest `poolSize` of a rank node. */
const largestPool = 50;

const createBetas = (): BetaColumns => ({
  a: new Float64Array(largestPool),
  b: new Float64Array(largestPool),
  score: new Float64Array(largestPool),
  propensity: new Float64Array(largestPool),
  exponent: new Float64Array(largestPool),
});

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

export const PROPENSITY = 1;
export const FITTED = 2;
export const SHARED = 4;
/** P was drawn by a model. */
export const DRAWN = 8;

export function fitOf(columns: CandidateColumns, at: number): number {
  return (columns.known[at]! & FITTED) === 0 ? 1 : columns.fit[at]!;
}

export function creativeShareOf(columns: CandidateColumns, at: number): number {
  return (columns.known[at]! & SHARED) === 0 ? 1 : columns.creativeShare[at]!;
}

const scratches = new WeakMap<Program, Scratch>();

export function scratchOf(program: Program): Scratch {
  let scratch = scratches.get(program);
  if (scratch === undefined) {
    scratch = {
      decisions: 0,
      tally: createTally(),
      lanes: createLaneScratch(),
      outcomes: createLaneScratch(),
      offers: createOfferColumns(program.offers),
      candidates: [],
      columns: createColumns(0),
      creativeChannel: Int32Array.from(program.creatives, ({ channel }) => channel),
      targets: noTargets(),
      list: [],
      selection: { items: [], count: 0 },
      found: [],
      best: [],
      pool: [],
      rankPool: [],
      poolNumbers: new Float64Array(largestPool),
      betas: createBetas(),
      pairs: [],
      pairsOf: null,
      asked: new Uint8Array(program.policies.length),
      priorSource: new Uint8Array(program.ordinals.category.size + 1),
      priorValue: new Float64Array(program.ordinals.category.size + 1),
      modelTables: [],
      channelParts: new Float64Array(program.channels.length),
      interests: new Uint8Array(program.interestNumber.size),
    };
    scratches.set(program, scratch);
  }
  scratch.decisions += 1;
  openTally(scratch.tally);
  scratch.asked.fill(0);
  scratch.priorSource.fill(0);
  return scratch;
}

/** Makes room for `count` candidates. New ones hold `offer` until they're used. */
export function reserve(scratch: Scratch, count: number, offer: PlanOffer): void {
  const { candidates } = scratch;
  for (let at = candidates.length; at < count; at++) candidates.push(newCandidate(at, offer));
  if (scratch.columns.size >= count) return;
  const old = scratch.columns;
  const columns = createColumns(Math.max(count, old.size * 2));
  for (const name of doubles) columns[name].set(old[name]);
  columns.known.set(old.known);
  columns.source.set(old.source);
  scratch.columns = columns;
}

const doubles = ['score', 'fit', 'creativeShare', 'propensity'] as const;

function createColumns(size: number): CandidateColumns {
  return {
    size,
    known: new Uint8Array(size),
    score: new Float64Array(size),
    fit: new Float64Array(size),
    creativeShare: new Float64Array(size),
    propensity: new Float64Array(size),
    source: new Uint8Array(size),
  };
}

/** Candidate number `at`, reset for an offer. There must be room for it. */
export function takeCandidate(scratch: Scratch, at: number, offer: PlanOffer): Candidate {
  const candidate = scratch.candidates[at]!;
  const { columns } = scratch;
  columns.known[at] = 0;
  // Most are as the previous decision left them, and comparing costs less than writing.
  if (candidate.offer !== offer) {
    candidate.offer = offer;
    candidate.ordinal = offer.ordinal;
    candidate.offerPriority = offer.priority;
  }
  if (candidate.creative !== null) {
    candidate.creative = null;
    candidate.channel = NONE;
  }
  if (candidate.slot !== -1) candidate.slot = -1;
  if (candidate.placementId !== null) candidate.placementId = null;
  if (candidate.priority !== candidate.offerPriority) candidate.priority = candidate.offerPriority;
  if (candidate.reason !== null) candidate.reason = null;
  if (candidate.gate !== null) candidate.gate = null;
  if (candidate.taken) candidate.taken = false;
  if (candidate.origin !== 0) candidate.origin = 0;
  return candidate;
}

/** Gives a candidate the fit of another. */
export function copyFit({ columns }: Scratch, at: number, from: number): void {
  if ((columns.known[from]! & FITTED) === 0) return;
  columns.fit[at] = columns.fit[from]!;
  columns.known[at] = columns.known[at]! | FITTED;
}

/** A further candidate for the same offer, with all that is known of the first. */
export function copyCandidate(scratch: Scratch, at: number, from: Candidate): Candidate {
  const copy = takeCandidate(scratch, at, from.offer);
  const { columns } = scratch;
  for (const name of doubles) columns[name][at] = columns[name][from.at]!;
  columns.known[at] = columns.known[from.at]!;
  columns.source[at] = columns.source[from.at]!;
  copy.creative = from.creative;
  copy.channel = from.channel;
  copy.slot = from.slot;
  copy.placementId = from.placementId;
  copy.priority = from.priority;
  copy.origin = from.origin;
  copy.reason = from.reason;
  copy.gate = from.gate;
  copy.taken = from.taken;
  return copy;
}

function newCandidate(at: number, offer: PlanOffer): Candidate {
  return {
    at,
    offer,
    ordinal: offer.ordinal,
    offerPriority: offer.priority,
    creative: null,
    channel: NONE,
    slot: -1,
    placementId: null,
    priority: offer.priority,
    origin: 0,
    reason: null,
    gate: null,
    taken: false,
  };
}
