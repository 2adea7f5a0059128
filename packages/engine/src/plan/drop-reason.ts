import type { Json } from './snapshot.ts';

/** Why a candidate leaves (docs/design/api-decisioning.md 11, docs/design/api-catalogue.md 5.2, 6, 7). */
export type DropReason =
  | 'schedule'
  | 'excluded'
  | 'emergency_excluded'
  | 'stock'
  | 'budget'
  | 'offer_frequency_cap'
  | 'no_creative'
  | 'creative_constraint'
  | 'placement_targeting'
  | 'enrich'
  | 'qualification'
  | 'suppressed'
  | 'contact_policy'
  | 'filter'
  | 'conditional'
  | 'sub_flow_unavailable'
  | 'call_flow'
  | 'extension_point'
  | 'min_propensity'
  | 'min_score'
  | 'mandatory_cap'
  | 'coupling'
  | 'quota'
  | 'cut';

export interface Gate {
  readonly ruleId: string | null;
  readonly policyId: string | null;
  readonly detail: Json;
}
