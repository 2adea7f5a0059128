import { ln } from '../arithmetic/ln.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { ForcedWalk } from '../plan/forced.ts';
import type { PlanCreative } from '../plan/offer.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Program } from '../plan/program.ts';
import type { Run } from '../plan/run.ts';
import type { Target } from '../plan/target.ts';
import { creativesOf } from '../policies/lane-view.ts';
import {
  addTally,
  hasTally,
  raiseTally,
  rowOfCreativeLast,
  rowOfCreativeToday,
  tallyOf,
  tallyReaches,
} from '../policies/tally.ts';
import { h32After, hashState } from '../random/hash.ts';
import { SHARED } from '../scratch.ts';
import { leave } from '../stages/candidates.ts';

export interface MatchSettings {
  readonly requireCreative: boolean;
  /**
   * With a placement: `exact` allows only bound creatives, `any` bound or wildcard ones, `none` ignores the placement.
   */
  readonly mode: 'exact' | 'any' | 'none';
  /** Channels of the node; null: all. */
  readonly channels: Uint8Array | null;
}

const hourMs = 3_600_000;

/**
 * Chooses the candidate's creative: the only usable one, or the one with the largest `ln(x)/weight`, `x =
 * (h32("creative:" offerId ":" customerId ":" creativeId) + 0.5)/2^32`, ties by id, so that a customer keeps a variant
 * (docs/design/api-decisioning.md 10). Without one, the candidate gets its reason.
 */
export function pickCreative(run: Run, candidate: Candidate, settings: MatchSettings): void {
  const { creatives } = candidate.offer;
  let only: PlanCreative | null = null;
  let several: PlanCreative[] | null = null;
  let constraint = false;
  let targeting = false;
  for (let at = 0; at < creatives.length; at++) {
    const creative = creatives[at]!;
    if (!reaches(run, creative, settings, candidate.slot)) continue;
    const place = placeOf(run, creative, settings, candidate.slot);
    if (place === 'elsewhere') continue;
    if (place === 'closed') {
      targeting = true;
    } else if (creative.constrained && constraintBlocks(run, creative, 0)) {
      constraint = true;
    } else if (only === null) {
      only = creative;
    } else {
      several ??= [only];
      several.push(creative);
    }
  }
  // When a candidate is asked again for another placement, its first choice doesn't count.
  run.scratch.columns.known[candidate.at] = run.scratch.columns.known[candidate.at]! & ~SHARED;
  candidate.creative = only;
  candidate.channel = only === null ? NONE : only.channel;
  if (several !== null) choose(run, candidate, several);
  if (candidate.creative === null) {
    if (settings.requireCreative || candidate.slot >= 0) {
      leave(run, candidate, constraint ? 'creative_constraint' : targeting ? 'placement_targeting' : 'no_creative');
    }
    return;
  }
  candidate.priority = candidate.creative.priorityOverride ?? candidate.offerPriority;
  candidate.placementId = placementFor(run, candidate.creative, candidate.slot);
}

/** Instead of a position in `program.creatives`: the choice depends on the customer or the request. */
export const ASK = -2;

/**
 * For a request without placements or excluded creatives: by offer number, the position of the creative that
 * everyone gets; NONE when no creative fits, ASK when `pickCreative` must decide.
 */
export function fixedChoices(program: Program, target: Target, settings: MatchSettings): Int32Array {
  return Int32Array.from(program.offers, ({ creatives }) => {
    let choice = NONE;
    for (const { at, weight, channel, placement, priorityOverride, constrained } of creatives) {
      if (weight <= 0) continue;
      if (settings.channels !== null && settings.channels[channel] !== 1) continue;
      if (target.channels !== null && target.channels[channel] !== 1) continue;
      if (choice !== NONE || constrained || placement !== NONE || priorityOverride !== null) return ASK;
      choice = at;
    }
    return choice;
  });
}

/** Whether the node lets the creative through that the candidate was given before. */
export function mayKeep(run: Run, { creative, slot }: Candidate, settings: MatchSettings): boolean {
  if (creative === null) return !settings.requireCreative;
  return reaches(run, creative, settings, slot) && placeOf(run, creative, settings, slot) === 'fits';
}

function reaches(run: Run, creative: PlanCreative, settings: MatchSettings, slot: number): boolean {
  if (creative.weight <= 0) return false;
  const { channel } = creative;
  if (settings.channels !== null && settings.channels[channel] !== 1) return false;
  if (run.target.channels !== null && run.target.channels[channel] !== 1) return false;
  if (slot >= 0 && run.target.slots![slot]!.channel !== channel) return false;
  return run.excludedCreatives === null || !run.excludedCreatives.has(creative.id);
}

/** Returns whether the creative can be shown at a requested placement, and whether that placement takes anything. */
function placeOf(
  run: Run,
  creative: PlanCreative,
  { mode }: MatchSettings,
  slot: number,
): 'fits' | 'elsewhere' | 'closed' {
  const { slots, placements } = run.target;
  if (slot >= 0) {
    const wanted = slots![slot]!.placementNumber;
    const bound = creative.placement === wanted;
    if (mode === 'exact' ? !bound : mode === 'any' && !bound && creative.placement !== NONE) return 'elsewhere';
    return isOpen(run, wanted) ? 'fits' : 'closed';
  }
  if (placements === null || mode === 'none') {
    return creative.placement === NONE || isOpen(run, creative.placement) ? 'fits' : 'closed';
  }
  if (creative.placement !== NONE) {
    if (!placements.includes(creative.placement)) return 'elsewhere';
    return isOpen(run, creative.placement) ? 'fits' : 'closed';
  }
  if (mode === 'exact') return 'elsewhere';
  return placements.some(
    (placement) => run.program.placementChannel[placement] === creative.channel && isOpen(run, placement),
  )
    ? 'fits'
    : 'closed';
}

/** Placement an item of this creative is shown at, as far as it is known. */
function placementFor(run: Run, creative: PlanCreative, slot: number): string | null {
  const { slots, placements } = run.target;
  const { program } = run;
  if (slot >= 0) return slots![slot]!.placement.id;
  if (placements === null) return creative.placement === NONE ? null : program.placements[creative.placement]!.id;
  if (creative.placement !== NONE && placements.includes(creative.placement))
    return program.placements[creative.placement]!.id;
  const first = placements.find(
    (number) => program.placementChannel[number] === creative.channel && isOpen(run, number),
  );
  return first === undefined ? null : program.placements[first]!.id;
}

/** Returns whether a placement's targeting admits this request. Evaluated once per placement and decision. */
export function isOpen(run: Run, placement: number): boolean {
  const known = run.openPlacements[placement];
  if (known !== undefined) return known;
  const open = run.program.targeting[placement]?.(run) ?? true;
  run.openPlacements[placement] = open;
  return open;
}

/** True when every placement of a single-placement request refuses this request by its targeting. */
export function targetingClosesAll(run: Run): boolean {
  const { placements } = run.target;
  return placements !== null && !placements.some((placement) => isOpen(run, placement));
}

const creativeState = hashState('creative:');

function choose(run: Run, candidate: Candidate, usable: readonly PlanCreative[]): void {
  // With thousands of offers, this hash is most of a decision, so hash what an offer's creatives share once.
  const state = hashState(`:${run.request.customerId}:`, hashState(candidate.offer.id, creativeState));
  let best = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let weight = 0;
  const shown = run.forced === null ? undefined : shownBefore(run, run.forced, candidate, usable);
  for (const creative of usable) {
    const x = (h32After(state, creative.id) + 0.5) / 4294967296;
    const key = ln(x) / creative.weight;
    sum += creative.weight;
    if (shown === undefined ? key <= best : creative !== shown) continue;
    best = key;
    weight = creative.weight;
    candidate.creative = creative;
    candidate.channel = creative.channel;
  }
  const { columns } = run.scratch;
  columns.creativeShare[candidate.at] = weight / sum;
  columns.known[candidate.at] = columns.known[candidate.at]! | SHARED;
}

/** Returns the creative of the answer that the walk follows, if the candidate could show it. */
function shownBefore(
  run: Run,
  forced: ForcedWalk,
  { at, offer, slot }: Candidate,
  usable: readonly PlanCreative[],
): PlanCreative | undefined {
  forced.usable.set(at, usable);
  const placementId = slot < 0 ? null : run.target.slots![slot]!.placement.id;
  const wanted = forced.creativeOf(offer.id, placementId);
  return usable.find(({ id }) => id === wanted);
}

/** `frequencyCapPerDay` counts the tenant's day, `cooldownHours` the latest contact. `taken`: items of this answer. */
export function constraintBlocks(run: Run, creative: PlanCreative, taken: number): boolean {
  const { frequencyCapPerDay, cooldownHours } = creative.row.constraints;
  const { tally } = run.scratch;
  if (!run.creativesCounted) countCreatives(run);
  if (
    frequencyCapPerDay !== undefined &&
    tallyReaches(tally, rowOfCreativeToday, creative.ordinal, frequencyCapPerDay - taken)
  )
    return true;
  return (
    cooldownHours !== undefined &&
    hasTally(tally, rowOfCreativeLast, creative.ordinal) &&
    run.now - tallyOf(tally, rowOfCreativeLast, creative.ordinal) < cooldownHours * hourMs
  );
}

/** Tallies the contacts of this customer by creative. */
function countCreatives(run: Run): void {
  run.creativesCounted = true;
  const { lanes } = run;
  const { tally } = run.scratch;
  const first = run.program.dayWindow * lanes.size;
  for (let lane = 0; lane < lanes.size; lane++) {
    const creative = creativesOf(lanes)[lane]!;
    if (creative < 0) continue;
    addTally(tally, rowOfCreativeToday, creative, lanes.counts[first + lane]!, 0);
    raiseTally(tally, rowOfCreativeLast, creative, lanes.lastAt, lane);
  }
}
