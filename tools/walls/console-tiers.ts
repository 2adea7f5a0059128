/**
 * Features of the console that import each other, by tier, lowest first. A feature imports only features of lower tiers,
 * through their index.ts. One that isn't here imports none, and none imports it. Links need no import:
 * `route/addresses.ts` and the record kinds have the addresses.
 */
export const consoleTiers: readonly (readonly string[])[] = [
  ['flows', 'policies', 'schemas'],
  ['approvals', 'home'],
];

/** Returns the features of a tier that a feature may not import: those next to it and above. */
export function closedToConsole(feature: string): string[] {
  const tier = consoleTiers.findIndex((names) => names.includes(feature));
  return consoleTiers
    .slice(tier)
    .flat()
    .filter((name) => name !== feature);
}
