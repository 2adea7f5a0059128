import type { Candidate } from '../plan/candidate.ts';
import type { Chances, DrawnChoices, ForcedPlace, ForcedWalk } from '../plan/forced.ts';
import type { PlanCreative } from '../plan/offer.ts';
import type { RankedPick, TakenItem } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { LoggedItem, LoggedSlate } from './logged-slate.ts';

/** A place that the walk filled, or where it left the answer. */
export interface WalkedPlace {
  /** What could fill it; null while a model's choices aren't known yet. */
  chances: Chances | null;
  /** How many repetitions picked the item; null: the chances were computed. */
  hits: number | null;
  readonly isEstimated: boolean;
  /** The item of the answer that it was filled with; null: the plan has another. */
  readonly item: LoggedItem | null;
  /** What was taken; null: the walk left the answer here. */
  readonly candidate: Candidate | null;
  readonly isMandatory: boolean;
}

export interface ForcedAnswer extends ForcedWalk {
  readonly places: readonly WalkedPlace[];
  /** True: the items came from an order that was drawn as a whole, so a place has no chance of its own. */
  readonly orderWasDrawn: boolean;
  /** True: some place left a choice. */
  readonly byChance: boolean;
}

/**
 * Leads a walk along an answer. At a place that leaves a choice, it takes the answer's item, whatever its probability. An item
 * that's certain is taken even where the answer has another: coupling may have removed it from the answer.
 */
export function forceAnswer(run: Run, slate: LoggedSlate, repetitions: number): ForcedAnswer {
  const places: WalkedPlace[] = [];
  const drawn: WalkedPlace[] = [];
  const usable = new Map<number, readonly PlanCreative[]>();
  let next = 0;
  let isOver = false;
  let orderWasDrawn = false;
  let byChance = false;
  /** The candidate that `choose` returned last, whose place is known. */
  let chosen: Candidate | null = null;

  function note(place: WalkedPlace): void {
    places.push(place);
    if (place.item !== null) next += 1;
  }

  function choose({ picked, left, ranking, chances: chancesOf }: ForcedPlace): RankedPick | null {
    const item = slate.items[next];
    const chances = chancesOf === null ? null : chancesOf();
    const isCertain = chances === null ? isOnly(run, left) : chances.size === 1;
    if (isCertain) {
      const { candidate } = picked;
      const own = item !== undefined && isItem(run, candidate, item) ? item : null;
      chosen = candidate;
      note(certainPlace(candidate, own, false));
      if (chances === null) drawn.push(places.at(-1)!);
      return { candidate, pick: { ...picked.pick, probability: 1 } };
    }
    byChance = true;
    // What a method holds back can't be picked, as if it had left.
    const wanted =
      item === undefined
        ? undefined
        : run.list.find(
            (candidate) => left(candidate) && ranking.waits?.(candidate) !== true && isItem(run, candidate, item),
          );
    const place = {
      chances,
      hits: null,
      isEstimated: picked.pick.estimated,
      item: null,
      candidate: null,
      isMandatory: false,
    };
    note(wanted === undefined ? place : { ...place, item: item!, candidate: wanted });
    if (chances === null) drawn.push(places.at(-1)!);
    chosen = wanted ?? null;
    if (wanted === undefined) {
      isOver = true;
      return null;
    }
    return { candidate: wanted, pick: { ...picked.pick, probability: chances?.get(wanted) ?? 0 } };
  }

  function took({ candidate, mandatory }: TakenItem): void {
    if (candidate === chosen) return;
    const item = slate.items[next];
    const own = item !== undefined && isItem(run, candidate, item) ? item : null;
    note(certainPlace(candidate, own, mandatory));
  }

  return {
    places,
    usable,
    repetitions,
    get isOver() {
      return isOver;
    },
    get orderWasDrawn() {
      return orderWasDrawn;
    },
    get byChance() {
      return byChance;
    },
    creativeOf: (offerId, placementId) =>
      slate.items.find(
        (item) =>
          item.offerId === offerId &&
          (item.placementId === undefined || (placementId ?? item.placementId) === item.placementId),
      )?.creativeId,
    choose,
    took,
    drewOrder() {
      orderWasDrawn = true;
    },
    settle(choices: readonly DrawnChoices[]) {
      choices.forEach(({ chances, hits }, at) => {
        drawn[at]!.chances = chances;
        drawn[at]!.hits = hits;
      });
    },
  };
}

const certainPlace = (candidate: Candidate, item: LoggedItem | null, isMandatory: boolean): WalkedPlace => ({
  chances: new Map([[candidate, 1]]),
  hits: null,
  isEstimated: false,
  item,
  candidate,
  isMandatory,
});

function isOnly(run: Run, left: (candidate: Candidate) => boolean): boolean {
  let count = 0;
  for (let at = 0; at < run.list.length && count < 2; at++) if (left(run.list[at]!)) count += 1;
  return count === 1;
}

/** True when the candidate would be the item: of several placements, also at the same one. */
function isItem(run: Run, { offer, creative, slot }: Candidate, item: LoggedItem): boolean {
  if (offer.id !== item.offerId || (creative?.id ?? null) !== item.creativeId) return false;
  if (slot < 0 || item.placementId === undefined) return true;
  return run.target.slots![slot]!.placement.id === item.placementId;
}
