/** A creative with what decides how often it's chosen. */
export interface WeighedCreative {
  readonly id: string;
  readonly status: string;
  readonly placementId: string | null;
  readonly weight: number;
}

/**
 * Returns the share of customers that each of an offer's creatives on one channel gets for a request for a placement: by
 * weight, among active ones for the placement and for any. Null: a placement without creatives of its own.
 */
export function weightShares(
  creatives: readonly WeighedCreative[],
  placementId: string | null,
): ReadonlyMap<string, number> {
  const usable = creatives.filter(
    ({ status, weight, placementId: own }) =>
      status === 'active' && weight > 0 && (own === null || own === placementId),
  );
  const sum = usable.reduce((total, { weight }) => total + weight, 0);
  return new Map(usable.map(({ id, weight }) => [id, weight / sum]));
}
