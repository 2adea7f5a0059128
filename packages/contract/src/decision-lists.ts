import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, usualPage } from './core/pages.ts';
import { Id, IdFilter, Nullable, QueryFlag, StringEnum, Timestamp } from './core/schemas.ts';
import { rangeQuery } from './core/time-range.ts';

// Decisions as a list, and the filters that lists of decisions and of traces share (docs/design/api-settled.md,
// "Decisions as a list"; docs/design/console.md K3).

/** Lists of decisions and of history count no further: to count millions of rows would cost more than to list them. */
export const countedAtMost = 10_000;

/** What makes decisions. */
export const decisionSources = ['recommend', 'campaign', 'journey', 'trigger'] as const;

/** Filters of decisions, answered from plain columns and from history: no sealed record is opened. */
export const decisionFilters = {
  customerId: Type.Optional(Type.String({ maxLength: 255, description: 'Only this customer.' })),
  decisionFlowKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only flows that have this key, deleted ones too.' }),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Only this published version of a flow.' }),
  ),
  channelId: Type.Optional(
    IdFilter('Only this channel: the one that was asked for, by id, type or placements, else that of the first item.'),
  ),
  offerId: Type.Optional(IdFilter('Only decisions that showed this offer, as far back as history is kept.')),
  source: Type.Optional(StringEnum(decisionSources, { description: 'Only what this made.' })),
  emptyReason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Only answers without items, for this reason.' }),
  ),
  explored: Type.Optional(QueryFlag('True: only with an item that exploration chose; false: only without.')),
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

/** Filters of traces beyond those of decisions. What is said of a dropped offer is said of one and the same. */
export const traceFilters = {
  ...decisionFilters,
  offerId: Type.Optional(IdFilter('Only traces that show or drop this offer.')),
  fate: Type.Optional(
    StringEnum(offerFates, {
      description:
        '`selected`: shown; else why dropped. `capacity`: budget, stock, caps of the offer, mandatory cap, quota; `scored_too_low`: below a least score or cut. With `offerId` the fate of that offer, else of any.',
    }),
  ),
  stage: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only with an offer dropped in this stage.' }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Only with an offer dropped for this reason.' }),
  ),
  ruleId: Type.Optional(IdFilter('Only with an offer dropped by this qualification rule.')),
  policyId: Type.Optional(IdFilter('Only with an offer dropped by this contact policy.')),
};

export const DecisionListRow = Type.Object(
  {
    requestId: Id('Id of the request.'),
    recommendationId: Id('Id of the decision.'),
    traceId: Nullable(Type.String(), { description: 'Stored trace, when sampled.' }),
    customerId: Nullable(Type.String(), { description: 'Customer; null after erasure.' }),
    source: StringEnum(decisionSources, { description: 'What made it.' }),
    decidedAt: Timestamp("The decision's clock."),
    flow: Type.Object(
      {
        id: Id('Flow.'),
        key: Nullable(Type.String(), { description: 'Key of the flow.' }),
        version: Nullable(Type.Integer(), { description: 'Published version; null for a draft.' }),
      },
      { description: 'Flow that ran.' },
    ),
    configVersion: Type.Integer({ description: 'Catalogue version.' }),
    channelId: Nullable(Type.String(), {
      description: 'The one channel that was asked for, else that of the first item.',
    }),
    itemCount: Type.Integer({ description: 'Items of the answer.' }),
    topOffer: Nullable(
      Type.Object(
        { offerId: Id('Offer.'), offerName: Type.String({ description: 'Its name now.' }) },
        { description: 'An offer.' },
      ),
      { description: 'The first item, as far back as history is kept; null without one.' },
    ),
    emptyReason: Nullable(Type.String(), { description: 'Why there is no item.' }),
    explored: Type.Boolean({ description: 'True when exploration chose an item.' }),
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
    description: `Answered without opening a sealed record. \`total\` counts up to ${countedAtMost}.`,
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    query: Type.Object({ ...cursorQuery(usualPage), ...decisionFilters }, { description: 'Page and filters.' }),
    responses: { 200: { description: 'A page of decisions.', schema: cursorPage(DecisionListRow) } },
    errors: ['invalid_cursor'],
    audit: [],
    transaction: 'tenant',
  }),
};
