import type { DropReason, EmptyReason } from '@arbiter/engine';

/** Why an offer left a decision: a few words for lists, and a sentence. */
export interface DropText {
  readonly title: string;
  readonly text: string;
}

export const dropTexts: Readonly<Record<DropReason, DropText>> = {
  schedule: { title: 'Outside its schedule', text: 'The schedule of the offer was closed at that moment.' },
  excluded: {
    title: 'Excluded by the caller',
    text: 'The request named the offer, or all its creatives, as not wanted.',
  },
  emergency_excluded: {
    title: 'Stopped in an emergency',
    text: 'The offer is switched off for every door. Nothing else lets it through.',
  },
  stock: { title: 'Out of stock', text: 'Nothing of the offer is left.' },
  budget: { title: 'Budget used up', text: 'A budget of the offer was used up, over all customers.' },
  offer_frequency_cap: {
    title: 'Its own limit',
    text: 'The offer may be shown to one customer only so often, and was.',
  },
  no_creative: { title: 'No creative', text: 'The offer has no usable creative for what was asked.' },
  creative_constraint: {
    title: 'Creative used up',
    text: 'Each of its creatives was shown to this customer as often as it may be.',
  },
  placement_targeting: {
    title: 'Not for this placement',
    text: 'The placement is meant for other customers or requests.',
  },
  enrich: { title: 'Needed data missing', text: 'The flow drops offers when a row that it looks up is not there.' },
  qualification: { title: 'Not qualified', text: 'A qualification rule, or the eligibility of the offer, refused it.' },
  suppressed: { title: 'Suppressed', text: 'The customer must not be asked with this until the suppression ends.' },
  contact_policy: { title: 'Contact policy', text: 'A contact policy refused it.' },
  filter: { title: 'Filtered out', text: 'The condition of a filter node does not hold for it.' },
  conditional: { title: 'Dropped by a branch', text: 'A conditional node drops every offer in this case.' },
  sub_flow_unavailable: { title: 'Called flow unavailable', text: 'A flow that was called could not run.' },
  call_flow: { title: 'Left in a called flow', text: 'A flow that was called did not keep it.' },
  extension_point: { title: 'Dropped by a webhook', text: 'The answer of an extension point dropped it.' },
  min_propensity: { title: 'Propensity too low', text: 'The score node keeps offers from a least propensity on.' },
  min_score: { title: 'Score too low', text: 'The score node keeps offers from a least score on.' },
  mandatory_cap: {
    title: 'Enough mandatory offers',
    text: 'The customer has had as many mandatory offers today as the tenant allows.',
  },
  coupling: {
    title: 'Coupled placement empty',
    text: 'Placements of its channel are filled together or not at all, and one stayed empty.',
  },
  quota: { title: 'Playground quota', text: 'The playground has given away as many items as it may.' },
  cut: { title: 'Others were better', text: 'It passed every gate; the answer had no room left for it.' },
};

/** `cause` of a schedule, a budget or a cap that cannot be read. */
export const causeTexts: Readonly<Record<string, string>> = {
  not_started: 'has not begun',
  ended: 'has ended',
  day: 'closed on this weekday',
  hour: 'closed at this hour',
  unreadable: 'cannot be read, and closes',
  daily_spend: 'spend of the day used up',
  lifetime_spend: 'spend used up',
  daily_impressions: 'impressions of the day used up',
  lifetime_impressions: 'impressions used up',
};

/** A limit that the items before it in the same answer used up. */
export const usedUpByAnswer = 'The items before it in this answer used up what was left.';

export const suppressionTexts = {
  scopes: { global: 'everything', category: 'its category', offer: 'this offer' } as Readonly<Record<string, string>>,
  until: (scope: string, instant: string) => `${scope}, until ${instant}`,
};

/** Why a whole answer has no item. */
export const emptyTexts: Readonly<Record<EmptyReason, DropText>> = {
  no_channel: { title: 'No such channel', text: 'No active channel has this type or id.' },
  no_placement: { title: 'No such placement', text: 'No placement of the channel goes by this name.' },
  placement_inactive: { title: 'Placement inactive', text: 'The placement, or its channel, is not active.' },
  inventory: { title: 'No candidate', text: 'No offer was active, on schedule and within budget.' },
  match_creatives: { title: 'No creative fits', text: 'No offer has a usable creative for what was asked.' },
  enrich: { title: 'Needed data missing', text: 'Rows that the flow looks up are not there.' },
  qualify: { title: 'No offer qualified', text: 'Qualification rules refused every offer that was left.' },
  suppression: { title: 'All suppressed', text: 'Every offer that was left is suppressed for this customer.' },
  contact_policy: { title: 'Contact policies', text: 'Contact policies refused every offer that was left.' },
  filter: { title: 'All filtered out', text: 'A filter node let none of the offers through.' },
  score: { title: 'Scores too low', text: 'Every offer that was left stayed below a least score or propensity.' },
  mandatory: { title: 'Mandatory list', text: 'None of the mandatory offers could be shown.' },
  admission: {
    title: 'Limits used up',
    text: 'Limits that are counted at delivery refused every offer that was left.',
  },
  coupling: { title: 'Coupled placements', text: 'Coupled placements were emptied together.' },
  conditional: { title: 'Dropped by a branch', text: 'A conditional node dropped every offer.' },
  call_flow: { title: 'Called flow', text: 'A flow that was called kept none of the offers.' },
  extension_point: { title: 'Webhook', text: 'The answer of an extension point dropped every offer.' },
  rank: { title: 'Ranking', text: 'The rank node gave no offer a place.' },
};

/** Names of the stages of a decision. */
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
  response: 'Answer',
  call_flow: 'Called flow',
  extension_point: 'Webhook',
  commit: 'Commit',
};
