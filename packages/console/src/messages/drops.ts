import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';
import type { DropReason, EmptyReason } from '@arbiter/engine';

/** Why an offer was dropped: a few words for lists, and a sentence. */
export interface DropText {
  readonly title: string;
  readonly text: string;
}

export const dropTexts: Readonly<Record<DropReason, DropText>> = {
  schedule: { title: 'Outside its schedule', text: "The offer wasn't scheduled at that time." },
  excluded: {
    title: 'Excluded by the request',
    text: 'The request excluded the offer or all of its creatives.',
  },
  emergency_excluded: {
    title: 'Emergency stop',
    text: 'The offer is stopped everywhere, and nothing overrides that.',
  },
  stock: { title: 'Out of stock', text: 'No stock of this offer is left.' },
  budget: { title: 'Budget used up', text: "The offer's budget was used up across all customers." },
  offer_frequency_cap: {
    title: 'Offer frequency cap',
    text: 'The customer has already seen this offer as often as its cap allows.',
  },
  no_creative: { title: 'No creative', text: 'The offer has no creative for this channel and placement.' },
  creative_constraint: {
    title: 'Creative limit reached',
    text: 'The customer has seen every creative of this offer as often as its limits allow.',
  },
  placement_targeting: {
    title: 'Not for this placement',
    text: "The placement's targeting doesn't match this customer or request.",
  },
  enrich: { title: 'Required data missing', text: "The flow drops offers when a row it looks up doesn't exist." },
  qualification: { title: 'Not qualified', text: "A qualification rule or the offer's own eligibility blocked it." },
  suppressed: { title: 'Suppressed', text: "The customer isn't contacted about this until the suppression ends." },
  contact_policy: { title: 'Contact policy', text: 'A contact policy blocked it.' },
  filter: { title: 'Filtered out', text: "The offer didn't match a filter node's condition." },
  conditional: { title: 'Dropped by a branch', text: 'A conditional node dropped every offer.' },
  sub_flow_unavailable: { title: 'Called flow unavailable', text: "A called flow couldn't run." },
  call_flow: { title: 'Dropped in a called flow', text: 'A called flow dropped it.' },
  extension_point: { title: 'Dropped by a webhook', text: 'An extension point dropped it.' },
  min_propensity: { title: 'Propensity too low', text: 'Offers scoring below the minimum propensity were dropped.' },
  min_score: { title: 'Score too low', text: 'Offers scoring below the minimum score were dropped.' },
  mandatory_cap: {
    title: 'Mandatory offer cap',
    text: 'The customer has reached the daily cap on mandatory offers.',
  },
  coupling: {
    title: 'Coupled placement empty',
    text: 'This channel fills its placements together or not at all, and one stayed empty.',
  },
  quota: { title: 'Playground quota', text: 'The playground has used up its items.' },
  cut: { title: 'Outranked', text: 'The offer passed every gate, but others ranked higher.' },
};

/** Labels of `cause` for schedules, budgets and caps. */
export const causeTexts: Readonly<Record<string, string>> = {
  not_started: "hasn't started",
  ended: 'has ended',
  day: 'not on this weekday',
  hour: 'not at this hour',
  unreadable: "can't be read, so it blocks",
  daily_spend: 'daily budget used up',
  lifetime_spend: 'total budget used up',
  daily_impressions: 'daily impressions used up',
  lifetime_impressions: 'total impressions used up',
};

/** For a limit that earlier items of the same result used up. */
export const usedUpByAnswer = 'Earlier items in this result used up the limit.';

export const suppressionTexts = {
  scopes: { global: 'everything', category: 'its category', offer: 'this offer' } as Readonly<Record<string, string>>,
  until: (scope: string, instant: string) => `${scope}, until ${instant}`,
};

/** Why a result is empty. */
export const emptyTexts: Readonly<Record<EmptyReason, DropText>> = {
  no_channel: { title: 'Channel not found', text: 'No active channel has this type or ID.' },
  no_placement: { title: 'Placement not found', text: 'The channel has no placement with this name.' },
  placement_inactive: { title: 'Placement inactive', text: "The placement or its channel isn't active." },
  inventory: { title: 'No candidates', text: 'No offer was active, on schedule and within budget.' },
  match_creatives: { title: 'No matching creative', text: 'No offer has a creative for this channel and placement.' },
  enrich: { title: 'Required data missing', text: "Rows that the flow looks up don't exist." },
  qualify: { title: 'No offer qualified', text: 'Qualification rules blocked every remaining offer.' },
  suppression: { title: 'All suppressed', text: 'Every remaining offer is suppressed for this customer.' },
  contact_policy: { title: 'Contact policies', text: 'Contact policies blocked every remaining offer.' },
  filter: { title: 'All filtered out', text: 'A filter node dropped every remaining offer.' },
  score: { title: 'Scores too low', text: 'Every remaining offer scored below the minimum.' },
  mandatory: { title: 'Mandatory offers', text: 'No mandatory offer could be shown.' },
  admission: {
    title: 'Limits reached',
    text: 'Limits checked at delivery blocked every remaining offer.',
  },
  coupling: { title: 'Coupled placements', text: 'Coupled placements were left empty together.' },
  conditional: { title: 'Dropped by a branch', text: 'A conditional node dropped every offer.' },
  call_flow: { title: 'Called flow', text: 'A called flow dropped every offer.' },
  extension_point: { title: 'Webhook', text: 'An extension point dropped every offer.' },
  rank: { title: 'Ranking', text: 'The rank node selected no offers.' },
};

/** Labels of the stages of a decision. */
export const stageNames: Readonly<Record<string, string>> = {
  all: 'All candidates',
  shown: 'Shown',
  load: 'Load',
  mandatory: 'Mandatory',
  inventory: 'Inventory',
  match_creatives: 'Creatives',
  enrich: 'Enrich',
  qualify: 'Qualified',
  suppression: 'Not suppressed',
  contact_policy: 'Contact policies',
  filter: 'Filter',
  conditional: 'Branch',
  score: 'Scored',
  optimize: 'Objectives',
  rank: 'Ranked',
  group: 'Placements',
  admission: 'Within limits',
  coupling: 'Coupling',
  compute: 'Computed',
  set_properties: 'Properties',
  response: 'Response',
  call_flow: 'Called flow',
  extension_point: 'Webhook',
  commit: 'Commit',
} satisfies Record<FlowNodeType, string> & Record<string, string>;
