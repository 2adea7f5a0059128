/**
 * The order of the features, lowest first. A feature may import features of lower tiers, through their index.ts;
 * features of one tier don't know each other. The import rules, their canaries and the list in docs/architecture.md
 * derive from this: a new feature needs one line here, then `npm run generate`.
 */
export const featureTiers: readonly (readonly string[])[] = [
  ['audit', 'report-rendering'],
  ['mail', 'preferences', 'settings', 'retention', 'narration'],
  ['tenants', 'notifications', 'archived-months'],
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
  ['behavioral-metrics'],
  [
    // One line each, so that features added at the same time don't conflict.
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
    'search',
    'connectors',
  ],
  ['models'],
  ['experiments'],
  ['flows', 'segments'],
  ['flow-routes', 'decision-tests'],
  ['interactions', 'evidence', 'assignments'],
  ['customer-states', 'estimates', 'objectives', 'plans'],
  ['stream', 'sealed-records', 'suppressions'],
  ['decisions', 'exports', 'history-import', 'model-learning', 'experiment-results'],
  ['model-training'],
  ['event-conditions', 'customer-events'],
  ['pipelines'],
  ['deliveries'],
  ['delivery-webhooks'],
  [
    // Above decisions, below what starts them. One line each.
    'campaigns',
    'journeys',
  ],
  ['triggers'],
  ['geofences', 'ingest'],
  ['simulations', 'customer-tools', 'alerts', 'shap'],
  ['seed-packs', 'erasure', 'why-not', 'narratives'],
  ['gitops', 'approvals', 'console'],
  ['admin', 'archive', 'maintenance', 'reports', 'studies'],
  ['checks'],
];

/** The group of each feature: its folder below `features/`. Imports don't depend on groups. */
const featureGroups: Readonly<Record<string, readonly string[]>> = {
  identity: [
    ...['accounts', 'audit', 'credentials', 'google', 'identities', 'mail', 'preferences', 'scim', 'second-factor'],
    ...['sessions', 'settings', 'sign-in-pages', 'sso', 'tenants', 'users'],
  ],
  catalogue: [
    ...['catalogue-history', 'catalogue-records', 'categories', 'channels', 'condition-sql', 'contact-policies'],
    ...[
      'content',
      'creatives',
      'decision-tests',
      'experiments',
      'flow-routes',
      'flows',
      'models',
      'offers',
      'outcomes',
    ],
    ...['qualification', 'ranking-profiles', 'restore', 'schemas', 'search', 'segments'],
  ],
  deciding: [
    // One line each, so that features added at the same time don't conflict.
    'archived-months',
    'assignments',
    'customer-states',
    'customer-tools',
    'decisions',
    'estimates',
    'evidence',
    'experiment-results',
    'history-import',
    'interactions',
    'model-learning',
    'model-training',
    'narratives',
    'objectives',
    'plans',
    'sealed-records',
    'shap',
    'simulations',
    'studies',
    'suppressions',
    'volumes',
    'why-not',
  ],
  operations: [
    ...[
      'admin',
      'alerts',
      'approvals',
      'checks',
      'archive',
      'console',
      'erasure',
      'exports',
      'gitops',
      'maintenance',
      'narration',
      'notifications',
    ],
    ...['report-rendering', 'reports', 'retention', 'seed-packs', 'stream'],
  ],
  data: [
    // One line each, so that features added at the same time don't conflict.
    'behavioral-metrics',
    'connectors',
    'pipelines',
  ],
  outreach: [
    // One line each, so that features added at the same time don't conflict.
    'campaigns',
    'deliveries',
    'delivery-webhooks',
    'event-conditions',
    'customer-events',
    'geofences',
    'ingest',
    'journeys',
    'triggers',
  ],
};

/** Returns the path of a feature below `features/`: `catalogue/offers`. Throws if it has no group. */
export function folderOf(feature: string): string {
  const group = Object.keys(featureGroups).find((name) => featureGroups[name]?.includes(feature));
  if (group === undefined) throw new Error(`${feature} has no group in tools/walls/tiers.ts`);
  return `${group}/${feature}`;
}

/**
 * Returns the features that this one may not import: those next to it and above. Empty for a lone feature at the top.
 */
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
