import type { Candidate } from './candidate.ts';
import type { PlanCreative } from './offer.ts';
import type { RankedPick, Ranking, TakenItem } from './ranking.ts';

/** The answer of another decision. The walk follows it to find out how likely each of its picks was. */
export interface ForcedWalk {
  /** True once the walk can't follow the answer any further, so nothing more is picked. */
  readonly isOver: boolean;
  /** How often to repeat a model's random scores. */
  readonly repetitions: number;
  /** Creative that the answer shows for an offer; undefined when it doesn't show the offer there. */
  creativeOf(offerId: string, placementId: string | null): string | null | undefined;
  /** Creatives that a candidate could show, by `candidate.at`, where there are several. */
  readonly usable: Map<number, readonly PlanCreative[]>;
  /** Replaces the pick for a place with the answer's; null if the plan can't pick it, which ends the walk. */
  choose(place: ForcedPlace): RankedPick | null;
  /** Called with every item that is taken. */
  took(item: TakenItem): void;
  /** Called when the order that the items came from was drawn as a whole. */
  drewOrder(): void;
  /** Called once with the choices of the places whose scores a model drew, in order. */
  settle(choices: readonly DrawnChoices[]): void;
}

/** A place to fill, and what the rank method picks for it. */
export interface ForcedPlace {
  readonly place: number;
  readonly picked: RankedPick;
  readonly left: (candidate: Candidate) => boolean;
  readonly ranking: Ranking;
  /** Null: a model drew the scores, so the chances are known when the answer is filled. */
  readonly chances: (() => Chances) | null;
}

/** Chances of the candidates that may fill a place; those that can't are left out. */
export type Chances = ReadonlyMap<Candidate, number>;

export interface DrawnChoices {
  readonly chances: Chances;
  /** Repetitions that picked the item of the answer; null: the chances are exact. */
  readonly hits: number | null;
}
