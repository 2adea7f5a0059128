import { beginRun, deliverRun, scoreRun } from '../decide.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { DecisionInput } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import type { Delivery } from '../plan/ranking.ts';
import type { AskExternal, Run } from '../plan/run.ts';
import { propensityOf } from '../scoring/propensity.ts';
import { creativeShareOf } from '../scratch.ts';
import { type ForcedAnswer, forceAnswer, type WalkedPlace } from './forced-answer.ts';
import type { LoggedSlate } from './logged-slate.ts';

/** An item that a plan might have shown at a place. */
export interface Choice {
  readonly offerId: string;
  readonly creativeId: string | null;
  /** Creatives that the offer might show to another customer; null: only this one. */
  readonly otherCreatives: readonly string[] | null;
  readonly channelId: string | null;
  /** Chance given the items before, above 0. The chances of a place sum to 1. */
  readonly probability: number;
  /** The engine's expectation of a positive response. */
  readonly propensity: number;
}

export interface WeighedPlace {
  /** Chance that this plan takes the item here, given the items before. */
  readonly probability: number;
  /** `exact` is what `decide` computes; `integral` replaces its estimate; `repetitions` is a count. */
  readonly method: 'exact' | 'integral' | 'repetitions';
  /** Repetitions that picked the item; null unless the chance was counted. */
  readonly hits: number | null;
  /** Share of the item's creative among those the offer could show. */
  readonly creativeShare: number;
  /** False if a later stage removes the item. */
  readonly isDelivered: boolean;
  /** Position among `choices`; -1 if the item couldn't be picked. */
  readonly choice: number;
  readonly choices: readonly Choice[];
}

export interface Weighed {
  /** Items of the slate, in its order, until the plan can't produce the next one. */
  readonly places: readonly WeighedPlace[];
  /** What the plan shows after them; empty if its answer ends there. */
  readonly next: readonly Choice[];
  /**
   * Why places have no chances: the whole order was drawn at once, or a hook rearranges the items after the draw. Null if
   * they have chances.
   */
  readonly unknown: 'order_drawn' | 'rearranged' | null;
  /** The customer is in a control group, where nothing is left to chance. */
  readonly controlGroup: boolean;
}

export interface WeighOptions {
  /** Called for each webhook without an answer in the input. */
  readonly ask?: AskExternal;
  /** How often a model's scores are drawn again where the chances have no closed form. */
  readonly repetitions?: number;
}

/**
 * Returns how likely a plan was to produce a recorded answer: place by place, the chance of the item given those before it,
 * and all that the plan might have shown instead. The same bytes as `decide` stores where the chance has a closed form
 * (docs/design/lead.md 1).
 */
export function weigh(
  plan: Plan,
  input: DecisionInput,
  slate: LoggedSlate,
  { ask, repetitions = 20_000 }: WeighOptions = {},
): Weighed {
  const run = beginRun(plan, input, ask === undefined ? {} : { ask });
  const { holdout: controlGroup } = run;
  if (run.target.emptyReason !== null) return { places: [], next: [], unknown: null, controlGroup };
  const forced = forceAnswer(run, slate, repetitions);
  run.forced = forced;
  scoreRun(run);
  const { delivery } = deliverRun(run);
  if (forced.orderWasDrawn) return { places: [], next: [], unknown: 'order_drawn', controlGroup };
  const isRearranged = plan.program.afterRank.length > 0;
  if (isRearranged && forced.byChance) return { places: [], next: [], unknown: 'rearranged', controlGroup };
  const walked = isRearranged ? walkFinal(run, delivery, slate, forced) : forced;
  return { ...compareWithSlate(run, walked, delivery, slate), unknown: null, controlGroup };
}

/** Nothing was left to chance, so what's delivered in the end is what counts, in the order it ended up in. */
function walkFinal(run: Run, delivery: Delivery, slate: LoggedSlate, { repetitions }: ForcedAnswer): ForcedAnswer {
  const final = forceAnswer(run, slate, repetitions);
  const items = delivery.flat();
  for (const item of items.filter(({ mandatory }) => mandatory)) final.took(item);
  for (const item of items.filter(({ mandatory }) => !mandatory)) final.took(item);
  return final;
}

function compareWithSlate(
  run: Run,
  { places: walked, isOver, usable }: ForcedAnswer,
  delivery: Delivery,
  slate: LoggedSlate,
): Pick<Weighed, 'places' | 'next'> {
  const delivered = new Set<Candidate>();
  for (const items of delivery) for (const { candidate } of items) delivered.add(candidate);
  const places: WeighedPlace[] = [];
  for (const place of walked) {
    const { candidate } = place;
    if (place.item !== null && candidate !== null) {
      places.push(weighedPlace(run, place, candidate, usable, isOver || delivered.has(candidate)));
      continue;
    }
    // Removed items aren't in the answer, unless it lists all draws. Mandatory offers aren't drawn.
    const isListed = slate.hasDraws && !place.isMandatory;
    if (candidate !== null && !isOver && !isListed && !delivered.has(candidate)) continue;
    return { places, next: choicesOf(run, place, usable) };
  }
  return { places, next: [] };
}

function weighedPlace(
  run: Run,
  place: WalkedPlace,
  candidate: Candidate,
  usable: ForcedAnswer['usable'],
  isDelivered: boolean,
): WeighedPlace {
  const { chances, hits, isEstimated } = place;
  const probability = chances?.get(candidate) ?? 0;
  return {
    probability,
    method: hits !== null ? 'repetitions' : isEstimated ? 'integral' : 'exact',
    hits,
    creativeShare: creativeShareOf(run.scratch.columns, candidate.at),
    isDelivered,
    choice: probability > 0 ? [...(chances?.keys() ?? [])].indexOf(candidate) : -1,
    choices: choicesOf(run, place, usable),
  };
}

function choicesOf(run: Run, { chances }: WalkedPlace, usable: ForcedAnswer['usable']): readonly Choice[] {
  return [...(chances ?? [])].map(([candidate, probability]) => ({
    offerId: candidate.offer.id,
    creativeId: candidate.creative?.id ?? null,
    otherCreatives: usable.get(candidate.at)?.map(({ id }) => id) ?? null,
    channelId: candidate.creative?.row.channelId ?? null,
    probability,
    propensity: propensityOf(run, candidate),
  }));
}
