import { inScope } from '../compile/scopes.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Chances, ForcedPlace } from '../plan/forced.ts';
import type { DecisionRequest } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { Grouping, RankedPick, Ranking, RankMethod, TakenItem, Walked } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { Target, TargetSlot } from '../plan/target.ts';
import { describe } from '../policies/ask-policies.ts';
import { budgetGate, budgetReached } from '../policies/offer-budget.ts';
import { offerCapReached } from '../policies/offer-caps.ts';
import { isAskedOf, isLifted } from '../policies/policy-stage.ts';
import { countVolumes } from '../policies/volumes.ts';
import { countBlock } from '../stages/candidates.ts';

import { allocate } from './allocate.ts';
import { beginExploring, type Exploring, ownChances } from './explore.ts';
import { watchModelChance } from './model-chance.ts';
import { constraintBlocks, isOpen } from './pick-creative.ts';
import { certain } from './rank-method.ts';

/**
 * Builds the answer: mandatory offers first, then what the rank method yields. Before each choice, candidates that a
 * counting limit no longer admits after the items taken leave, so that later ones move up
 * (docs/design/api-decisioning.md 10, delivery walk).
 */
export function deliver(run: Run, method: RankMethod): Walked {
  const { slots } = run.target;
  const limit = limitOf(run.plan, run.request);
  const cut = run.maxItems;
  const rooms = slots === null ? [cut] : slots.map((slot) => Math.min(slot.placement.maxSlots, slot.limit ?? limit));
  const walk: Walk = {
    run,
    cut,
    rooms,
    delivery: rooms.map(() => []),
    total: 0,
    placementUse: run.target.placements === null ? null : new Map(),
    mandatoryToday: null,
  };
  takeMandatory(walk);
  const { group } = run.program;
  const draws = group === null || slots === null ? walkSlots(walk, method) : allocateSlots(walk, method, group, slots);
  if (run.input.quotaLeft !== undefined) withhold(walk, run.input.quotaLeft);
  return { delivery: walk.delivery, draws };
}

/** Several placements under a group node. */
function allocateSlots(walk: Walk, method: RankMethod, group: Grouping, slots: readonly TargetSlot[]) {
  const { run, rooms, delivery } = walk;
  return allocate(
    {
      run,
      group,
      slots,
      rooms,
      filled: (slot) => delivery[slot]!.length,
      left: () => walk.cut - walk.total,
      take: (slot, candidate, pick) =>
        take(walk, slot, { candidate, placementId: candidate.placementId, mandatory: false, pick }),
    },
    method,
    run.program.rank.cut,
  );
}

/** Fills slot after slot, each from what the rank method yields for it. */
function walkSlots(walk: Walk, method: RankMethod): readonly RankedPick[] | null {
  const { run, rooms, cut } = walk;
  const { slots } = run.target;
  const ranking = method.begin(run);
  const { forced } = run;
  const { explore } = run.program;
  const isCertain = run.holdout || run.probe?.greedy === true;
  const exploring = isCertain || explore === null ? null : beginExploring(run, explore);
  const chance = isCertain ? null : watchModelChance(run, method, exploring);
  const draws: RankedPick[] | null = exploring === null && chance === null && method.strategy === undefined ? null : [];
  const drawn: TakenItem[] = [];
  let place = 1;
  for (let slot = 0; slot < rooms.length && forced?.isOver !== true; slot++) {
    place += walk.delivery[slot]!.length;
    const left = (candidate: Candidate): boolean =>
      candidate.reason === null &&
      !candidate.taken &&
      (slots === null || candidate.slot === slot) &&
      freePlacement(walk, candidate) !== undefined;
    while (walk.total < cut && walk.delivery[slot]!.length < rooms[slot]!) {
      if (chance !== null) chance.asked(slot, place, left);
      let picked = ranking.next(left, place);
      if (picked === null) break;
      if (forced !== null) {
        picked = forced.choose(forcedPlace(place, picked, left, ranking, exploring, chance !== null));
        if (picked === null) break;
      } else if (exploring !== null) picked = exploring.next(place, picked, left, ranking);
      const { candidate, pick } = picked;
      if (ranking.took !== undefined) ranking.took(candidate);
      if (chance !== null) chance.took(picked);
      if (draws !== null) draws.push(picked);
      place += 1;
      const item: TakenItem = {
        candidate,
        placementId: freePlacement(walk, candidate) ?? null,
        mandatory: false,
        pick,
      };
      if (chance !== null) drawn.push(item);
      take(walk, slot, item);
    }
  }
  if (chance !== null && forced !== null) {
    forced.settle(chance.choices(forced.repetitions));
  } else if (chance !== null) {
    for (const [at, pick] of chance.settle().entries()) {
      drawn[at]!.pick = pick;
      draws![at] = { candidate: drawn[at]!.candidate, pick };
    }
  }
  return draws;
}

function forcedPlace(
  place: number,
  picked: RankedPick,
  left: (candidate: Candidate) => boolean,
  ranking: Ranking,
  exploring: Exploring | null,
  isDrawn: boolean,
): ForcedPlace {
  const chances = (): Chances =>
    exploring === null ? ownChances(picked, ranking) : exploring.chances(place, picked, left, ranking);
  return { place, picked, left, ranking, chances: isDrawn ? null : chances };
}

/** Takes back what a quota doesn't cover. The first items in delivery order stay. */
function withhold(walk: Walk, quotaLeft: number): void {
  let covered = quotaLeft;
  for (const items of walk.delivery) {
    const beyond = items.splice(Math.min(covered, items.length));
    covered -= items.length;
    for (const { candidate } of beyond) {
      candidate.taken = false;
      candidate.reason = 'quota';
    }
    walk.run.withheldByQuota += beyond.length;
  }
}

function limitOf(plan: Plan, request: DecisionRequest): number {
  return Math.min(50, request.limit ?? plan.limits.defaultLimit);
}

/** Items that an answer can have at most, over all placements. */
export function maxItems(plan: Plan, request: DecisionRequest, { slots }: Target): number {
  return slots === null ? Math.min(limitOf(plan, request), plan.limits.cut) : plan.limits.cut;
}

interface Walk {
  readonly run: Run;
  readonly cut: number;
  readonly rooms: readonly number[];
  readonly delivery: TakenItem[][];
  total: number;
  /** Items per placement of a request for one placement. */
  readonly placementUse: Map<string, number> | null;
  /** Contacts of today with mandatory offers; null: not counted yet. */
  mandatoryToday: number | null;
}

/**
 * Takes mandatory offers by priority, each in the first placement it fits, within its limit. They count against the
 * daily cap.
 */
function takeMandatory(walk: Walk): void {
  const { run } = walk;
  if (run.mandatory.length === 0) return;
  const done = new Set<Candidate['offer']>();
  for (const candidate of run.mandatory) {
    if (candidate.reason !== null || done.has(candidate.offer) || walk.total >= walk.cut) continue;
    const slot = Math.max(0, candidate.slot);
    const placementId = freePlacement(walk, candidate);
    if (walk.delivery[slot]!.length >= walk.rooms[slot]! || placementId === undefined) continue;
    walk.mandatoryToday ??= countMandatoryToday(run);
    if (walk.mandatoryToday >= run.program.mandatoryDailyCap) {
      candidate.reason = 'mandatory_cap';
      continue;
    }
    walk.mandatoryToday += 1;
    done.add(candidate.offer);
    take(walk, slot, { candidate, placementId, mandatory: true, pick: certain });
  }
}

/** The tenant's day; a contact counts when its offer is mandatory now. */
function countMandatoryToday(run: Run): number {
  const { lanes, program } = run;
  const mandatory = new Set(program.mandatoryOffers.map((offer) => offer.ordinal));
  let count = 0;
  for (let lane = 0; lane < lanes.size; lane++) {
    if (mandatory.has(lanes.offer[lane]!)) count += lanes.counts[program.dayWindow * lanes.size + lane]!;
  }
  return count;
}

/**
 * Returns an open placement with room for the candidate; null when none was requested, undefined when there is none.
 */
function freePlacement(walk: Walk, candidate: Candidate): string | null | undefined {
  const { run } = walk;
  const { placements } = run.target;
  if (placements === null) return candidate.placementId;
  const { program } = run;
  const hasRoom = (number: number): boolean => {
    const placement = program.placements[number]!;
    return (walk.placementUse?.get(placement.id) ?? 0) < placement.maxSlots;
  };
  const { creative } = candidate;
  if (creative === null) {
    const open = placements.find((number) => isOpen(run, number) && hasRoom(number));
    return open === undefined ? undefined : program.placements[open]!.id;
  }
  if (placements.includes(creative.placement)) {
    return hasRoom(creative.placement) ? program.placements[creative.placement]!.id : undefined;
  }
  const open = placements.find(
    (number) => program.placementChannel[number] === creative.channel && isOpen(run, number) && hasRoom(number),
  );
  return open === undefined ? undefined : program.placements[open]!.id;
}

function take(walk: Walk, slot: number, item: TakenItem): void {
  const { run } = walk;
  const { candidate, placementId } = item;
  candidate.taken = true;
  if (run.forced !== null) run.forced.took(item);
  walk.delivery[slot]!.push(item);
  walk.total += 1;
  if (walk.placementUse !== null && placementId !== null) {
    walk.placementUse.set(placementId, (walk.placementUse.get(placementId) ?? 0) + 1);
  }
  if (run.observe !== null) run.observe('rank', run.program.rank.nodeId);
  if (run.volumes !== null) countVolumes(run.volumes, candidate);
  for (let position = 0; position < run.program.policies.length; position++) {
    if (run.scratch.asked[position] === 0) continue;
    const policy = run.program.policies[position]!;
    const { take: count } = policy.behaviour;
    if (count === null || !(policy.behaviour.countsAll || inScope(policy.scope, candidate))) continue;
    if (!count(run, candidate)) continue;
    admit(run, policy, run.list, false);
    admit(run, policy, run.mandatory, true);
  }
  if (run.target.slots !== null) leaveOtherSlots(walk, candidate);
  if (run.observe !== null) run.observe('admission', null);
}

/** Drops candidates that an exhausted limit no longer admits. */
function admit(run: Run, policy: CompiledPolicy, list: readonly Candidate[], ofMandatory: boolean): void {
  if (ofMandatory && !policy.behaviour.bindsMandatory && policy.bypassable) return;
  for (let at = 0; at < list.length; at++) {
    const candidate = list[at]!;
    if (candidate.reason !== null || candidate.taken) continue;
    if (!inScope(policy.scope, candidate) || !policy.behaviour.blocks(run, candidate)) continue;
    if (isLifted(run, policy, candidate) || !isAskedOf(run, policy, candidate)) continue;
    candidate.reason = 'contact_policy';
    countBlock(run, policy.ruleType);
    if (run.trace === null) continue;
    const { reason, detail } = policy.behaviour.explain(run, candidate);
    candidate.gate = { ruleId: null, policyId: policy.id, detail: describe(reason, detail) };
  }
}

/**
 * Handles the same offer in other placements: it leaves if it may appear in only one, otherwise it stays within its
 * budget, its caps and its creative's.
 */
function leaveOtherSlots(walk: Walk, taken: Candidate): void {
  const { run } = walk;
  const { budget, caps } = taken.offer;
  const spent = budget === null ? null : budgetReached(run, budget);
  // A group node decides this where the request would otherwise (docs/design/api-decisioning.md 2, deduplicate).
  const isUnique = run.program.group?.uniqueOffers ?? run.request.deduplicate;
  const shown = caps === null ? 0 : walk.delivery.flat().filter((item) => item.candidate.offer === taken.offer).length;
  const reached = caps === null ? null : offerCapReached(run, taken.ordinal, caps, shown);
  for (const list of [run.list, run.mandatory]) {
    for (const candidate of list) {
      if (candidate.offer !== taken.offer || candidate.taken || candidate.reason !== null) continue;
      if (isUnique) {
        candidate.reason = 'cut';
        continue;
      }
      if (spent !== null) {
        candidate.reason = 'budget';
        if (run.trace !== null) candidate.gate = budgetGate(spent);
        continue;
      }
      if (reached !== null) {
        candidate.reason = 'offer_frequency_cap';
        if (run.trace !== null) candidate.gate = reached;
        continue;
      }
      const { creative } = candidate;
      if (creative === null || !creative.constrained) continue;
      const used = walk.delivery.flat().filter((item) => item.candidate.creative === creative).length;
      if (constraintBlocks(run, creative, used)) candidate.reason = 'creative_constraint';
    }
  }
}
