import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, IdFilter, Nullable, QueryFlag, StringEnum, Timestamp } from '../core/schemas.ts';
import { rangeQuery } from '../core/time-range.ts';
import { warnedAnswer } from '../core/warnings.ts';

// Decisions as a list, and the filters that lists of decisions and of traces share (docs/design/api-settled.md,
// "Decisions as a list"; docs/design/console.md K3).

/** Lists of decisions and of history count no further: to count millions of rows would cost more than to list them. */
export const countedAtMost = 10_000;

/** What makes decisions. */
export const decisionSources = ['recommend', 'campaign', 'journey', 'trigger'] as const;

/** Filters of decisions, answered from plain columns and from history: no sealed record is opened. */
export const decisionFilters = {
  customerId: Type.Optional(Type.String({ maxLength: 255, description: 'Customer to filter by.' })),
  decisionFlowKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Flow key to filter by. Includes deleted flows with this key.',
    }),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Published flow version to filter by.' }),
  ),
  channelId: Type.Optional(
    IdFilter('Channel to filter by: the one requested by ID, type or placement, otherwise that of the first item.'),
  ),
  offerId: Type.Optional(IdFilter('Offer that must have been shown, as far back as history is kept.')),
  source: Type.Optional(StringEnum(decisionSources, { description: 'Kind of request to filter by.' })),
  emptyReason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Decisions without items, for this reason.' }),
  ),
  explored: Type.Optional(
    QueryFlag('True: decisions with at least one item chosen by exploration. False: decisions without.'),
  ),
  ...rangeQuery,
};

/** Why an offer was shown or was not. */
export const offerFates = [
  'selected',
  'qualification',
  'suppression',
  'contact_policy',
  'capacity',
  'scored_too_low',
] as const;
export type OfferFate = (typeof offerFates)[number];

/** Filters of traces beyond those of decisions. Filters about a dropped offer apply to one offer together. */
export const traceFilters = {
  ...decisionFilters,
  offerId: Type.Optional(IdFilter('Traces that show or drop this offer.')),
  fate: Type.Optional(
    StringEnum(offerFates, {
      description:
        '`selected`: shown. Other values: why it was dropped. `capacity`: budget, stock, offer caps, mandatory cap or quota. `scored_too_low`: below a minimum score or a cut. With `offerId`, this applies to that offer, otherwise to any offer.',
    }),
  ),
  stage: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Traces with an offer dropped in this stage.' }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Traces with an offer dropped for this reason.' }),
  ),
  ruleId: Type.Optional(IdFilter('Traces with an offer dropped by this qualification rule.')),
  policyId: Type.Optional(IdFilter('Traces with an offer dropped by this contact policy.')),
};

export const DecisionListRow = Type.Object(
  {
    requestId: Id('ID of the request.'),
    recommendationId: Id('ID of the decision.'),
    traceId: Nullable(Type.String(), { description: 'ID of the stored trace, if the decision was sampled.' }),
    customerId: Nullable(Type.String(), { description: 'Customer ID; null after erasure.' }),
    source: StringEnum(decisionSources, { description: 'Kind of request that led to the decision.' }),
    decidedAt: Timestamp('Time used for the decision.'),
    flow: Type.Object(
      {
        id: Id('Flow.'),
        key: Nullable(Type.String(), { description: 'Key of the flow.' }),
        version: Nullable(Type.Integer(), { description: 'Published flow version; null for a draft.' }),
      },
      { description: 'Flow that ran.' },
    ),
    configVersion: Type.Integer({ description: 'Catalogue version used.' }),
    channelId: Nullable(Type.String(), {
      description: 'The requested channel if there was exactly one, otherwise that of the first item.',
    }),
    itemCount: Type.Integer({ description: 'Number of items returned.' }),
    topOffer: Nullable(
      Type.Object(
        { offerId: Id('Offer.'), offerName: Type.String({ description: 'Current name of the offer.' }) },
        { description: 'An offer.' },
      ),
      { description: 'First item, as far back as history is kept; null without items.' },
    ),
    emptyReason: Nullable(Type.String(), { description: 'Why no item was returned.' }),
    explored: Type.Boolean({ description: 'True if exploration chose an item.' }),
    minProbability: Nullable(Type.Number(), {
      description: 'Smallest selection probability of the items; null without items.',
    }),
  },
  { description: 'A decision in a list.' },
);
export type DecisionListRow = Static<typeof DecisionListRow>;

export const decisionListOperations = {
  list: operation({
    id: 'decisions.list',
    method: 'GET',
    path: '/api/v1/decisions',
    tag: 'Decisions',
    summary: 'List decisions, newest first',
    description: `Reads no sealed records. \`total\` counts up to ${countedAtMost}.`,
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    query: Type.Object({ ...cursorQuery(defaultPage), ...decisionFilters }, { description: 'Page and filters.' }),
    responses: { 200: { description: 'A page of decisions.', schema: warnedAnswer(cursorPage(DecisionListRow)) } },
    errors: ['invalid_cursor'],
    audit: [],
    transaction: 'tenant',
  }),
};
