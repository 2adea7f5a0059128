import type { DecisionItem, DrawnItem } from '../plan/decision.ts';
import type { RankedPick } from '../plan/ranking.ts';

/** The chances of an answer as a whole. */
export interface Slate {
  /** Product over all slots that were filled, those too that coupling or a quota emptied again. */
  readonly probability: number;
  readonly explored: boolean;
  /** Lowest probability of a slot. */
  readonly least: number;
  /** What was drawn, when chance took part and the answer doesn't contain all of it; otherwise null. */
  readonly draws: readonly DrawnItem[] | null;
}

/** Nothing was left to chance. */
export const certainSlate: Slate = { probability: 1, explored: false, least: 1, draws: null };

/** `draws` null: the flow leaves nothing to chance. `items`: the answer. */
export function slateOf(draws: readonly RankedPick[] | null, items: readonly DecisionItem[]): Slate {
  if (draws === null) return certainSlate;
  let probability = 1;
  let least = 1;
  let explored = false;
  for (const { pick } of draws) {
    probability *= pick.probability;
    if (pick.probability < least) least = pick.probability;
    if (pick.explored) explored = true;
  }
  if (least === 1 && !explored) return certainSlate;
  let delivered = 0;
  for (const { mandatory } of items) if (!mandatory) delivered += 1;
  return {
    probability,
    explored,
    least,
    draws: delivered === draws.length || least === 1 ? null : draws.map(drawnItemOf),
  };
}

function drawnItemOf({ candidate, pick }: RankedPick): DrawnItem {
  const { probability, estimated, explored } = pick;
  return { offerId: candidate.offer.id, creativeId: candidate.creative?.id ?? null, probability, estimated, explored };
}
