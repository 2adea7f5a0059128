import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { byPriority, type Draft, deleted, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, Nullable, Timestamp } from '../core/schemas.ts';

const writable = {
  channelId: Nullable(Id('Channel.'), {
    description:
      'Channel whose requests the route applies to. Null matches every channel. Set from the placement if one is given.',
  }),
  placementId: Nullable(Id('Placement.'), {
    description: 'Placement whose requests the route applies to. Null matches every placement.',
  }),
  decisionFlowId: Id("Flow to run for these requests. The route is skipped while the flow can't run."),
  priority: Int(0, 1000, 'Among equally specific routes, the highest priority wins, then the oldest route.', {
    default: 0,
  }),
};

/** Which flow runs for requests that name none (docs/design/api-catalogue.md 18, docs/design/api-decisioning.md 5). */
export const FlowRoute = Type.Object(
  {
    id: Id('ID of the route.'),
    tenantId: Id('Tenant.'),
    ...writable,
    decisionFlow: Type.Object(
      {
        id: Id('Flow.'),
        name: Type.String({ description: 'Name of the flow.' }),
        key: Type.String({ description: 'Key of the flow.' }),
      },
      { description: 'The flow.' },
    ),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A flow route. Without channel and placement it applies to all requests.' },
);
export type FlowRoute = Static<typeof FlowRoute>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const FlowRouteCreate = Type.Object(
  { ...changes, decisionFlowId: writable.decisionFlowId },
  {
    description:
      'Route for a channel and placement. Without `priority`, it is set to 0, even if the route already existed.',
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
    channelId: Type.Optional(IdFilter('Channel to filter by.')),
    placementId: Type.Optional(IdFilter('Placement to filter by.')),
    decisionFlowId: Type.Optional(IdFilter('Flow to filter by.')),
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
      'Each pair of channel and placement has one route. If the route exists, its flow and priority are ' +
      'replaced, its ID and createdAt stay, and the audit log records an `update`.',
    responses: {
      200: { description: 'The updated route.', schema: FlowRoute },
      201: { description: 'The new route.', schema: FlowRoute },
    },
    errors: ['reference_not_found'],
  }),
};
