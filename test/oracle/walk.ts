import { DateTime } from 'luxon';
import { banditChance } from './bandit-chance.ts';
import { type Candidate, inOrder, isIn, type Work } from './candidate.ts';
import { isBlocked } from './gates.ts';
import { allocate, type Place, type Ranked } from './group.ts';
import { reorder } from './hooks.ts';
import { budgetFull, constraintFull, isCounting, offerCapFull } from './policies.ts';
import { chanceOf, cutOf, exploreOf, methodOf, rankingByStrategy, rankingOf } from './ranking.ts';
import { isOpen, placementOf } from './rules.ts';
import type { Step } from './way.ts';
import { isRow } from './world.ts';

export interface Delivered {
  readonly candidate: Candidate;
  readonly placementId: string | null;
  /** Null: a bandit drew scores, and the result of it is counted in repetitions. */
  readonly probability: number | null;
  /** Estimated by repetition, or a hook moved items. */
  readonly isEstimated: boolean;
}

export interface Walked {
  readonly items: readonly Delivered[];
  /** Two candidates stood so close that the last bit of a score decides. */
  readonly isClose: boolean;
  /** Placements could have been filled in several ways that are worth the same. */
  readonly isTied: boolean;
}

/** The delivery walk (docs/design/api-decisioning.md 10). */
export function walk(work: Work, candidates: readonly Candidate[], steps: readonly Step[]): Walked {
  const { snapshot, input, target, taken, isHoldout } = work;
  const { request } = input;
  const own = (type: string) => steps.find((step) => step.type === type && !step.isCalled);
  const rankStep = own('rank');
  const rank = rankStep?.config ?? {};
  const group = target.slots === null ? undefined : own('group')?.config;
  const isUnique = group === undefined ? request.deduplicate : group.uniqueOffers !== false;
  const method = methodOf(work, rank);
  const limit = Math.min(50, request.limit ?? Number(snapshot.flow.config.flowConfig?.defaultLimit ?? 5));
  const cut = Math.min(
    cutOf(rank),
    typeof own('response')?.config.limit === 'number' ? Number(own('response')?.config.limit) : 50,
    snapshot.tenant.maxOffersPerDecision,
    target.slots === null ? limit : 50,
    50,
  );
  const rooms = target.slots?.map((slot) => Math.min(slot.placement.maxSlots, slot.limit ?? limit)) ?? [cut];
  let delivered: Delivered[][] = rooms.map(() => []);
  const total = () => taken.length;

  /** Drops what no longer fits a limit after the items already taken. */
  const admit = () => {
    for (const candidate of candidates) {
      if (!isIn(candidate) || taken.includes(candidate)) continue;
      for (const stage of candidate.stages)
        for (const policy of stage.filter(isCounting))
          if (isBlocked(work, policy, candidate, stage)) candidate.reasons.add('contact_policy');
      const shown = taken.some(({ offer }) => offer === candidate.offer);
      if (target.slots === null || !shown) continue;
      if (isUnique) candidate.reasons.add('cut');
      if (budgetFull(work, candidate)) candidate.reasons.add('budget');
      if (offerCapFull(work, candidate)) candidate.reasons.add('offer_frequency_cap');
      const { creative } = candidate;
      const { frequencyCapPerDay } = creative?.constraints ?? {};
      if (
        creative !== null &&
        constraintFull(work, creative.id, frequencyCapPerDay === undefined ? {} : { frequencyCapPerDay })
      )
        candidate.reasons.add('creative_constraint');
    }
  };
  const place = (candidate: Candidate): string | null | undefined => placeFor(work, candidate, delivered.flat());
  const take = (slot: number, candidate: Candidate, { probability, isEstimated }: Omit<Ranked, 'candidate'>) => {
    delivered[slot]!.push({ candidate, placementId: place(candidate) ?? null, probability, isEstimated });
    taken.push(candidate);
    admit();
  };

  const mandatoryIds = snapshot.offers
    .filter(({ mandatory, status }) => mandatory && status === 'active')
    .map(({ id }) => id);
  const today = work.events.filter(({ offerId, at }) => mandatoryIds.includes(offerId) && isToday(work, at)).length;
  for (const candidate of candidates.filter(({ mandatory }) => mandatory)) {
    const slot = candidate.slot ?? 0;
    if (!isIn(candidate) || total() >= cut || taken.some(({ offer }) => offer === candidate.offer)) continue;
    if (delivered[slot]!.length >= rooms[slot]! || place(candidate) === undefined) continue;
    if (today + taken.length >= snapshot.tenant.mandatoryDailyCap) candidate.reasons.add('mandatory_cap');
    else take(slot, candidate, { probability: 1, isEstimated: false });
  }

  const listed = inOrder(candidates.filter((candidate) => !candidate.mandatory && isIn(candidate)));
  const maxScore = Math.max(0, ...listed.map(({ score }) => score));
  const ranking =
    method === 'explore_exploit'
      ? rankingByStrategy(work, { id: rankStep!.id, config: rank }, listed)
      : rankingOf(method, rank, listed, maxScore);
  const explore = isHoldout ? null : exploreOf(work);
  const bandit = banditChance(work, listed, steps, method === 'topN' && explore === null);
  let isClose = false;
  let isTied = false;
  let number = 1;

  /** The method's choice for a place, or what chance puts in its stead. */
  const choose = (isLeft: (candidate: Candidate) => boolean, most: number): Ranked | null => {
    const pick = ranking.next(listed.filter(isLeft), number, most);
    if (pick === null) return null;
    if (pick.isClose) isClose = true;
    const open = listed.filter((each) => isLeft(each) && !ranking.waits(each));
    const own = { candidate: pick.candidate, probability: chanceOf(pick, pick.candidate) };
    const chosen = explore?.(number, pick, open) ?? own;
    ranking.took(chosen.candidate);
    number += 1;
    const left = listed.filter(isLeft);
    const isEstimated = method === 'explore_exploit' && rank.strategy === 'thompson' && (pick.chances?.size ?? 0) > 1;
    return { ...chosen, isEstimated, ...bandit?.(chosen.candidate, left) };
  };

  if (group !== undefined) allocated();
  else slotBySlot();

  function slotBySlot(): void {
    rooms.forEach((room, slot) => {
      number += delivered[slot]!.length;
      const isLeft = (candidate: Candidate) =>
        isIn(candidate) &&
        !taken.includes(candidate) &&
        (candidate.slot === null || candidate.slot === slot) &&
        place(candidate) !== undefined;
      while (total() < cut && delivered[slot]!.length < room) {
        const chosen = choose(isLeft, cut);
        if (chosen === null) break;
        take(slot, chosen.candidate, chosen);
      }
    });
  }

  function allocated(): void {
    const places = rooms.flatMap((room, slot): Place[] =>
      Array.from({ length: Math.max(0, room - delivered[slot]!.length) }, () => ({
        slot,
        placementId: target.slots![slot]!.placement.id,
      })),
    );
    const isPlain = method === 'topN' && explore === null;
    const ranked: Ranked[] = [];
    // An offer is in the list once, with its best value.
    const best = listed.filter((each) => listed.find(({ offer }) => offer === each.offer) === each);
    const isLeft = (candidate: Candidate) =>
      best.includes(candidate) && !ranked.some((each) => each.candidate === candidate);
    const most = isPlain ? best.length : Math.max(20, 2 * rooms.reduce((sum, room) => sum + room, 0));
    while (ranked.length < Math.min(most, cutOf(rank))) {
      const chosen = choose(isLeft, most);
      if (chosen === null) break;
      ranked.push(chosen);
    }
    for (const candidate of best)
      if (isLeft(candidate) && ranked.length < cutOf(rank))
        ranked.push({ candidate, probability: 1, isEstimated: false });
    for (const candidate of listed)
      if (!ranked.some((each) => each.candidate.offer === candidate.offer)) candidate.reasons.add('cut');
    const positionOf = ({ offer }: Candidate) => ranked.findIndex(({ candidate }) => candidate.offer === offer);
    const before = (a: Candidate, b: Candidate) =>
      isPlain ? listed.indexOf(a) - listed.indexOf(b) : positionOf(a) - positionOf(b);
    const usable = ranked.map(({ candidate }) => listed.filter(({ offer }) => offer === candidate.offer));
    const columns = isUnique ? usable : usable.flat().map((candidate) => [candidate]);
    const weights = isRow(group!.placementWeights) ? group!.placementWeights : {};
    const worthOf = (candidate: Candidate, { placementId }: Place) =>
      Number(weights[placementId] ?? 1) * (isPlain ? candidate.score : ranked.length - positionOf(candidate));
    const isGreedy = group!.allocation === 'greedy';
    const allocation = isGreedy ? null : allocate(places, columns, worthOf, before);
    if (allocation?.isTied) isTied = true;
    const wanted = allocation?.items ?? places.map(() => null);
    const inRank = columns.flat().sort(before);
    places.forEach(({ slot }, row) => {
      if (total() >= cut) return;
      const own = wanted[row] ?? null;
      if (own === null && !isGreedy) return;
      const waiting = wanted.slice(row + 1).filter((each) => each !== null);
      const waits = (each: Candidate) =>
        isUnique ? waiting.some(({ offer }) => offer === each.offer) : waiting.includes(each);
      const isOpen = (each: Candidate) => each.slot === slot && isIn(each) && !taken.includes(each);
      const item = own !== null && isOpen(own) ? own : inRank.find((each) => isOpen(each) && !waits(each));
      if (item !== undefined) take(slot, item, ranked[positionOf(item)]!);
    });
  }

  let covered = input.quotaLeft ?? Number.POSITIVE_INFINITY;
  for (const items of delivered) {
    for (const { candidate } of items.splice(Math.min(covered, items.length))) candidate.reasons.add('quota');
    covered -= items.length;
  }
  const hook = steps.find(
    ({ type, config, isCalled }) => type === 'extension_point' && config.hook === 'post_rank' && !isCalled,
  );
  if (hook !== undefined) {
    const acts = (hook.config.kind ?? 'none') !== 'none';
    let firstRank = 1;
    delivered = delivered.map((items) => {
      const first = firstRank;
      firstRank += items.length;
      return reorder(work, hook, items, first).map((item) =>
        acts && !item.candidate.mandatory ? { ...item, isEstimated: true } : item,
      );
    });
  }
  couple(work, delivered);
  for (const candidate of candidates) if (isIn(candidate)) candidate.reasons.add('cut');
  return { items: delivered.flat(), isClose, isTied };
}

function isToday({ now, zone }: Work, at: number): boolean {
  const day = (ms: number) => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd');
  return Number.isFinite(at) && day(at) === day(now);
}

/** Returns the placement that an item would take; null: none is requested; undefined: none has room. */
function placeFor(
  work: Work,
  candidate: Candidate,
  items: readonly { readonly placementId: string | null }[],
): string | null | undefined {
  const { eligible } = work.target;
  if (eligible === null) return placementOf(work, candidate);
  const { creative } = candidate;
  const hasRoom = (placement: { readonly id: string; readonly maxSlots: number }) =>
    items.filter(({ placementId }) => placementId === placement.id).length < placement.maxSlots;
  const bound = eligible.find(({ id }) => id === creative?.placementId);
  if (bound !== undefined) return hasRoom(bound) ? bound.id : undefined;
  return eligible.find(
    (each) => (creative === null || each.channelId === creative.channelId) && isOpen(work, each.id) && hasRoom(each),
  )?.id;
}

/** Part 2, 4.6: one empty placement of an atomic channel empties its others. */
function couple({ snapshot, target }: Work, delivered: { candidate: Candidate }[][]): void {
  const isEmpty = ({ slot }: { readonly slot: number | null }) => slot === null || delivered[slot]!.length === 0;
  const emptied = snapshot.channels.filter(({ id, couplingMode }) => {
    const own = target.requested?.filter(({ channelId }) => channelId === id) ?? [];
    return (snapshot.flow.couplingOverride ?? couplingMode) === 'atomic' && own.some(isEmpty);
  });
  for (const { id } of emptied) {
    for (const { channelId, slot } of target.requested ?? []) {
      if (channelId !== id || slot === null) continue;
      for (const { candidate } of delivered[slot]!.splice(0)) candidate.reasons.add('coupling');
    }
  }
}
