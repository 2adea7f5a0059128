/** The share of an objective in the sum of all weights. */
export interface WeightShare {
  readonly key: string;
  readonly weight: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Returns the objectives with a weight above 0, heaviest first. */
export function sharesOf(weights: unknown): readonly WeightShare[] {
  const entries = Object.entries(typeof weights === 'object' && weights !== null ? weights : {}).flatMap(
    ([key, weight]): readonly (readonly [string, number])[] =>
      typeof weight === 'number' && weight > 0 ? [[key, weight]] : [],
  );
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  return entries
    .map(([key, weight]) => ({ key, weight, share: weight / sum }))
    .sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1));
}
