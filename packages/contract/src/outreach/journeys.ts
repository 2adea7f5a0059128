import Type, { type Static } from 'typebox';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, Int, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { JourneyCondition, JourneyDefinition } from './journey-nodes.ts';

export const journeyStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export type JourneyStatus = (typeof journeyStatuses)[number];

const Status = StringEnum(journeyStatuses, {
  description:
    'Only active journeys enroll customers and move them on. In any other status, and once deleted, running enrollments ' +
    'stay where they are until the journey is active again or their time is over.',
});

const writable = {
  name: Name('Name. Unique among journeys that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'What the journey is for.' }),
  status: Status,
  definition: JourneyDefinition,
  entryCondition: Nullable(JourneyCondition('Customers must match this condition to be enrolled.'), {
    description: 'Condition to be enrolled, whatever enrolls the customer. Null: everyone.',
  }),
  maxDurationDays: Int(
    1,
    365,
    'Days after which an enrollment expires. Counts while the journey is paused, too. 1 to 365; default 30.',
  ),
};

/** Steps that a customer takes over days or weeks. */
export const Journey = Type.Object(
  {
    id: Id('ID of the journey.'),
    tenantId: Id('Tenant.'),
    ...writable,
    version: Type.Integer({
      description: 'Starts at 1 and increases with every change. Running enrollments keep theirs.',
    }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A journey.' },
);
export type Journey = Static<typeof Journey>;

const changes = Type.Partial(Type.Object(writable)).properties;

/** A small journey that can run as it is. */
export const exampleJourney: JourneyDefinition = {
  nodes: [
    { id: 'start', type: 'entry_trigger', config: { eventType: 'cart_abandon' } },
    { id: 'pause', type: 'wait', config: { delayMinutes: 60, untilEvent: 'purchase' } },
    {
      id: 'large',
      type: 'condition_split',
      config: { condition: { field: 'data.cartValue', operator: 'gte', value: 100 } },
    },
    { id: 'done', type: 'exit', config: { reason: 'large cart' } },
    { id: 'end', type: 'exit', config: { reason: 'small cart' } },
  ],
  edges: [
    { from: 'start', to: 'pause' },
    { from: 'pause', to: 'large' },
    { from: 'large', to: 'done', when: true },
    { from: 'large', to: 'end', when: false },
  ],
};

export const JourneyCreate = Type.Object(
  { ...changes, name: writable.name, definition: writable.definition },
  {
    description: 'A new journey. Defaults: status draft, no entryCondition, maxDurationDays 30.',
    examples: [{ name: 'Abandoned cart', definition: exampleJourney }],
  },
);
export type JourneyCreate = Static<typeof JourneyCreate>;

const journeyDraft: Draft<JourneyCreate> = ({ name, marker }) => ({
  name: name('Journey'),
  description: `Journey of ${marker}`,
  status: 'active',
  definition: exampleJourney,
  entryCondition: { field: 'data.cartValue', operator: 'exists' },
  maxDurationDays: 14,
});

/** Journeys, described once. */
export const journeyResource = resource({
  entityType: 'journey',
  name: 'journeys',
  path: 'journeys',
  tag: 'Journeys',
  noun: 'journey',
  nouns: 'journeys',
  writeRole: 'editor',
  deleteRole: 'admin',
  softDelete: true,
  record: Journey,
  create: JourneyCreate,
  draft: journeyDraft,
  changes,
  page: { usual: 50, maximum: 200 },
  order: newestFirst,
  search: ['name'],
  filters: { status: Type.Optional(Status) },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {},
  files: { idsInside: ['definition'] },
  removal: deleted,
  errors: {
    create: ['pipeline_invalid', 'reference_not_found', 'feature_disabled'],
    update: ['pipeline_invalid', 'reference_not_found', 'feature_disabled'],
    delete: ['feature_disabled'],
  },
});

export const journeyOperations = recordOperations(journeyResource);
