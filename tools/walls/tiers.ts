/**
 * The order of the features, lowest first. A feature may import features of the tiers before its own, through their
 * index.ts; features of one tier do not know each other. The import rules, their canaries and the list in
 * docs/architecture.md are made from this: a new feature needs one line here, then `npm run generate`.
 */
export const featureTiers: readonly (readonly string[])[] = [
  ['audit', 'report-rendering'],
  ['mail', 'preferences', 'settings', 'retention'],
  ['tenants', 'notifications'],
  ['sessions'],
  ['users'],
  ['credentials', 'identities'],
  ['accounts', 'scim'],
  ['second-factor', 'sso'],
  ['google'],
  ['sign-in-pages'],
  ['catalogue-history'],
  ['catalogue-records', 'condition-sql'],
  ['content', 'volumes'],
  [
    // One line for each: those who add features at the same time do not meet.
    'schemas',
    'categories',
    'channels',
    'outcomes',
    'offers',
    'creatives',
    'qualification',
    'contact-policies',
    'ranking-profiles',
    'restore',
  ],
  ['models'],
  ['flows', 'segments'],
  ['flow-routes'],
  ['interactions', 'evidence'],
  ['customer-states', 'estimates', 'objectives', 'plans'],
  ['stream', 'sealed-records', 'suppressions'],
  ['decisions', 'exports', 'history-import', 'model-learning'],
  ['simulations', 'customer-tools', 'alerts'],
  ['seed-packs', 'erasure', 'why-not'],
  ['gitops', 'approvals', 'console'],
  ['admin', 'maintenance', 'reports'],
];

/** Features that this one may not import: those beside it and those above it. Empty for the only one at the top. */
export function closedFor(feature: string): readonly string[] {
  const level = featureTiers.findIndex((tier) => tier.includes(feature));
  return featureTiers
    .slice(level)
    .flat()
    .filter((other) => other !== feature);
}

const lineLength = 118;

/** The tiers as docs/architecture.md shows them: `a < b, c < d`, wrapped between tiers. */
export function tiersAsText(): string {
  const lines: string[] = [];
  for (const tier of featureTiers) {
    const names = tier.join(', ');
    const last = lines.at(-1);
    if (last === undefined) lines.push(names);
    else if (`${last} < ${names}`.length <= lineLength) lines[lines.length - 1] = `${last} < ${names}`;
    else lines.push(`      < ${names}`);
  }
  return lines.join('\n');
}
