/**
 * Features of the console by tier, lowest first. A feature imports only features of lower tiers, through their
 * index.ts. Links need no import: `route/addresses.ts` has every address of the console.
 */
export const consoleTiers: readonly (readonly string[])[] = [
  // foundation
  ['account', 'api-keys', 'destinations', 'oauth-clients', 'people', 'settings', 'sign-in', 'single-sign-on'],
  // catalogue
  [
    ...[
      'categories',
      'channels',
      'content',
      'creatives',
      'offers',
      'outcomes',
      'policies',
      'ranking-profiles',
      'rules',
    ],
    ...['schemas', 'segments', 'suppressions'],
  ],
  // decisioning
  ['customers', 'decisions', 'flow-routes', 'flows', 'simulate'],
  // judging
  ['decision-tests', 'studies'],
  // operations
  ['approvals', 'audit', 'health'],
  // overview
  ['home'],
];

/** Returns the features that a feature may not import: those next to it and above. */
export function closedToConsole(feature: string): string[] {
  const tier = consoleTiers.findIndex((names) => names.includes(feature));
  return consoleTiers
    .slice(tier)
    .flat()
    .filter((name) => name !== feature);
}
