import type { DropReason } from '@arbiter/engine';

/** Names of what takes part in a decision, for people who read reports. */
const stageLabels: Readonly<Record<string, string>> = {
  inventory: 'Inventory',
  match_creatives: 'Creatives',
  enrich: 'Enrich',
  qualify: 'Qualification',
  suppression: 'Suppressions',
  contact_policy: 'Contact policies',
  filter: 'Filter',
  conditional: 'Conditions',
  call_flow: 'Called flows',
  extension_point: 'Webhooks',
  score: 'Scoring',
  compute: 'Computed values',
  optimize: 'Optimization',
  rank: 'Ranking',
  group: 'Groups',
  admission: 'Admission',
  coupling: 'Coupled placements',
  quota: 'Quota',
  response: 'Response',
};

const reasonLabels = {
  schedule: 'Outside its schedule',
  excluded: 'Excluded by the request',
  emergency_excluded: 'Emergency stop',
  stock: 'Out of stock',
  budget: 'Budget used up',
  offer_frequency_cap: 'Frequency cap of the offer',
  no_creative: 'No creative',
  creative_constraint: 'Creative limit reached',
  placement_targeting: 'Placement targeting',
  enrich: 'Missing data',
  qualification: 'Not qualified',
  suppressed: 'Suppressed',
  contact_policy: 'Contact policy',
  filter: 'Filtered out',
  conditional: 'Dropped by a condition',
  sub_flow_unavailable: 'Called flow unavailable',
  call_flow: 'Dropped by a called flow',
  extension_point: 'Dropped by a webhook',
  min_propensity: 'Propensity too low',
  min_score: 'Score too low',
  mandatory_cap: 'Mandatory offer limit',
  coupling: 'Coupled placement empty',
  quota: 'Quota reached',
  cut: 'Ranked below the limit',
} as const satisfies Record<DropReason, string>;

/** A name with underscores as words, for stages and reasons of records that no label is known for. */
const inWords = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const stageLabel = (stage: string): string => stageLabels[stage] ?? inWords(stage);

const isReason = (reason: string): reason is DropReason => Object.hasOwn(reasonLabels, reason);

export const reasonLabel = (reason: string): string => (isReason(reason) ? reasonLabels[reason] : inWords(reason));
