import type { Candidate } from '../plan/candidate.ts';
import type { Chances, ForcedPlace, ForcedWalk } from '../plan/forced.ts';
import type { RankedPick } from '../plan/ranking.ts';
import type { Run } from '../plan/run.ts';
import type { LoggedItem, LoggedSlate } from './logged-slate.ts';

/** A place that the walk filled, or where it couldn't follow the answer. */
export interface WalkedPlace {
  /** What could fill it; null while a model's choices aren't known yet. */
  chances: Chances | null;
  /** How many repetitions picked the item; null: the chances were computed. */
  hits: number | null;
  readonly isEstimated: boolean;
  /** The item of the answer that it was filled with; null: the plan has another. */
  readonly item: LoggedItem | null;
  /** The item taken; null if the walk couldn't follow the answer here. */
  readonly candidate: Candidate | null;
  readonly isMandatory: boolean;
}

/** A walk along an answer and its progress. */
export interface ForcedAnswer extends ForcedWalk {
  readonly places: WalkedPlace[];
  isOver: boolean;
  /** True if any place left a choice. */
  byChance: boolean;
  /** True if the whole order was drawn at once, so that places have no chances of their own. */
  orderWasDrawn: boolean;
}

interface Along {
  readonly run: Run;
  readonly slate: LoggedSlate;
  readonly answer: ForcedAnswer;
  /** Places whose choices a model's draws decide. */
  readonly drawn: WalkedPlace[];
  /** Position of the next item of the answer. */
  next: number;
  /** The candidate that filled the latest place. Already recorded. */
  chosen: Candidate | null;
}

/**
 * Makes a walk follow an answer. Where a place leaves a choice, it takes the answer's item, however unlikely. An item
 * that's certain is taken even where the answer has another: coupling may have removed it from the answer.
 */
export function forceAnswer(run: Run, slate: LoggedSlate, repetitions: number): ForcedAnswer {
  const answer: ForcedAnswer = {
    places: [],
    usable: new Map(),
    repetitions,
    isOver: false,
    byChance: false,
    orderWasDrawn: false,
    creativeOf: (offerId, placementId) =>
      slate.items.find((item) => item.offerId === offerId && mayBeAt(item, placementId))?.creativeId,
    choose: (place) => choose(along, place),
    took({ candidate, mandatory }) {
      if (candidate !== along.chosen) noteCertain(along, candidate, mandatory);
    },
    drewOrder() {
      answer.orderWasDrawn = true;
    },
    settle(choices) {
      choices.forEach(({ chances, hits }, at) => {
        along.drawn[at]!.chances = chances;
        along.drawn[at]!.hits = hits;
      });
    },
  };
  const along: Along = { run, slate, answer, drawn: [], next: 0, chosen: null };
  return answer;
}

const mayBeAt = ({ placementId: own }: LoggedItem, placementId: string | null): boolean =>
  own === undefined || placementId === null || own === placementId;

function choose(along: Along, { picked, left, ranking, chances: chancesOf }: ForcedPlace): RankedPick | null {
  const { run, slate, answer } = along;
  const chances = chancesOf === null ? null : chancesOf();
  if (chances === null ? isOnly(run, left) : chances.size === 1) {
    const place = noteCertain(along, picked.candidate, false);
    if (chances === null) along.drawn.push(place);
    return { candidate: picked.candidate, pick: { ...picked.pick, probability: 1 } };
  }
  answer.byChance = true;
  const item = slate.items[along.next];
  // Candidates that the method holds back can't be picked.
  const isWanted = (candidate: Candidate): boolean =>
    item !== undefined && left(candidate) && ranking.waits?.(candidate) !== true && isItem(run, candidate, item);
  const wanted = run.list.find(isWanted) ?? null;
  const place: WalkedPlace = {
    chances,
    hits: null,
    isEstimated: picked.pick.estimated,
    item: wanted === null ? null : item!,
    candidate: wanted,
    isMandatory: false,
  };
  note(along, place);
  if (chances === null) along.drawn.push(place);
  if (wanted === null) {
    answer.isOver = true;
    return null;
  }
  return { candidate: wanted, pick: { ...picked.pick, probability: chances?.get(wanted) ?? 0 } };
}

function noteCertain(along: Along, candidate: Candidate, isMandatory: boolean): WalkedPlace {
  const item = along.slate.items[along.next];
  const place: WalkedPlace = {
    chances: new Map([[candidate, 1]]),
    hits: null,
    isEstimated: false,
    item: item !== undefined && isItem(along.run, candidate, item) ? item : null,
    candidate,
    isMandatory,
  };
  note(along, place);
  return place;
}

function note(along: Along, place: WalkedPlace): void {
  along.answer.places.push(place);
  along.chosen = place.candidate;
  if (place.item !== null) along.next += 1;
}

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
