import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { recordOperations } from './core/record-operations.ts';
import { byPriority, type Draft, deleted, resource } from './core/resource.ts';
import { Id, IdFilter, Int, Nullable, Timestamp } from './core/schemas.ts';

const writable = {
  channelId: Nullable(Id('Channel.'), {
    description: 'Requests for this channel; null: for any. A placement fills in its own channel.',
  }),
  placementId: Nullable(Id('Placement.'), { description: 'Requests for this placement; null: for any.' }),
  decisionFlowId: Id('Flow that these requests run. While it cannot run the route is passed over.'),
  priority: Int(0, 1000, 'Of equally specific routes the highest is taken, then the oldest.', { default: 0 }),
};

/** Which flow runs for requests that name none (docs/design/api-catalogue.md 18, docs/design/api-decisioning.md 5). */
export const FlowRoute = Type.Object(
  {
    id: Id('Id of the route.'),
    tenantId: Id('Tenant.'),
    ...writable,
    decisionFlow: Type.Object(
      {
        id: Id('Flow.'),
        name: Type.String({ description: 'Its name.' }),
        key: Type.String({ description: 'Its key.' }),
      },
      { description: 'The flow.' },
    ),
    version: Type.Integer({ description: 'Starts at 1, rises with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A flow route. Without channel and placement it catches all requests.' },
);
export type FlowRoute = Static<typeof FlowRoute>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const FlowRouteCreate = Type.Object(
  { ...changes, decisionFlowId: writable.decisionFlowId },
  {
    description:
      'The route of a channel and placement. Without priority it is 0, also when the route was there already.',
    examples: [
      {
        channelId: exampleId('channel'),
        placementId: exampleId('placement'),
        decisionFlowId: exampleId('decisionFlow'),
        priority: 10,
      },
    ],
  },
);
export type FlowRouteCreate = Static<typeof FlowRouteCreate>;

const flowRouteDraft: Draft<FlowRouteCreate> = ({ id }) => ({
  channelId: id('channel'),
  placementId: id('placement'),
  decisionFlowId: id('decisionFlow'),
  priority: 10,
});

/** Flow routes, described once. */
export const flowRouteResource = resource({
  entityType: 'flowRoute',
  name: 'flowRoutes',
  path: 'flow-routes',
  tag: 'Flow routes',
  noun: 'flow route',
  nouns: 'flow routes',
  writeRole: 'editor',
  softDelete: true,
  record: FlowRoute,
  create: FlowRouteCreate,
  draft: flowRouteDraft,
  changes,
  page: { usual: 50, maximum: 200 },
  order: byPriority,
  // A route has neither name nor key.
  search: [],
  filters: {
    channelId: Type.Optional(IdFilter('Only routes of this channel.')),
    placementId: Type.Optional(IdFilter('Only routes of this placement.')),
    decisionFlowId: Type.Optional(IdFilter('Only routes to this flow.')),
  },
  queries: {},
  // The pair of channel and placement.
  unique: { placementId: 'duplicate_key' },
  references: {
    channelId: { to: 'channel', onDelete: 'cascade' },
    placementId: { to: 'placement', onDelete: 'cascade' },
    decisionFlowId: { to: 'decisionFlow', onDelete: 'cascade' },
  },
  removal: deleted,
});

const records = recordOperations(flowRouteResource);

export const flowRouteOperations = {
  ...records,
  create: operation({
    ...records.create,
    summary: 'Set the flow route of a channel and placement',
    description:
      'One route for each pair of channel and placement: the pair that has one gets its flow and priority anew, keeps id ' +
      'and createdAt, and leaves an audit row `update`.',
    responses: {
      200: { description: 'The route, which was there already.', schema: FlowRoute },
      201: { description: 'The new route.', schema: FlowRoute },
    },
    errors: ['reference_not_found'],
  }),
};
