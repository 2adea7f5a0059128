import Type, { type Static, type TProperties } from 'typebox';
import { Id, Int, JsonObject, Nullable, StringEnum } from '../core/schemas.ts';

/** Kinds of nodes of a journey (docs/design/api-access.md 12.3). */
export const journeyNodeTypes = [
  'entry_trigger',
  'wait',
  'nba_decision',
  'condition_split',
  'channel_action',
  'update_attribute',
  'exit',
] as const;
export type JourneyNodeType = (typeof journeyNodeTypes)[number];

export const JourneyNodeId = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: `${description} Letters, digits, dashes, underscores.`,
  });

/** Name under which a decision's result is stored in the context. Words of conditions are not allowed. */
const ResultKey = (description: string) =>
  Type.String({ pattern: '^(?!(?:data|event|outcome|customer|segments)$)[a-z][A-Za-z0-9_]{0,39}$', description });

/** A condition on the enrollment, the customer and what the journey decided. */
export const JourneyCondition = (description: string) =>
  JsonObject(
    `${description} A leaf \`{ field, operator, value }\`, or \`{ all: [] }\`, \`{ any: [] }\` or \`{ not: ... }\` ` +
      'around others, at most 10 levels deep. Fields: `data.*` (the context), `customer.*`, `segments`, and the ' +
      '`resultKey` of a decision, such as `decision.items`.',
  );

const EventType = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, description: `${description} See \`POST /api/v1/events/ingest\`.` });

const position = Type.Optional(
  Type.Object(
    { x: Type.Number({ description: 'Horizontal.' }), y: Type.Number({ description: 'Vertical.' }) },
    { description: 'Where a canvas draws the node. Has no other effect.' },
  ),
);

function node<const T extends JourneyNodeType, C extends TProperties>(type: T, description: string, config: C) {
  return Type.Object(
    {
      id: JourneyNodeId('Unique in the journey.'),
      type: Type.Literal(type, { description: 'Type of the node.' }),
      config: Type.Object(config, { additionalProperties: false, description: 'Settings of the node type.' }),
      position,
    },
    { description },
  );
}

/** Minutes of a wait at most: a year. */
export const longestDelayMinutes = 525_600;

export const JourneyNode = Type.Union(
  [
    node('entry_trigger', 'Where enrollments begin. A journey has one.', {
      eventType: Type.Optional(EventType('Enrolls the customer of each event of this type.')),
      segmentId: Type.Optional(Id('Enrolls customers who enter this segment.')),
      condition: Type.Optional(JourneyCondition('The event must also match this condition.')),
    }),
    node('wait', 'Waits before the next node.', {
      delayMinutes: Int(1, longestDelayMinutes, 'Minutes to wait. 1 to 525,600.'),
      untilEvent: Type.Optional(EventType('An event of this type for the customer ends the wait early.')),
    }),
    node('nba_decision', 'Decides for the customer, like `POST /api/v1/recommend`.', {
      decisionFlowKey: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Key of the decision flow. It must be published when the step is taken.',
      }),
      channel: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Channel type.' })),
      channelId: Type.Optional(
        Id('Channel to decide for. What a `channel_action` sends must be decided for its channel.'),
      ),
      placement: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Placement ID, otherwise key, name or slot type.' }),
      ),
      limit: Type.Optional(Int(1, 50, 'Maximum offers. Default 1.')),
      resultKey: Type.Optional(ResultKey('Name of the result in the context. Default `decision`.')),
    }),
    node('condition_split', 'Continues along the edge with `when: true` or `when: false`.', {
      condition: JourneyCondition('What to check.'),
    }),
    node('channel_action', 'Sends the offers of a decision to the customer.', {
      channelId: Id('Channel to send on. Its deliveryMode must not be api.'),
      from: Type.Optional(ResultKey('Name of the decision to send. Default `decision`.')),
    }),
    node('update_attribute', "Changes the customer's row in a schema.", {
      schemaId: Id('Schema of type customer.'),
      set: Type.Record(
        Type.String({ minLength: 1, maxLength: 63 }),
        Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean(), Type.Null()], {
          description: 'Value of the column.',
        }),
        { minProperties: 1, maxProperties: 50, description: 'New values by column.' },
      ),
    }),
    node('exit', 'Completes the enrollment.', {
      reason: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Stored as `exitReason` of the enrollment.' }),
      ),
    }),
  ],
  { description: 'A node.' },
);
export type JourneyNode = Static<typeof JourneyNode>;

export const JourneyEdge = Type.Object(
  {
    from: JourneyNodeId('Node that the edge leaves.'),
    to: JourneyNodeId('Node that the edge leads to.'),
    when: Type.Optional(
      Type.Boolean({ description: 'Behind a `condition_split`: the result for which the edge is taken.' }),
    ),
  },
  { description: 'A way from one node to another.' },
);
export type JourneyEdge = Static<typeof JourneyEdge>;

export const JourneyDefinition = Type.Object(
  {
    nodes: Type.Array(JourneyNode, { minItems: 2, maxItems: 200, description: '2 to 200 nodes.' }),
    edges: Type.Array(JourneyEdge, { minItems: 1, maxItems: 400, description: 'Edges between them.' }),
  },
  {
    description:
      'Nodes and edges. One node is the entry, every node can be reached from it, and every cycle contains a `wait`.',
  },
);
export type JourneyDefinition = Static<typeof JourneyDefinition>;

/** Words for what a step did. */
export const journeyStepResults = [
  'entered',
  'elapsed',
  'resumed',
  'decided',
  'matched',
  'not_matched',
  'queued',
  'nothing_to_send',
  'updated',
  'exited',
  'failed',
] as const;

export const JourneyStep = Type.Object(
  {
    nodeId: Type.String({ description: 'Node.' }),
    type: StringEnum(journeyNodeTypes, { description: 'Type of the node.' }),
    result: StringEnum(journeyStepResults, {
      description:
        'What the step did. `elapsed` and `resumed`: how a wait ended, by time or by its event. `nothing_to_send`: the ' +
        'decision has no offer for the channel.',
    }),
    detail: Nullable(
      Type.Object(
        {
          recommendationId: Type.Optional(
            Nullable(Type.String(), { description: 'The decision, of `decided`. Null in a dry run.' }),
          ),
          offerIds: Type.Optional(Type.Array(Type.String(), { description: 'Offers decided, best first.' })),
          deliveryIds: Type.Optional(Type.Array(Type.String(), { description: 'Messages queued.' })),
          reason: Type.Optional(Type.String({ description: 'Error code, of `failed`.' })),
        },
        { description: 'What the step made.' },
      ),
      { description: 'What the step made. Null if nothing.' },
    ),
  },
  { description: 'A step along the path.' },
);
export type JourneyStep = Static<typeof JourneyStep>;
