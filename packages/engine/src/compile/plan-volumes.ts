import type { PlanOffer } from '../plan/offer.ts';
import type { Ordinals } from '../plan/ordinals.ts';
import type { PlanVolumes } from '../plan/plan.ts';
import type { CollectedVolume } from '../plan/volumes.ts';

/** Returns what the plan counts over all customers, for those who store the counters; null when it counts nothing. */
export function planVolumes(
  volumes: readonly CollectedVolume[],
  ordinals: Ordinals,
  offers: readonly PlanOffer[],
): PlanVolumes | null {
  if (volumes.length === 0) return null;
  const counted = volumes.map(({ key, limits }) => {
    const { scope, scopeId } = key;
    if ((scope !== 'category' && scope !== 'subcategory') || scopeId === null)
      return { ...key, offerIds: null, limits };
    const [at, number] =
      scope === 'category' ? [0, ordinals.category.get(scopeId)] : [1, ordinals.subCategory.get(scopeId)];
    const inIt = [...ordinals.offerCategory].filter(([, pair]) => number !== undefined && pair[at] === number);
    return { ...key, offerIds: inIt.map(([id]) => id).sort(), limits };
  });
  return {
    counted,
    impressionCents: (offerId) => offers[ordinals.offer.get(offerId) ?? -1]?.budget?.impressionCents ?? 0,
  };
}
