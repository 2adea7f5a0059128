import { noTargets } from './delivery/known-targets.ts';
import { createOfferColumns } from './offer-columns.ts';
import type { Candidate } from './plan/candidate.ts';
import type { PlanOffer } from './plan/offer.ts';
import { NONE } from './plan/ordinals.ts';
import type { Program } from './plan/program.ts';
import type { BetaColumns, CandidateColumns, Scratch } from './plan/scratch.ts';
import { createLaneScratch } from './policies/lane-view.ts';
import { createTally, openTally } from './policies/tally.ts';

/** Largest `poolSize` of a rank node. */
const largestPool = 50;

const createBetas = (): BetaColumns => ({
  a: new Float64Array(largestPool),
  b: new Float64Array(largestPool),
  score: new Float64Array(largestPool),
  propensity: new Float64Array(largestPool),
  exponent: new Float64Array(largestPool),
});

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
