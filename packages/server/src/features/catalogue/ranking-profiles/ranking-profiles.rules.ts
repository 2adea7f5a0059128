import type { RankingWeights } from '@arbiter/contract';

/** True when the weights can rank: with none above 0 all candidates would be equal. */
export function canRank(weights: RankingWeights): boolean {
  return Object.values(weights).some((weight) => weight > 0);
}
