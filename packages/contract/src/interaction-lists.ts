import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, limitQuery, type PageLimits, usualPage } from './core/pages.ts';
import { CustomerId, Id, IdFilter, Int, JsonObject, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { rangeQuery } from './core/time-range.ts';
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
    id: Id('Id of the interaction.'),
    customerId: CustomerId(),
    offerId: nullableId('Offer.'),
    creativeId: nullableId('Creative.'),
    channelId: nullableId('Channel.'),
    placementId: nullableId('Placement.'),
    interactionType: StringEnum(interactionTypes, {
      description: '`recommendation`: reserved and not seen yet; `impression`; `response`: any other outcome.',
    }),
    outcomeTypeKey: nullableId('Key of the outcome type; null for a recommendation.'),
    classification: StringEnum(classifications, { description: 'How it counts.' }),
    direction: StringEnum(directions, { description: 'Who spoke to whom.' }),
    recommendationId: nullableId('Decision.'),
    rank: Nullable(Type.Integer(), { description: 'Item of the decision.' }),
    campaignId: nullableId('Campaign.'),
    journeyId: nullableId('Journey.'),
    conversionValue: Nullable(Type.Number(), { description: 'What it was worth.' }),
    context: Nullable(JsonObject('What the caller sent as context.'), { description: 'Context, or null.' }),
    attributes: Nullable(JsonObject('What the caller sent as attributes.'), { description: 'Attributes, or null.' }),
    timestamp: Timestamp('When it happened.'),
    createdAt: Timestamp('When it was recorded.'),
    offer: Nullable(
      Type.Object(
        {
          id: Id('Offer.'),
          name: Type.String({ description: 'Name of the offer, also of a deleted one.' }),
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
          name: Type.String({ description: 'Name of the creative, also of a deleted one.' }),
        },
        { description: 'The creative.' },
      ),
      { description: 'The creative; null without one.' },
    ),
  },
  { description: 'A row of history.' },
);
export type InteractionRow = Static<typeof InteractionRow>;

export const periodTypes = ['daily', 'weekly', 'monthly', 'alltime'] as const;
export type PeriodType = (typeof periodTypes)[number];

const PeriodKey = Type.String({
  pattern: '^(\\d{4}-\\d{2}-\\d{2}|\\d{4}-W\\d{2}|\\d{4}-\\d{2}|all)$',
  description: "Only this period, in the tenant's zone: `2026-11-20`, `2026-W47`, `2026-11` or `all`.",
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
  direction: StringEnum(directions, { description: 'Who spoke to whom.' }),
  ...sums,
  lastContactAt: Nullable(Timestamp('Instant.'), { description: 'Latest impression, or null.' }),
  lastOutcomeKey: nullableId('Outcome of the latest response, or null.'),
};

export const InteractionSummary = Type.Object(summary, {
  description: 'What a customer and an offer had to do with each other in a period.',
});
export type InteractionSummary = Static<typeof InteractionSummary>;

export const summaryGroupings = ['offer', 'creative', 'channel', 'category', 'customer'] as const;
export type SummaryGrouping = (typeof summaryGroupings)[number];

export const SummaryGroup = Type.Object(
  {
    id: nullableId('Of the offer, creative, channel, category or customer; null for what has none.'),
    name: nullableId('Its name; null for a customer.'),
    status: nullableId('Its status; null where it has none.'),
    impressions: sums.impressions,
    positive: sums.positive,
    negative: sums.negative,
    neutral: sums.neutral,
    converts: sums.converts,
    total: count('Responses: positive, negative and neutral.'),
    ctr: Type.Number({
      description: 'Clicks in percent of the impressions, 2 decimals; 0 without impressions.',
    }),
    cvr: Type.Number({ description: 'Conversions in percent of the impressions, 2 decimals; 0 without impressions.' }),
    totalValue: sums.totalValue,
  },
  { description: 'Figures of a group.' },
);
export type SummaryGroup = Static<typeof SummaryGroup>;

export const ReservationRow = Type.Object(
  {
    id: Id('Id of the reservation, that of the item.'),
    offerId: nullableId('Offer.'),
    creativeId: nullableId('Creative.'),
    channelId: nullableId('Channel.'),
    state: StringEnum(['open', 'confirmed', 'expired', 'released'], { description: 'State at this moment.' }),
    expiresAt: Timestamp('When it gives its capacity back.'),
    createdAt: Timestamp('When it was made.'),
  },
  { description: 'A reservation of a channel that confirms impressions.' },
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
  { customerId: CustomerId("The tenant's own id of the customer.") },
  { description: 'Which customer.' },
);
const summaryFilters = {
  periodKey: Type.Optional(PeriodKey),
  offerId: Type.Optional(IdFilter('Only this offer.')),
  channelId: Type.Optional(IdFilter('Only this channel.')),
};

export const interactionListOperations = {
  history: operation({
    ...common,
    id: 'interactions.history',
    path: '/api/v1/interaction-history',
    summary: 'List what was shown and answered, newest first',
    description: `Ordered by when it was recorded; \`from\` and \`to\` ask when it happened. \`total\` counts up to ${countedAtMost}.`,
    query: Type.Object(
      {
        ...cursorQuery(usualPage),
        customerId: Type.Optional(Type.String({ maxLength: 255, description: 'Only this customer.' })),
        offerId: Type.Optional(IdFilter('Only this offer.')),
        creativeId: Type.Optional(IdFilter('Only this creative.')),
        channelId: Type.Optional(IdFilter('Only this channel.')),
        type: Type.Optional(StringEnum(interactionTypes, { description: 'Only rows of this interactionType.' })),
        outcome: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'Only rows of this outcomeTypeKey.' }),
        ),
        ...rangeQuery,
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of history.', schema: cursorPage(InteractionRow) } },
    errors: ['invalid_cursor'],
  }),
  summaries: operation({
    ...common,
    id: 'interactions.summaries',
    path: '/api/v1/interaction-summaries',
    summary: "List a customer's summaries by period",
    description:
      "Exact at this moment. Order: periodType, then periodKey descending. Periods are those of the tenant's zone at the time of the event.",
    query: Type.Object(
      {
        ...cursorQuery(summaryPage),
        customerId: Type.String({ minLength: 1, maxLength: 255, description: 'The customer.' }),
        periodType: Type.Optional(StringEnum(periodTypes, { description: 'Only periods of this length.' })),
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
    summary: "Sum up the tenant's last days",
    description: 'Most impressions first; a second behind at most.',
    query: Type.Object(
      {
        groupBy: Type.Optional(StringEnum(summaryGroupings, { description: 'What is told apart.', default: 'offer' })),
        days: Type.Optional(Int(1, 365, "Days, today in the tenant's zone included.", { default: 30 })),
        ...limitQuery(summaryGroups),
      },
      { description: 'What is summed up.' },
    ),
    responses: {
      200: {
        description: 'The figures.',
        schema: Type.Object(
          {
            groupBy: StringEnum(summaryGroupings, { description: 'What is told apart.' }),
            days: count('Days summed up.'),
            data: Type.Array(SummaryGroup, { description: 'Groups, most impressions first.' }),
            total: count('Groups there are.'),
          },
          { description: "The tenant's figures." },
        ),
      },
    },
    errors: [],
  }),
  ofCustomer: operation({
    ...common,
    id: 'customers.summaries',
    path: '/api/v1/customers/{customerId}/summaries',
    summary: "Read a customer's summaries with totals",
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
                { ...summary, offerName: nullableId('Name of the offer, also of a deleted one.') },
                { description: 'A summary.' },
              ),
              { description: 'The newest period first.' },
            ),
            totals: Type.Object(sums, { description: 'Sums over all rows.' }),
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
    description: `Of all states; the newest ${reservationsListed} at most.`,
    params: customerParams,
    responses: {
      200: {
        description: 'The reservations; empty for an unknown customer.',
        schema: Type.Object(
          {
            customerId: CustomerId(),
            data: Type.Array(ReservationRow, { description: 'Newest first.' }),
            total: count('How many there are.'),
          },
          { description: "A customer's reservations." },
        ),
      },
    },
    errors: [],
  }),
};
