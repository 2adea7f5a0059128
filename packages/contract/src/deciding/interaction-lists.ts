import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage, limitQuery, type PageLimits } from '../core/pages.ts';
import { CustomerId, Id, IdFilter, Int, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { rangeQuery } from '../core/time-range.ts';
import { warnedAnswer } from '../core/warnings.ts';
import { countedAtMost } from './decision-lists.ts';

// History, its summaries and reservations (docs/design/api-access.md 16, docs/design/api-settled.md 80, 81, 86).

/** Rows per page of summaries. */
export const summaryPage: PageLimits = { usual: 50, maximum: 200 };
/** Groups of the tenant's figures. */
export const summaryGroups: PageLimits = { usual: 100, maximum: 500 };
/** Reservations of a customer that are listed. */
export const reservationsListed = 1000;

const nullableId = (description: string) => Nullable(Type.String(), { description });
const count = (description: string) => Type.Integer({ description });

const interactionTypes = ['recommendation', 'impression', 'response'] as const;
const classifications = ['positive', 'negative', 'neutral'] as const;
const directions = ['inbound', 'outbound'] as const;

export const InteractionRow = Type.Object(
  {
    id: Id('ID of the interaction.'),
    customerId: CustomerId(),
    offerId: nullableId('Offer.'),
    creativeId: nullableId('Creative.'),
    channelId: nullableId('Channel.'),
    placementId: nullableId('Placement.'),
    interactionType: StringEnum(interactionTypes, {
      description: '`recommendation`: reserved but not shown yet. `impression`: shown. `response`: any other outcome.',
    }),
    outcomeTypeKey: nullableId('Key of the outcome type; null for a recommendation.'),
    classification: StringEnum(classifications, { description: 'Classification of the outcome.' }),
    direction: StringEnum(directions, { description: 'Direction of the contact.' }),
    recommendationId: nullableId('Decision.'),
    rank: Nullable(Type.Integer(), { description: 'Item of the decision.' }),
    campaignId: nullableId('Campaign.'),
    journeyId: nullableId('Journey.'),
    conversionValue: Nullable(Type.Number(), { description: 'Conversion value.' }),
    context: Nullable(JsonObject('Context sent by the caller.'), { description: 'Context, or null.' }),
    attributes: Nullable(JsonObject('Attributes sent by the caller.'), { description: 'Attributes, or null.' }),
    timestamp: Timestamp('When it happened.'),
    createdAt: Timestamp('When it was recorded.'),
    offer: Nullable(
      Type.Object(
        {
          id: Id('Offer.'),
          name: Type.String({ description: 'Name of the offer, including deleted offers.' }),
          status: Type.String({ description: 'Status of the offer.' }),
        },
        { description: 'The offer.' },
      ),
      { description: 'The offer; null without one.' },
    ),
    creative: Nullable(
      Type.Object(
        {
          id: Id('Creative.'),
          name: Type.String({ description: 'Name of the creative, including deleted creatives.' }),
        },
        { description: 'The creative.' },
      ),
      { description: 'The creative; null without one.' },
    ),
  },
  { description: 'An interaction.' },
);
export type InteractionRow = Static<typeof InteractionRow>;

export const periodTypes = ['daily', 'weekly', 'monthly', 'alltime'] as const;
export type PeriodType = (typeof periodTypes)[number];

const PeriodKey = Type.String({
  pattern: '^(\\d{4}-\\d{2}-\\d{2}|\\d{4}-W\\d{2}|\\d{4}-\\d{2}|all)$',
  description: "Period to filter by, in the tenant's time zone: `2026-11-20`, `2026-W47`, `2026-11` or `all`.",
});

const sums = {
  impressions: count('Impressions.'),
  positive: count('Positive responses.'),
  negative: count('Negative responses.'),
  neutral: count('Neutral responses.'),
  converts: count('Conversions.'),
  totalValue: Type.Number({ description: 'Sum of the conversion values.' }),
};

const summary = {
  periodType: StringEnum(periodTypes, { description: 'Length of the period.' }),
  periodKey: Type.String({ description: 'The period: `2026-11-20`, `2026-W47` (ISO week), `2026-11` or `all`.' }),
  customerId: CustomerId(),
  offerId: Id('Offer.'),
  creativeId: nullableId('Creative.'),
  channelId: nullableId('Channel.'),
  direction: StringEnum(directions, { description: 'Direction of the contact.' }),
  ...sums,
  lastContactAt: Nullable(Timestamp('Instant.'), { description: 'Latest impression, or null.' }),
  lastOutcomeKey: nullableId('Outcome of the latest response, or null.'),
};

export const InteractionSummary = Type.Object(summary, {
  description: "A customer's interactions with an offer in one period.",
});
export type InteractionSummary = Static<typeof InteractionSummary>;

export const summaryGroupings = ['offer', 'creative', 'channel', 'category', 'customer'] as const;
export type SummaryGrouping = (typeof summaryGroupings)[number];

export const SummaryGroup = Type.Object(
  {
    id: nullableId('ID of the offer, creative, channel, category or customer, or null.'),
    name: nullableId('Name; null for a customer.'),
    status: nullableId('Status, or null.'),
    impressions: sums.impressions,
    positive: sums.positive,
    negative: sums.negative,
    neutral: sums.neutral,
    converts: sums.converts,
    total: count('Positive, negative and neutral responses.'),
    ctr: Type.Number({
      description: 'Clicks as a percentage of impressions, 2 decimals; 0 without impressions.',
    }),
    cvr: Type.Number({ description: 'Conversions as a percentage of impressions, 2 decimals; 0 without impressions.' }),
    totalValue: sums.totalValue,
  },
  { description: 'Figures of a group.' },
);
export type SummaryGroup = Static<typeof SummaryGroup>;

export const ReservationRow = Type.Object(
  {
    id: Id('ID of the reservation; same as that of the item.'),
    offerId: nullableId('Offer.'),
    creativeId: nullableId('Creative.'),
    channelId: nullableId('Channel.'),
    state: StringEnum(['open', 'confirmed', 'expired', 'released'], { description: 'Current state.' }),
    expiresAt: Timestamp('When the reservation expires and releases its capacity.'),
    createdAt: Timestamp('When it was created.'),
  },
  { description: 'A reservation on a channel that confirms impressions.' },
);
export type ReservationRow = Static<typeof ReservationRow>;

const common = {
  method: 'GET',
  tag: 'Interactions',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'crud',
  audit: [],
  transaction: 'tenant',
} as const;

const customerParams = Type.Object(
  { customerId: CustomerId('Your own ID of the customer.') },
  { description: 'Customer to read.' },
);
const summaryFilters = {
  periodKey: Type.Optional(PeriodKey),
  offerId: Type.Optional(IdFilter('Offer to filter by.')),
  channelId: Type.Optional(IdFilter('Channel to filter by.')),
};

export const interactionListOperations = {
  history: operation({
    ...common,
    id: 'interactions.history',
    path: '/api/v1/interaction-history',
    summary: 'List interactions, newest first',
    description: `Sorted by time of recording; \`from\` and \`to\` refer to the time of the event. \`total\` counts up to ${countedAtMost}.`,
    query: Type.Object(
      {
        ...cursorQuery(defaultPage),
        customerId: Type.Optional(Type.String({ maxLength: 255, description: 'Customer to filter by.' })),
        offerId: Type.Optional(IdFilter('Offer to filter by.')),
        creativeId: Type.Optional(IdFilter('Creative to filter by.')),
        channelId: Type.Optional(IdFilter('Channel to filter by.')),
        type: Type.Optional(StringEnum(interactionTypes, { description: 'Interaction type to filter by.' })),
        outcome: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'Outcome type key to filter by.' }),
        ),
        ...rangeQuery,
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of interactions.', schema: warnedAnswer(cursorPage(InteractionRow)) } },
    errors: ['invalid_cursor'],
  }),
  summaries: operation({
    ...common,
    id: 'interactions.summaries',
    path: '/api/v1/interaction-summaries',
    summary: "List a customer's summaries by period",
    description:
      "Exact at the time of the call. Sorted by periodType, then by periodKey in descending order. Periods follow the tenant's time zone at the time of the event.",
    query: Type.Object(
      {
        ...cursorQuery(summaryPage),
        customerId: Type.String({ minLength: 1, maxLength: 255, description: 'The customer.' }),
        periodType: Type.Optional(StringEnum(periodTypes, { description: 'Period length to filter by.' })),
        ...summaryFilters,
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of summaries.', schema: cursorPage(InteractionSummary) } },
    errors: ['invalid_cursor'],
  }),
  summary: operation({
    ...common,
    id: 'interactions.summary',
    path: '/api/v1/interaction-summary',
    summary: "Summarize the tenant's recent days",
    description: 'Most impressions first. At most one second behind.',
    query: Type.Object(
      {
        groupBy: Type.Optional(StringEnum(summaryGroupings, { description: 'What to group by.', default: 'offer' })),
        days: Type.Optional(Int(1, 365, "Number of days, including today in the tenant's time zone.", { default: 30 })),
        ...limitQuery(summaryGroups),
      },
      { description: 'What to summarize.' },
    ),
    responses: {
      200: {
        description: 'The figures.',
        schema: Type.Object(
          {
            groupBy: StringEnum(summaryGroupings, { description: 'What to group by.' }),
            days: count('Number of days summarized.'),
            data: Type.Array(SummaryGroup, { description: 'Groups, most impressions first.' }),
            total: count('Total number of groups.'),
          },
          { description: 'Figures of the tenant.' },
        ),
      },
    },
    errors: [],
  }),
  ofCustomer: operation({
    ...common,
    id: 'customers.summaries',
    path: '/api/v1/customers/{customerId}/summaries',
    summary: "Get a customer's summaries with totals",
    params: customerParams,
    query: Type.Object(
      {
        periodType: Type.Optional(
          StringEnum(periodTypes, { description: 'Length of the periods.', default: 'alltime' }),
        ),
        ...summaryFilters,
      },
      { description: 'Filters.' },
    ),
    responses: {
      200: {
        description: 'The summaries; empty for an unknown customer.',
        schema: Type.Object(
          {
            customerId: CustomerId(),
            periodType: StringEnum(periodTypes, { description: 'Length of the periods.' }),
            data: Type.Array(
              Type.Object(
                { ...summary, offerName: nullableId('Name of the offer, including deleted offers.') },
                { description: 'A summary.' },
              ),
              { description: 'Summaries, newest period first.' },
            ),
            totals: Type.Object(sums, { description: 'Totals over all rows.' }),
          },
          { description: "A customer's summaries." },
        ),
      },
    },
    errors: [],
  }),
  reservations: operation({
    ...common,
    id: 'customers.reservations',
    path: '/api/v1/customers/{customerId}/reservations',
    summary: "List a customer's reservations, newest first",
    description: `Includes all states. Returns at most the newest ${reservationsListed}.`,
    params: customerParams,
    responses: {
      200: {
        description: 'The reservations; empty for an unknown customer.',
        schema: Type.Object(
          {
            customerId: CustomerId(),
            data: Type.Array(ReservationRow, { description: 'Reservations, newest first.' }),
            total: count('Number of reservations returned.'),
          },
          { description: "A customer's reservations." },
        ),
      },
    },
    errors: [],
  }),
};
