/**
 * The order of the features, lowest first. A feature may import features of lower tiers, through their index.ts;
 * features of one tier don't know each other. The import rules, their canaries and the list in docs/architecture.md
 * derive from this. A feature without a tier follows the strictest order (`openToPlain`). Run `npm run generate` after a
 * change. Names are those of folders: `features/<group>/<name>`.
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

/**
 * The highest features that one without a tier may import. It's a plain one: it stands on records, and no other feature
 * imports it. One that needs more, or that others need, gets a tier.
 */
const highestForPlain = 'catalogue-records';

/** What features without a tier may import: the tiers up to that of records. */
export const openToPlain: readonly string[] = featureTiers
  .slice(0, featureTiers.findIndex((tier) => tier.includes(highestForPlain)) + 1)
  .flat();

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
