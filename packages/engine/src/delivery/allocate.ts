import type { Candidate } from '../plan/candidate.ts';
import type { Gate } from '../plan/drop-reason.ts';
import type { PlanOffer } from '../plan/offer.ts';
import type { Grouping, Pick, RankedPick, RankMethod } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { TargetSlot } from '../plan/target.ts';
import { standsBefore } from '../stages/candidates.ts';
import { assign } from './assignment.ts';
import { beginExploring } from './explore.ts';
import { watchModelChance } from './model-chance.ts';
import { certain } from './rank-method.ts';
import { topN } from './top-n.ts';

/** What allocation needs to know about the answer in progress. */
export interface Allocating {
  readonly run: Run;
  readonly group: Grouping;
  readonly slots: readonly TargetSlot[];
  /** Maximum items per slot, and how many each already has. */
  readonly rooms: readonly number[];
  filled(slot: number): number;
  /** Items that the answer still has room for. */
  left(): number;
  take(slot: number, candidate: Candidate, pick: Pick): void;
}

/**
 * The rank method orders twice as many candidates as there are slots, and at least this many. After them, list order
 * applies.
 */
const minDepth = 20;

/** Slots that are allocated together: as many as an answer can have items. */
const maxRows = 50;

/**
 * Fills the placements from the ranked list. Each slot gets its allocated candidate, unless a counting limit has
 * removed that one; an empty slot takes the next candidate that fits and that no other slot waits for
 * (docs/design/api-decisioning.md 10, group). Returns the random draws in delivery order; null when there are none.
 */
export function allocate(work: Allocating, method: RankMethod, rankCut: number): readonly RankedPick[] | null {
  const { group, slots, rooms } = work;
  const ranked = rankCandidates(work, method, rankCut);
  const planned = group.allocation === 'greedy' ? slots.map(() => []) : plan(work, ranked);
  /** Candidates that a slot waits for, so that no other slot takes their offer. */
  const awaited = new Set<PlanOffer | Candidate>();
  const nameOf = (candidate: Candidate): PlanOffer | Candidate => (group.uniqueOffers ? candidate.offer : candidate);
  for (const candidates of planned) for (const candidate of candidates) awaited.add(nameOf(candidate));
  const draws: RankedPick[] = [];
  const take = (slot: number, candidate: Candidate): void => {
    const pick = ranked.pickOf(candidate);
    draws.push({ candidate, pick });
    work.take(slot, candidate, pick);
  };
  for (let slot = 0; slot < slots.length; slot++) {
    for (const candidate of planned[slot]!) {
      awaited.delete(nameOf(candidate));
      if (work.left() > 0 && isFree(candidate)) take(slot, candidate);
    }
    while (work.left() > 0 && work.filled(slot) < rooms[slot]!) {
      const next = ranked.first(slot, (candidate) => isFree(candidate) && !awaited.has(nameOf(candidate)));
      if (next === null) break;
      take(slot, next);
    }
  }
  if (ranked.byChance && work.run.forced !== null) work.run.forced.drewOrder();
  return ranked.byChance ? draws : null;
}

const isFree = ({ reason, taken }: Candidate): boolean => reason === null && !taken;

/** The ranked list as the placements see it. */
interface PlacementOrder {
  /** True when `a` is ranked before `b`, both of one placement. */
  before(a: Candidate, b: Candidate): boolean;
  /** True when the offer of `a` is ranked before that of `b`. */
  offerBefore(a: Candidate, b: Candidate): boolean;
  value(candidate: Candidate): number;
  pickOf(candidate: Candidate): Pick;
  /** Best of a placement that fulfils the condition; null when none does. */
  first(slot: number, condition: (candidate: Candidate) => boolean): Candidate | null;
  readonly byChance: boolean;
}

/**
 * Ranks the offers, each by its best candidate. After `topN` without chance a candidate is worth its score; else its place in
 * the list, `(n + 1 - position)/n`, so that the order of the method is honoured.
 */
function rankCandidates({ run, rooms }: Allocating, method: RankMethod, rankCut: number): PlacementOrder {
  const { list, scratch } = run;
  const { score } = scratch.columns;
  const best = bestOfOffers(run);
  const isCertain = run.holdout || run.probe?.greedy === true;
  const exploring = isCertain || run.program.explore === null ? null : beginExploring(run, run.program.explore);
  const first = (before: PlacementOrder['before']): PlacementOrder['first'] => {
    return (slot, condition) => {
      let found: Candidate | null = null;
      for (const candidate of list) {
        if (candidate.slot !== slot || (found !== null && !before(candidate, found))) continue;
        if (condition(candidate)) found = candidate;
      }
      return found;
    };
  };
  const own = (a: Candidate, b: Candidate): boolean => standsBefore(run, a, b);
  const bestOf = (candidate: Candidate): Candidate => best.get(candidate.offer) ?? candidate;
  // Where a model drew the scores, what the placements get depends on the order that it made.
  const chance = isCertain ? null : watchModelChance(run, method, exploring);
  if (method === topN && exploring === null && chance === null) {
    if (rankCut < best.size) cutBehind(run, [...best.values()].sort(byStanding(run)), rankCut);
    return {
      before: own,
      offerBefore: (a, b) => own(bestOf(a), bestOf(b)),
      value: ({ at }) => score[at]!,
      pickOf: () => certain,
      first: first(own),
      byChance: false,
    };
  }
  const picks = new Map<PlanOffer, Pick>();
  const order: Candidate[] = [];
  const ranking = method.begin(run);
  const left = (candidate: Candidate): boolean =>
    isFree(candidate) && best.get(candidate.offer) === candidate && !picks.has(candidate.offer);
  const depth = Math.min(rankCut, Math.max(minDepth, 2 * rooms.reduce((sum, room) => sum + room, 0)));
  while (order.length < depth) {
    if (chance !== null) chance.asked(null, order.length + 1, left);
    let picked = ranking.next(left, order.length + 1);
    if (picked === null) break;
    if (exploring !== null) picked = exploring.next(order.length + 1, picked, left, ranking);
    const { candidate, pick } = picked;
    if (ranking.took !== undefined) ranking.took(candidate);
    if (chance !== null) chance.took(picked);
    order.push(candidate);
    picks.set(candidate.offer, pick);
  }
  if (chance !== null) chance.settle().forEach((pick, at) => void picks.set(order[at]!.offer, pick));
  order.push(...[...best.values()].filter(({ offer }) => !picks.has(offer)).sort(byStanding(run)));
  if (rankCut < order.length) cutBehind(run, order, rankCut);
  const position = new Map(order.map(({ offer }, at) => [offer, at]));
  const count = Math.min(rankCut, order.length);
  const before = (a: Candidate, b: Candidate): boolean => position.get(a.offer)! < position.get(b.offer)!;
  const byScore = method === topN && exploring === null;
  return {
    before: byScore ? own : before,
    offerBefore: before,
    value: byScore ? ({ at }) => score[at]! : ({ offer }) => (count - position.get(offer)!) / count,
    pickOf: ({ offer }) => picks.get(offer) ?? certain,
    first: first(byScore ? own : before),
    byChance: exploring !== null || chance !== null || [...picks.values()].some(({ probability }) => probability !== 1),
  };
}

const byStanding =
  (run: Run) =>
  (a: Candidate, b: Candidate): number =>
    standsBefore(run, a, b) ? -1 : 1;

function bestOfOffers(run: Run): Map<PlanOffer, Candidate> {
  const best = new Map<PlanOffer, Candidate>();
  for (const candidate of run.list) {
    if (!isFree(candidate)) continue;
    const known = best.get(candidate.offer);
    if (known === undefined || standsBefore(run, candidate, known)) best.set(candidate.offer, candidate);
  }
  return best;
}

/** Marks what the rank node cut, so that a trace can tell it from what found no placement. */
export const cutByRank: Gate = { ruleId: null, policyId: null, detail: null };

/** The rank node's own cut: offers behind it are in no placement. */
function cutBehind(run: Run, order: readonly Candidate[], cut: number): void {
  const passing = new Set(order.slice(0, cut).map(({ offer }) => offer));
  for (const candidate of run.list) {
    if (!isFree(candidate) || passing.has(candidate.offer)) continue;
    candidate.reason = 'cut';
    candidate.gate = cutByRank;
  }
}

/**
 * Returns the optimal allocation: each slot's candidates, best first. A slot's row needs no more columns than there are
 * rows, because the others can't take more than that from it.
 */
function plan(work: Allocating, ranked: PlacementOrder): readonly (readonly Candidate[])[] {
  const { run, group, slots, rooms } = work;
  const rowSlots: number[] = [];
  // All slots count, even those that the answer's limit leaves empty: it ends along the slots.
  let open = maxRows;
  const fitting = slots.map((_, slot) => {
    const room = Math.max(0, rooms[slot]! - work.filled(slot));
    return { room, candidates: fittingOf(run, ranked, slot, maxRows) };
  });
  for (const [slot, { room, candidates }] of fitting.entries()) {
    const rows = Math.min(room, candidates.length, open);
    for (let row = 0; row < rows; row++) rowSlots.push(slot);
    open -= rows;
  }
  const nearest = fitting.map(({ candidates }) => candidates.slice(0, rowSlots.length));
  const columns = columnsOf(nearest.flat(), group.uniqueOffers, ranked);
  const columnOf = new Map(columns.map((column, at) => [column.name, at]));
  const values = new Float64Array(rowSlots.length * columns.length).fill(Number.NaN);
  const bySlot = nearest.map((candidates) => {
    const own = new Map<number, Candidate>();
    for (const candidate of candidates) {
      own.set(columnOf.get(group.uniqueOffers ? candidate.offer : candidate)!, candidate);
    }
    return own;
  });
  for (const [row, slot] of rowSlots.entries()) {
    const weight = group.weights.get(slots[slot]!.placement.id) ?? 1;
    for (const [column, candidate] of bySlot[slot]!) {
      values[row * columns.length + column] = weight * ranked.value(candidate);
    }
  }
  const planned: Candidate[][] = slots.map(() => []);
  for (const [row, column] of assign(rowSlots.length, columns.length, values).entries()) {
    const slot = rowSlots[row]!;
    const candidate = bySlot[slot]!.get(column);
    if (candidate !== undefined) planned[slot]!.push(candidate);
  }
  for (const candidates of planned) candidates.sort((a, b) => (ranked.before(a, b) ? -1 : 1));
  return planned;
}

/** The first `most` of a placement, in rank order, in one pass over the list. */
function fittingOf(run: Run, ranked: PlacementOrder, slot: number, most: number): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const candidate of run.list) {
    if (candidate.slot !== slot || !isFree(candidate)) continue;
    let place = found.length;
    if (place === most && !ranked.before(candidate, found[most - 1]!)) continue;
    while (place > 0 && ranked.before(candidate, found[place - 1]!)) place -= 1;
    found.splice(place, 0, candidate);
    if (found.length > most) found.pop();
  }
  return found;
}

/** Columns in rank order: offers where each is shown once, else candidates. */
function columnsOf(
  candidates: readonly Candidate[],
  uniqueOffers: boolean,
  ranked: PlacementOrder,
): readonly { readonly name: PlanOffer | Candidate }[] {
  const named = new Map<PlanOffer | Candidate, Candidate>();
  for (const candidate of candidates) named.set(uniqueOffers ? candidate.offer : candidate, candidate);
  const earlier = (a: Candidate, b: Candidate): number => {
    if (a.offer === b.offer) return a.slot - b.slot;
    return ranked.offerBefore(a, b) ? -1 : 1;
  };
  return [...named].sort(([, a], [, b]) => earlier(a, b)).map(([name]) => ({ name }));
}
