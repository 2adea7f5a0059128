import Type, { type Static, type TObject } from 'typebox';
import { Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { type ContactPolicyType, contactPolicyTypes } from './contact-policy-parts.ts';

// What the contact policies of a decision said of its offers, by policy type (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const texts = (description: string) => Type.Array(Type.String(), { description });

const capUse = {
  period: StringEnum(['daily', 'weekly', 'monthly', 'alltime', 'rolling'], { description: 'Window of the limit.' }),
  max: count('Maximum contacts in the window.'),
  actual: count('Contacts counted in the window.'),
};
const rollingCap = {
  ...capUse,
  windowDays: Type.Optional(Int(1, 365, 'Length of a rolling window in days.')),
  windowHours: Type.Optional(Int(1, 8760, 'Length of a rolling window in hours.')),
};

/** Details of the policy types that can be evaluated. */
export const policyDetails = {
  frequency_cap: Type.Object(rollingCap, { description: 'The limit that is reached.' }),
  customer_total_cap: Type.Object(rollingCap, { description: 'The limit that is reached.' }),
  cross_channel_cap: Type.Object(
    { ...rollingCap, channels: texts('Channels counted together; empty for all.') },
    { description: 'The limit that is reached.' },
  ),
  offer_category_cap: Type.Object(
    { ...capUse, targetCategory: text('Category the cap counts, by ID or name.') },
    { description: 'The limit that is reached.' },
  ),
  cooldown: Type.Object(
    {
      cooldownHours: number('Hours to wait after a contact.'),
      hoursSinceLast: number('Hours since the last contact, rounded down to 2 decimals.'),
    },
    { description: 'Time since the last contact.' },
  ),
  time_window: Type.Object(
    {
      allowedDays: Type.Array(Int(0, 6, 'Day of the week; 0 is Sunday.'), {
        description: 'Days contacts are allowed.',
      }),
      currentDay: Nullable(Int(0, 6, 'Day of the week; 0 is Sunday.'), {
        description: 'Day of the decision; null if the time zone is never stored.',
      }),
      startHour: Int(0, 24, 'First hour contacts are allowed.'),
      endHour: Int(0, 24, 'Hour at which the window closes.'),
      currentHour: Nullable(Int(0, 23, 'Hour.'), {
        description: 'Hour of the decision; null if the time zone is never stored.',
      }),
      timezone: textOrNull('IANA time zone of the window; null if it is never stored.'),
    },
    { description: 'The allowed window and the time of the decision.' },
  ),
  mutual_exclusion: Type.Object(
    {
      offerGroup: texts('IDs of the offers that exclude each other.'),
      conflictingOfferId: textOrNull('Offer of the group that was shown.'),
    },
    { description: 'The offer that excludes this one.' },
  ),
  budget_exhausted: Type.Object(
    {
      budgetField: StringEnum(['impressions', 'spend'], { description: 'What the policy limits.' }),
      threshold: number('Limit: impressions, or spend in units of the currency.'),
      actual: number('Amount used, in the same unit.'),
    },
    { description: 'The limit and its use.' },
  ),
  do_not_contact: Type.Object(
    {
      dncSource: textOrNull('Where the opt-out comes from.'),
      reason: Type.Literal('asked', { description: 'The customer asked not to be contacted.' }),
      policyReason: textOrNull('Reason from the policy.'),
    },
    { description: 'The opt-out.' },
  ),
  segment_exclusion: Type.Object(
    {
      excludeSegments: texts('Segments the policy excludes, by ID or name.'),
      matchedSegment: textOrNull('Excluded segment the customer is in.'),
    },
    { description: 'The segment that is excluded.' },
  ),
  outcome_based: Type.Object(
    {
      afterOutcome: texts('Keys of the outcomes that block.'),
      suppressForDays: number('Days the policy blocks after such an outcome.'),
      daysSince: number('Days since the outcome.'),
      lastOutcome: text('Key of the outcome.'),
      scope: text('What the outcome was counted for, such as `offer`.'),
    },
    { description: 'The outcome that blocks.' },
  ),
  category_suppression: Type.Object(
    {
      categoryId: textOrNull('Category that is suppressed; null for all offers.'),
      subCategoryId: textOrNull('Sub-category that is suppressed; null for all.'),
      suppressionDays: number('Days the category is suppressed.'),
      daysSince: number('Days since the interaction that started it.'),
      triggeringOfferId: textOrNull('Offer of that interaction.'),
      suppressedUntil: Timestamp('When the suppression ends.'),
    },
    { description: 'The suppressed category.' },
  ),
  allow_override: Type.Object(
    {
      policyReason: textOrNull('Reason from the policy.'),
      overridden: Type.Optional(texts('IDs of the policies whose blocks it lifted.')),
    },
    { description: 'The blocks that were lifted.' },
  ),
  metric_condition: Type.Object(
    {
      metricId: text('Metric that is compared.'),
      metricName: text('Name of the metric.'),
      operator: text('Comparison operator, such as `gte`.'),
      threshold: number('Number the value is compared with.'),
      actual: Nullable(Type.Number(), { description: "The customer's value, or null." }),
    },
    { description: 'The metric that blocks.' },
  ),
} satisfies Record<ContactPolicyType, TObject>;

export const PolicyError = Type.Object(
  {
    error: Type.Literal('policy_error', {
      description: "The policy's configuration can't be evaluated, so it blocks.",
    }),
  },
  { description: "A policy that can't be evaluated." },
);

const policyResult = <T extends keyof typeof policyDetails>(ruleType: T) =>
  Type.Object(
    {
      offerId: text('Offer.'),
      blocked: Type.Boolean({ description: 'True if the policy blocks the offer.' }),
      reason: textOrNull('Why the policy blocks, or what it lifts, as text; otherwise null.'),
      policyId: text('ID of the policy.'),
      policyName: text('Name of the policy.'),
      ruleType: Type.Literal(ruleType, { description: 'Type of the policy.' }),
      status: StringEnum(['passed', 'blocked', 'skipped', 'overridden'], {
        description:
          '`skipped`: mandatory offers bypass the policy. `overridden`: it would block, but another policy lifts the block.',
      }),
      overriddenBy: textOrNull('ID of the policy that lifts the block, or null.'),
      detail: Nullable(Type.Union([policyDetails[ruleType], PolicyError]), {
        description: 'Compared values; null if the policy passes or is skipped.',
      }),
    },
    { description: `Result of a policy of the type \`${ruleType}\`.` },
  );

/** Result of one contact policy for one offer. */
export const PolicyResult = Type.Unsafe<PolicyResult>(
  Type.Union(
    contactPolicyTypes.map((type) => policyResult(type)),
    { description: 'Result of a contact policy for one offer, by policy type.' },
  ),
);
export type PolicyResult = { [T in ContactPolicyType]: Static<ReturnType<typeof policyResult<T>>> }[ContactPolicyType];

/** Details of every policy type, where the row does not say which it is. */
export const PolicyDetail = Type.Unsafe<PolicyDetail>(
  Type.Union([...contactPolicyTypes.map((type) => policyDetails[type]), PolicyError], {
    description: 'The values that the policy compared. Their fields depend on the policy type.',
  }),
);
export type PolicyDetail =
  | { [T in ContactPolicyType]: Static<(typeof policyDetails)[T]> }[ContactPolicyType]
  | Static<typeof PolicyError>;

const blockedBy = <T extends keyof typeof policyDetails>(ruleType: T) =>
  Type.Object(
    { reason: text('Why the policy blocks, as text.'), ...policyDetails[ruleType].properties },
    { description: `Block of a policy of the type \`${ruleType}\`.` },
  );

const BlockByError = Type.Object(
  { reason: text('Why the policy blocks, as text.'), ...PolicyError.properties },
  { description: 'Block of a policy that cannot be evaluated.' },
);

type BlockingType = Exclude<ContactPolicyType, 'allow_override'>;
const isBlocking = (type: ContactPolicyType): type is BlockingType => type !== 'allow_override';

/** Why a policy dropped an offer: its reason, with the details of its type. */
export const PolicyBlockDetail = Type.Unsafe<PolicyBlockDetail>(
  Type.Union([...contactPolicyTypes.filter(isBlocking).map((type) => blockedBy(type)), BlockByError], {
    description: 'Why the policy blocks, with the compared values by policy type.',
  }),
);
export type PolicyBlockDetail =
  | { [T in BlockingType]: Static<ReturnType<typeof blockedBy<T>>> }[BlockingType]
  | Static<typeof BlockByError>;
