import type { EvaluationSpec } from '@arbiter/contract';
import type { ItemResponse } from '../../interactions/index.ts';

/** Reserved rewards. All others are keys of outcome types. */
export const rewardWords: readonly string[] = ['positive', 'convert', 'weighted', 'value'];

const dayMs = 86_400_000;

/** Returns the reward of an item from the responses in time after `decidedAt` (epoch ms). */
export function rewardOf(
  { reward, outcomeWeights = {}, rewardDays }: EvaluationSpec,
  responses: readonly ItemResponse[],
  decidedAt: number,
): number {
  const inTime = responses.filter(({ at }) => at < decidedAt + rewardDays * dayMs);
  switch (reward) {
    case 'positive':
      return inTime.some(({ classification }) => classification === 'positive') ? 1 : 0;
    case 'convert':
      return inTime.some(({ isConversion }) => isConversion) ? 1 : 0;
    case 'value':
      return inTime.reduce((sum, { value }) => sum + (value ?? 0), 0);
    case 'weighted': {
      const keys = new Set(inTime.map(({ outcome }) => outcome));
      // In the order of the weights, so that the sum doesn't depend on who responded first.
      return Object.entries(outcomeWeights).reduce((sum, [key, weight]) => sum + (keys.has(key) ? weight : 0), 0);
    }
    default:
      return inTime.some(({ outcome }) => outcome === reward) ? 1 : 0;
  }
}

/** Returns the minimum and maximum reward of an item. For values, the maximum is the cap. */
export function rewardRange(
  { reward, outcomeWeights = {} }: EvaluationSpec,
  cap: number,
): { readonly lowest: number; readonly highest: number } {
  if (reward === 'value') return { lowest: 0, highest: cap };
  if (reward !== 'weighted') return { lowest: 0, highest: 1 };
  const weights = Object.values(outcomeWeights);
  return {
    lowest: weights.reduce((sum, weight) => sum + Math.min(0, weight), 0),
    highest: weights.reduce((sum, weight) => sum + Math.max(0, weight), 0),
  };
}
