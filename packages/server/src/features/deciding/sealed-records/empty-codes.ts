import type { EmptyReason } from '@arbiter/engine';

/**
 * Numbers of the reasons for an answer without items, as stored in `decisions.empty_code`. Records live for years:
 * never reuse a number, and give a new reason the next free one.
 */
export const emptyCodes: Readonly<Record<EmptyReason, number>> = {
  no_channel: 1,
  no_placement: 2,
  placement_inactive: 3,
  inventory: 4,
  match_creatives: 5,
  enrich: 6,
  qualify: 7,
  suppression: 8,
  contact_policy: 9,
  filter: 10,
  score: 11,
  mandatory: 12,
  admission: 13,
  coupling: 14,
  conditional: 15,
  call_flow: 16,
  extension_point: 17,
  rank: 18,
};
