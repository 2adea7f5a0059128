import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorQuery, type PageLimits, Pagination } from './core/pages.ts';
import { CustomerId, Id, IdText, JsonObject, Nullable, Timestamp } from './core/schemas.ts';

// What can be decided for a customer and why (part 1, 4.15; docs/design/api-access.md 16, docs/design/api-settled.md 63, 85).

/** Offers per page of the eligibility. */
export const eligibilityPage: PageLimits = { usual: 200, maximum: 1000 };
/** Ranked offers that a profile shows. */
export const profileRanked = 50;

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const flag = (description: string) => Type.Boolean({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const detail = Type.Unknown({
  description: 'What was compared, by rule type; null for none. Values that are never stored are withheld.',
});

const asked = {
  channel: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Channel type; left out: every active channel.' }),
  ),
  placement: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Placement id, else key, else name, else slot type.' }),
  ),
};

const QualificationResult = Type.Object(
  {
    ruleId: textOrNull("Rule; null for the offer's own eligibility."),
    ruleName: textOrNull('Name of the rule.'),
    ruleType: textOrNull('Type of the rule.'),
    stage: text('eligibility, fit or match; a failed match rule lowers the score only.'),
    passed: flag('Whether it holds.'),
    reason: textOrNull('Why it fails.'),
    detail,
  },
  { description: 'What a rule says.' },
);

const PolicyBlock = Type.Object(
  {
    policyId: Id('Policy.'),
    policyName: text('Name of the policy.'),
    ruleType: text('Type of the policy.'),
    blocked: flag('True: only policies that block are listed.'),
    reason: textOrNull('Why.'),
    detail,
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
    eligible: flag('Passes every gate of the flow.'),
    primaryReason: textOrNull(
      'First gate that refuses it, as in `droppedByReason`; `inventory`: the flow does not take it; null when eligible.',
    ),
    rank: Nullable(Type.Integer({ minimum: 1 }), { description: 'Among the eligible offers, from 1; null otherwise.' }),
    score: Nullable(Type.Number(), { description: 'Score, 6 decimals; null when not eligible.' }),
    scheduleBlocked: flag('Outside its schedule.'),
    qualificationPassed: flag('No rule of the stages eligibility and fit fails, nor its own eligibility.'),
    qualification: Type.Array(QualificationResult, { description: 'Rules that concern it.' }),
    contactPolicyBlocked: flag('A contact policy blocks it.'),
    policies: Type.Array(PolicyBlock, { description: 'Those that block it.' }),
    creativeCount: count('Active creatives in the channels that are asked.'),
  },
  { description: 'What the gates say of an offer.' },
);
export type JudgedOffer = Static<typeof JudgedOffer>;

export const CustomerEligibility = Type.Object(
  {
    customerId: CustomerId(),
    known: flag('False: there is no row of the customer.'),
    evaluatedAt: Timestamp("The decisions' clock."),
    sampled: flag(
      'True: a model of the flow draws scores. They are then one draw of it, the same for each question while nothing changes; ' +
        'each decision draws anew, so gates on such scores and the order may come out otherwise.',
    ),
    customer: JsonObject('Attributes of the customer, without those that are never stored.'),
    segments: Type.Array(Type.String(), { description: 'Names of the active segments that the customer belongs to.' }),
    summary: Type.Object(
      {
        totalOffers: count('Active offers.'),
        eligibleCount: count('Those that pass.'),
        ineligibleCount: count('Those that do not.'),
        failedQualification: count('Offers that fail qualification.'),
        blockedByContactPolicy: count('Offers that a contact policy blocks.'),
        suppressed: count('Offers that a suppression keeps back.'),
        blockedBySchedule: count('Offers outside their schedule.'),
        noCreatives: count('Offers without a creative that fits.'),
      },
      { description: 'How many offers each gate refuses; an offer may be refused by several.' },
    ),
    offers: Type.Array(JudgedOffer, { description: 'Eligible ones by rank, then the others by id.' }),
    pagination: Pagination,
  },
  { description: 'What can be decided for a customer.' },
);
export type CustomerEligibility = Static<typeof CustomerEligibility>;

const rejected = {
  offerId: Id('Offer.'),
  offerName: text('Name of the offer.'),
};

export const CustomerProfile = Type.Object(
  {
    customerId: CustomerId(),
    known: flag('False: there is no row of the customer.'),
    evaluatedAt: Timestamp("The decision's clock."),
    flow: Type.Object(
      {
        id: text('Flow.'),
        key: text('Key of the flow.'),
        version: Nullable(Type.Integer(), { description: 'Published version.' }),
      },
      { description: 'Flow that ran.' },
    ),
    attributes: JsonObject('Attributes of the customer, without those that are never stored.'),
    segments: Type.Array(Type.String(), { description: 'Names of the active segments that the customer belongs to.' }),
    metrics: JsonObject('Behavioral metrics by key; none are computed in this version.'),
    counters: Type.Array(
      Type.Object(
        {
          offerId: Id('Offer.'),
          creativeId: textOrNull('Creative.'),
          channelId: textOrNull('Channel.'),
          campaignId: textOrNull('Campaign.'),
          lastAt: Timestamp('Latest counted contact.'),
          counts: Type.Record(Type.String(), Type.Integer(), {
            description:
              'Contacts by window: `day`, `week`, `month`, `days30`, `alltime`, and `rolling_<seconds>s`, as far as the flow counts them.',
          }),
        },
        { description: 'Contacts with an offer, by creative, channel and campaign.' },
      ),
      { description: 'What the caps count, open reservations included.' },
    ),
    stages: Type.Array(
      Type.Object(
        {
          stage: text('Stage, as in traces.'),
          nodeId: textOrNull('Node; null for a stage of the engine.'),
          in: count('Offers that came in.'),
          out: count('Offers that are left.'),
          durationMs: Nullable(Type.Number(), { description: 'How long it took.' }),
          dropped: Type.Array(
            Type.Object({ ...rejected, reason: text('Why.') }, { description: 'An offer that left.' }),
            { description: 'Offers that left, at most 500 over all stages.' },
          ),
        },
        { description: 'A stage.' },
      ),
      { description: 'From all offers to the ranked ones.' },
    ),
    qualificationRejections: Type.Array(
      Type.Object(
        {
          ...rejected,
          ruleId: textOrNull("Rule; null for the offer's own eligibility."),
          ruleName: textOrNull('Name of the rule.'),
          ruleType: textOrNull('Type of the rule.'),
          reason: textOrNull('Why.'),
          detail,
        },
        { description: 'A rule that refused an offer.' },
      ),
      { description: 'Of the stages eligibility and fit.' },
    ),
    contactPolicyRejections: Type.Array(
      Type.Object(
        {
          ...rejected,
          policyId: Id('Policy.'),
          policyName: text('Name of the policy.'),
          ruleType: text('Type of the policy.'),
          reason: textOrNull('Why.'),
          detail,
        },
        { description: 'A policy that blocked an offer.' },
      ),
      { description: 'Contact policies that blocked.' },
    ),
    ranked: Type.Array(
      Type.Object(
        {
          rank: Type.Integer({ minimum: 1, description: 'Position.' }),
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
      { description: `What the flow would deliver, at most ${profileRanked}.` },
    ),
  },
  { description: 'A decision of a customer, stage by stage. Nothing was stored or counted.' },
);
export type CustomerProfile = Static<typeof CustomerProfile>;

const common = {
  method: 'GET',
  tag: 'Customers',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  params: Type.Object(
    { customerId: CustomerId("The tenant's own id of the customer.") },
    { description: 'Which customer.' },
  ),
  rateLimits: [{ limit: 300, windowSeconds: 60, per: 'tenant' }],
  audit: [],
  transaction: 'own',
} as const;

export const customerToolOperations = {
  eligibility: operation({
    ...common,
    id: 'customers.eligibility',
    path: '/api/v1/customers/{customerId}/eligibility',
    summary: 'Tell which offers a customer could get, and what refuses the others',
    description:
      'Asks every gate of the flow that would run of every active offer. Without `channel` and `placement` each active channel is asked, ' +
      'and an offer is eligible when it is so in one of them. Of an unknown customer `known` is false.',
    query: Type.Object({ ...asked, ...cursorQuery(eligibilityPage) }, { description: 'Where, and the page.' }),
    responses: { 200: { description: 'The offers.', schema: CustomerEligibility } },
    errors: ['invalid_cursor'],
  }),
  profile: operation({
    ...common,
    id: 'customers.profile',
    path: '/api/v1/customers/{customerId}/profile',
    summary: 'Show a decision of a customer stage by stage',
    description: 'Runs the flow for show: from all offers to the ranked ones, with what refused the others.',
    query: Type.Object(
      {
        channel: asked.channel,
        placement: asked.placement,
        flowId: Type.Optional(IdText('Key or id of the flow.')),
      },
      { description: 'Where and by what.' },
    ),
    responses: { 200: { description: 'The decision.', schema: CustomerProfile } },
    errors: ['not_found', 'flow_not_published'],
  }),
};
