import Type, { type Static } from 'typebox';
import type { AnyPolicyConfig } from '../core/config-types.generated.ts';
import { ConfigObject, Id, Int, Nullable, StringEnum } from '../core/schemas.ts';

// Parts of contact policies that other bodies share: few, because the console loads them with every simulation.

/** The 14 rule types of the contract. */
export const contactPolicyTypes = [
  'frequency_cap',
  'cooldown',
  'budget_exhausted',
  'outcome_based',
  'segment_exclusion',
  'time_window',
  'mutual_exclusion',
  'cross_channel_cap',
  'customer_total_cap',
  'offer_category_cap',
  'allow_override',
  'category_suppression',
  'do_not_contact',
  'metric_condition',
] as const;
export type ContactPolicyType = (typeof contactPolicyTypes)[number];

export const contactPolicyScopes = ['global', 'offer', 'creative', 'channel', 'category', 'subcategory'] as const;
export type ContactPolicyScope = (typeof contactPolicyScopes)[number];

export const policyStatuses = ['draft', 'active', 'paused', 'archived'] as const;

export const PolicyStatus = StringEnum(policyStatuses, { description: 'Only active policies are evaluated.' });
export const PolicyType = StringEnum(contactPolicyTypes, { description: 'What the policy limits.' });
export const PolicyScope = StringEnum(contactPolicyScopes, { description: 'Kind of target the policy applies to.' });

const Assignment = Type.Object(
  {
    scope: PolicyScope,
    scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'ID of the target; null for global.' })),
  },
  { description: 'One target of the policy.' },
);

export const PolicyConfig = ConfigObject<AnyPolicyConfig>(
  'Settings of the rule type. Unknown keys are stored but have no effect.',
  'policies',
);
export const PolicyPriority = Int(0, 100, 'Policies with a higher priority are evaluated first.');
export const PolicyScopes = Type.Array(Assignment, {
  maxItems: 1000,
  description: 'Assignments, at most 200 and without duplicates. They override `scope` and `scopeId`.',
});

/** A policy to try: an unsaved one, or a stored one with other values. */
export const ContactPolicyTrial = Type.Object(
  {
    id: Type.Optional(
      Id('Stored policy to replace. Omitted properties keep their stored values. Default: an additional policy.'),
    ),
    status: Type.Optional(PolicyStatus),
    ruleType: Type.Optional(PolicyType),
    config: Type.Optional(PolicyConfig),
    priority: Type.Optional(PolicyPriority),
    scopes: Type.Optional(PolicyScopes),
  },
  { description: 'A contact policy to try. Without `id`, `ruleType` and `scopes` are required.' },
);
export type ContactPolicyTrial = Static<typeof ContactPolicyTrial>;
