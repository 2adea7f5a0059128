/**
 * Features of the console by tier, lowest first: a feature imports features of lower tiers only, through their index.ts.
 * Links need no import: every address of the console stands in `route/addresses.ts`.
 */
export const consoleTiers: readonly (readonly string[])[] = [
  // foundation
  ['account', 'api-keys', 'people', 'settings', 'sign-in'],
  // catalogue
  ['categories', 'channels', 'content', 'creatives', 'offers', 'policies', 'rules', 'schemas', 'segments'],
  // decisioning
  ['customers', 'decisions', 'flows', 'simulate'],
  // operations
  ['approvals', 'audit', 'health'],
  // overview
  ['home'],
];

/** Features that a feature may not import: those beside it and above. */
export function closedToConsole(feature: string): string[] {
  const tier = consoleTiers.findIndex((names) => names.includes(feature));
  return consoleTiers
    .slice(tier)
    .flat()
    .filter((name) => name !== feature);
}
