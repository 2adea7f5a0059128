import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorQuery, type PageLimits, Pagination } from '../core/pages.ts';
import { CustomerId, Id, IdText, JsonObject, Nullable, Timestamp } from '../core/schemas.ts';
import { PolicyDetail } from './decision-policies.ts';
import { RuleDetail } from './decision-rules.ts';

// What can be decided for a customer and why (docs/design/api-access.md 16, docs/design/api-settled.md 63, 85).

/** Offers per page of the eligibility. */
export const eligibilityPage: PageLimits = { usual: 200, maximum: 1000 };
/** Ranked offers that a profile shows. */
export const profileRanked = 50;

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const flag = (description: string) => Type.Boolean({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const ruleDetail = Nullable(RuleDetail, {
  description: 'Compared values, by rule type; null if the rule passes. Values that are never stored are withheld.',
});
const policyDetail = Nullable(PolicyDetail, {
  description:
    'The values that the policy compared, or null. Their fields depend on the policy type. Values that are never stored are withheld.',
});

const requestFields = {
  channel: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Channel type. Default: every active channel.' }),
  ),
  placement: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Placement ID, otherwise key, name or slot type.' }),
  ),
};

const QualificationResult = Type.Object(
  {
    ruleId: textOrNull("ID of the rule; null for the offer's own eligibility."),
    ruleName: textOrNull('Name of the rule.'),
    ruleType: textOrNull('Type of the rule.'),
    stage: text('eligibility, fit or match. A failed match rule only lowers the score.'),
    passed: flag('Whether the rule passes.'),
    reason: textOrNull('Why the rule fails.'),
    detail: ruleDetail,
  },
  { description: 'Result of one rule.' },
);

const PolicyBlock = Type.Object(
  {
    policyId: Id('Policy.'),
    policyName: text('Name of the policy.'),
    ruleType: text('Type of the policy.'),
    blocked: flag('Always true: only blocking policies are listed.'),
    reason: textOrNull('Reason, as text.'),
    detail: policyDetail,
  },
  { description: 'A policy that blocks.' },
);

export const JudgedOffer = Type.Object(
  {
    offerId: Id('Offer.'),
    offerName: text('Name of the offer.'),
    categoryId: textOrNull('Category.'),
    subCategoryId: textOrNull('Sub-category.'),
    priority: Type.Number({ description: 'Priority.' }),
    eligible: flag('The offer passes every gate of the flow.'),
    primaryReason: textOrNull(
      'First gate that rejects the offer, as in `droppedByReason`. `inventory`: it is not a candidate in the flow. Null if eligible.',
    ),
    rank: Nullable(Type.Integer({ minimum: 1 }), {
      description: 'Rank among the eligible offers, from 1; otherwise null.',
    }),
    score: Nullable(Type.Number(), { description: 'Score, 6 decimals; null if not eligible.' }),
    scheduleBlocked: flag('The offer is outside its schedule.'),
    qualificationPassed: flag("No rule of the stages eligibility and fit fails, nor does the offer's own eligibility."),
    qualification: Type.Array(QualificationResult, { description: 'Rules that apply to the offer.' }),
    contactPolicyBlocked: flag('A contact policy blocks the offer.'),
    policies: Type.Array(PolicyBlock, { description: 'Policies that block the offer.' }),
    creativeCount: count('Active creatives in the requested channels.'),
  },
  { description: 'What the gates decide about an offer.' },
);
export type JudgedOffer = Static<typeof JudgedOffer>;

export const CustomerEligibility = Type.Object(
  {
    customerId: CustomerId(),
    known: flag('False: the customer has no row.'),
    evaluatedAt: Timestamp('Time used for the decisions.'),
    sampled: flag(
      'True: a model of the flow draws scores at random. The result is one such draw, which stays the same ' +
        'while nothing changes. Each real decision draws again, so the order and gates on such scores may ' +
        'differ.',
    ),
    customer: JsonObject('Attributes of the customer, without those that are never stored.'),
    segments: Type.Array(Type.String(), { description: 'Names of the active segments the customer is in.' }),
    summary: Type.Object(
      {
        totalOffers: count('Active offers.'),
        eligibleCount: count('Offers that pass.'),
        ineligibleCount: count("Offers that don't pass."),
        failedQualification: count('Offers that fail qualification.'),
        blockedByContactPolicy: count('Offers that a contact policy blocks.'),
        suppressed: count('Offers held back by a suppression.'),
        blockedBySchedule: count('Offers outside their schedule.'),
        noCreatives: count('Offers without a matching creative.'),
      },
      { description: 'How many offers each gate rejects. An offer can be rejected by several gates.' },
    ),
    offers: Type.Array(JudgedOffer, { description: 'Eligible offers by rank, then the others by ID.' }),
    pagination: Pagination,
  },
  { description: 'What could be decided for a customer.' },
);
export type CustomerEligibility = Static<typeof CustomerEligibility>;

const rejected = {
  offerId: Id('Offer.'),
  offerName: text('Name of the offer.'),
};

export const CustomerProfile = Type.Object(
  {
    customerId: CustomerId(),
    known: flag('False: the customer has no row.'),
    evaluatedAt: Timestamp('Time used for the decision.'),
    flow: Type.Object(
      {
        id: text('Flow.'),
        key: text('Key of the flow.'),
        version: Nullable(Type.Integer(), { description: 'Published version.' }),
      },
      { description: 'Flow that ran.' },
    ),
    attributes: JsonObject('Attributes of the customer, without those that are never stored.'),
    segments: Type.Array(Type.String(), { description: 'Names of the active segments the customer is in.' }),
    metrics: Type.Record(Type.String(), Type.Number(), {
      description: 'Behavioral metrics without dimensions, by key.',
    }),
    counters: Type.Array(
      Type.Object(
        {
          offerId: Id('Offer.'),
          creativeId: textOrNull('Creative.'),
          channelId: textOrNull('Channel.'),
          campaignId: textOrNull('Campaign.'),
          lastAt: Timestamp('Latest contact that counts.'),
          counts: Type.Record(Type.String(), Type.Integer(), {
            description:
              'Contacts by window: `day`, `week`, `month`, `days30`, `alltime` and `rolling_<seconds>s`, as far as the flow counts them.',
          }),
        },
        { description: 'Contacts with an offer, by creative, channel and campaign.' },
      ),
      { description: 'What the caps count, including open reservations.' },
    ),
    stages: Type.Array(
      Type.Object(
        {
          stage: text('Stage, as in traces.'),
          nodeId: textOrNull('ID of the node; null for a stage of the engine.'),
          in: count('Number of offers that entered the stage.'),
          out: count('Number of offers that remained.'),
          durationMs: Nullable(Type.Number(), { description: 'Duration of the stage.' }),
          dropped: Type.Array(
            Type.Object({ ...rejected, reason: text('Reason, as text.') }, { description: 'A dropped offer.' }),
            {
              description: 'Dropped offers, at most 500 over all stages.',
            },
          ),
        },
        { description: 'A stage.' },
      ),
      { description: 'Stages from all offers to the ranked ones.' },
    ),
    qualificationRejections: Type.Array(
      Type.Object(
        {
          ...rejected,
          ruleId: textOrNull("ID of the rule; null for the offer's own eligibility."),
          ruleName: textOrNull('Name of the rule.'),
          ruleType: textOrNull('Type of the rule.'),
          reason: textOrNull('Reason, as text.'),
          detail: ruleDetail,
        },
        { description: 'A rule that rejected an offer.' },
      ),
      { description: 'Rules of the stages eligibility and fit.' },
    ),
    contactPolicyRejections: Type.Array(
      Type.Object(
        {
          ...rejected,
          policyId: Id('Policy.'),
          policyName: text('Name of the policy.'),
          ruleType: text('Type of the policy.'),
          reason: textOrNull('Reason, as text.'),
          detail: policyDetail,
        },
        { description: 'A policy that blocked an offer.' },
      ),
      { description: 'Contact policies that blocked.' },
    ),
    ranked: Type.Array(
      Type.Object(
        {
          rank: Type.Integer({ minimum: 1, description: 'Rank, from 1.' }),
          ...rejected,
          score: Type.Number({ description: 'Score, 6 decimals.' }),
          components: Type.Object(
            {
              propensity: Type.Number({ description: 'Likelihood of a positive outcome.' }),
              relevance: Type.Number({ description: 'Fit of channel, recency and interests.' }),
              impact: Type.Number({ description: 'Business value.' }),
              emphasis: Type.Number({ description: 'Priority as a share.' }),
              fitMultiplier: Type.Number({ description: 'Product of the penalties of failed match rules.' }),
            },
            { description: 'The parts of the score, 6 decimals.' },
          ),
        },
        { description: 'A ranked offer.' },
      ),
      { description: `Offers the flow would deliver, at most ${profileRanked}.` },
    ),
  },
  { description: 'A decision for a customer, stage by stage. Nothing is stored or counted.' },
);
export type CustomerProfile = Static<typeof CustomerProfile>;

const common = {
  method: 'GET',
  tag: 'Customers',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  params: Type.Object({ customerId: CustomerId('Your own ID of the customer.') }, { description: 'Customer to read.' }),
  rateLimits: [{ limit: 300, windowSeconds: 60, per: 'tenant' }],
  audit: [],
  transaction: 'own',
} as const;

export const customerToolOperations = {
  eligibility: operation({
    ...common,
    id: 'customers.eligibility',
    path: '/api/v1/customers/{customerId}/eligibility',
    summary: 'List eligible offers for a customer and why others are not',
    description:
      'Checks every active offer against every gate of the flow that would run. Without `channel` and ' +
      '`placement`, every active channel is checked, and an offer is eligible if it is eligible in one of ' +
      'them. For an unknown customer, `known` is false.',
    query: Type.Object(
      { ...requestFields, ...cursorQuery(eligibilityPage) },
      { description: 'Where to decide, and the page.' },
    ),
    responses: { 200: { description: 'The offers.', schema: CustomerEligibility } },
    errors: ['invalid_cursor'],
  }),
  profile: operation({
    ...common,
    id: 'customers.profile',
    path: '/api/v1/customers/{customerId}/profile',
    summary: 'Show a decision for a customer stage by stage',
    description:
      'Runs the flow without storing anything: from all offers to the ranked ones, with the reason for every drop.',
    query: Type.Object(
      {
        channel: requestFields.channel,
        placement: requestFields.placement,
        flowId: Type.Optional(IdText('Key or ID of the flow.')),
      },
      { description: 'Where to decide, and with which flow.' },
    ),
    responses: { 200: { description: 'The decision.', schema: CustomerProfile } },
    errors: ['not_found', 'flow_not_published'],
  }),
};
