import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { cursorQuery } from './core/pages.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from './core/resource.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

export const segmentStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export type SegmentStatus = (typeof segmentStatuses)[number];

const Status = StringEnum(segmentStatuses, { description: 'Only active segments take part in decisions.' });

const column = (description: string) => Type.String({ minLength: 1, maxLength: 63, description });

const joinProperties = {
  alias: Type.String({
    examples: ['orders'],
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
    description:
      'How filters name columns of the joined rows: `<alias>.<column>`. Unique in the segment; not customer, not metric.',
  }),
  schemaId: Id('Schema of the joined rows.'),
  match: StringEnum(['any', 'none'], {
    description:
      'any (default): one joined row meets the conditions that name it; none: not one does. Without conditions: whether there is a row.',
  }),
  joinType: StringEnum(['left', 'inner'], {
    description:
      'inner: rows of the base schema without a joined row never belong. Default: as the link between the schemas says when the fields are those of the link, else left.',
  }),
};

/** Further rows that a segment asks about (docs/design/api-catalogue.md 11). */
export const SegmentJoin = Type.Object(
  {
    ...joinProperties,
    baseField: column('Column of the base schema.'),
    joinField: column('Column of the joined schema that holds the same value.'),
  },
  { description: 'Rows of another schema, found by an equal value.' },
);
export type SegmentJoin = Static<typeof SegmentJoin>;

const SegmentJoinIn = Type.Object(
  {
    alias: joinProperties.alias,
    schemaId: joinProperties.schemaId,
    baseField: Type.Optional(
      column('Column of the base schema; default: the link between the schemas, else the row key.'),
    ),
    joinField: Type.Optional(
      column('Column of the joined schema; default: the link between the schemas, else the row key.'),
    ),
    match: Type.Optional(joinProperties.match),
    joinType: Type.Optional(joinProperties.joinType),
  },
  { description: 'Rows of another schema, found by an equal value.' },
);

/** Most joins of a segment. */
export const mostSegmentJoins = 5;

const definition = {
  baseSchemaId: Type.Optional(
    Id('Customer-type schema whose rows are asked; default: the oldest customer-type schema.'),
  ),
  joins: Type.Optional(
    Type.Array(SegmentJoinIn, { maxItems: mostSegmentJoins, description: 'Further rows to ask about.' }),
  ),
  filters: Type.Optional(
    Type.Unknown({
      description:
        'Who belongs to it: groups `{ logic, conditions }` of `{ field, operator, value }`. Fields are columns of the base schema (`age`, also `customer.age`) and `<alias>.<column>` of joins. Default: everybody.',
      examples: [{ logic: 'and', conditions: [{ field: 'tier', operator: 'in', value: ['gold', 'platinum'] }] }],
    }),
  ),
};

/** A named set of customers, told by a condition (docs/design/api-catalogue.md 11). */
export const Segment = Type.Object(
  {
    id: Id('Id of the segment.'),
    tenantId: Id('Tenant.'),
    name: Name('Name, unique among segments.'),
    description: Type.String({ maxLength: 10_000, description: 'Who they are.' }),
    status: Status,
    entityType: Type.Literal('customer', { description: 'What it is a set of.' }),
    baseSchemaId: Id('Customer-type schema whose rows are asked.'),
    baseSchema: Type.Object(
      { id: Id('Id of the schema.'), name: Type.String({ description: 'Name of the schema.' }) },
      { description: 'The base schema.' },
    ),
    baseSchemaName: Type.String({ description: 'Name of the base schema.' }),
    joins: Type.Array(SegmentJoin, { description: 'Further rows that are asked about, fields filled in.' }),
    filters: JsonObject('The condition in its stored form: `{ logic, conditions }`, or one leaf.'),
    customerCount: Nullable(Type.Integer(), {
      description: 'Customers at the last count; null while they are being counted.',
    }),
    viewName: Type.String({ description: "View of its members in the tenant's database schema; never changes." }),
    lastRefreshedAt: Nullable(Timestamp('Instant.'), { description: 'When they were last counted, or null.' }),
    version: Type.Integer({ description: 'Starts at 1, rises with every change.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A segment.' },
);
export type Segment = Static<typeof Segment>;

const changes = {
  name: Type.Optional(Name('Name, unique among segments.')),
  description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Who they are.' })),
  status: Type.Optional(Status),
  entityType: Type.Optional(Type.Literal('customer', { description: 'What it is a set of; customer.' })),
  ...definition,
};

export const SegmentCreate = Type.Object(
  { ...changes, name: Name('Name, unique among segments.') },
  {
    description: 'A new segment. Without filters everybody belongs to it.',
    examples: [
      {
        name: 'Gold with savings',
        filters: [
          { field: 'tier', operator: 'eq', value: 'gold' },
          { field: 'balance', operator: 'gte', value: 1000 },
        ],
      },
    ],
  },
);
export type SegmentCreate = Static<typeof SegmentCreate>;

const segmentDraft: Draft<SegmentCreate> = ({ name, marker, id }) => ({
  name: name('Segment'),
  description: `Members of ${marker}`,
  status: 'active',
  entityType: 'customer',
  baseSchemaId: id('dataSchema'),
  joins: [],
  filters: { logic: 'and', conditions: [{ field: 'first_name', operator: 'neq', value: marker }] },
});

/** Segments, described once. */
export const segmentResource = resource({
  entityType: 'segment',
  name: 'segments',
  path: 'segments',
  tag: 'Segments',
  noun: 'segment',
  nouns: 'segments',
  writeRole: 'editor',
  softDelete: false,
  record: Segment,
  create: SegmentCreate,
  draft: segmentDraft,
  changes,
  page: { usual: 20, maximum: 200 },
  order: newestFirst,
  search: ['name'],
  filters: { status: Type.Optional(Status) },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: { baseSchemaId: { to: 'dataSchema', onDelete: 'refuse' } },
  files: { idsInside: ['joins'] },
  removal: deleted,
  errors: { update: ['in_use'], delete: ['in_use'] },
});

/** Operations of every catalogue resource. */
const segmentRecordOperations = recordOperations(segmentResource);

const common = { tag: 'Segments', auth: 'credential', loadClass: 'heavy', transaction: 'tenant' } as const;
const oneSegment = Type.Object({ id: IdText('Id of the segment.') }, { description: 'Which segment.' });

const membersPage = { usual: 50, maximum: 200 };

/** Members that a page counts exactly; beyond, the last count of the segment is told. */
export const mostMembersCounted = 10_000;

const SegmentMembers = Type.Object(
  {
    data: Type.Array(Type.Object({ customerId: CustomerId('A member.') }, { description: 'A member.' }), {
      description: 'The members of this page.',
    }),
    pagination: Type.Object(
      {
        total: Type.Integer({
          description: `Members: exact up to ${mostMembersCounted}, beyond that as of the last count.`,
        }),
        limit: Type.Integer({ description: 'The page size that was used.' }),
        hasMore: Type.Boolean({ description: 'True when another page follows.' }),
        cursor: Nullable(Type.String(), { description: 'Same as nextCursor.' }),
        nextCursor: Nullable(Type.String(), { description: 'Cursor of the next page, or null.' }),
      },
      { description: 'Where this page stands.' },
    ),
  },
  { description: 'A page of members.' },
);

const SegmentPreview = Type.Object(
  {
    count: Nullable(Type.Integer(), {
      description: 'Customers that would belong to it; null when there are too many to count in time.',
    }),
    sample: Type.Array(JsonObject('A row of the base schema.'), { description: 'Up to 20 of their rows, by row key.' }),
  },
  { description: 'Who would belong to it.' },
);

const SegmentOverlap = Type.Object(
  {
    segments: Type.Array(
      Type.Object(
        {
          id: Id('Id of the segment.'),
          name: Type.String({ description: 'Name of the segment.' }),
          size: Type.Integer({ description: 'Its customers.' }),
        },
        { description: 'One of the segments.' },
      ),
      { description: 'The segments, in the order asked.' },
    ),
    overlaps: Type.Array(
      Type.Object(
        {
          segments: Type.Array(Id('Segment.'), { description: 'The segments that are compared.' }),
          count: Type.Integer({ description: 'Customers that belong to all of them.' }),
          percent: Type.Number({ description: 'Share of the smallest of them, in percent, two decimals.' }),
        },
        { description: 'What some segments have in common.' },
      ),
      { description: 'All pairs, and all of them together when there are more than two.' },
    ),
    totalUniqueCustomers: Type.Integer({ description: 'Customers that belong to at least one.' }),
    overlapWarnings: Type.Array(
      Type.Object(
        {
          segments: Type.Array(Id('Segment.'), { description: 'The segments.' }),
          percent: Type.Number({ description: 'Share of the smallest of them, in percent.' }),
          message: Type.String({ description: 'The same in words.' }),
        },
        { description: 'Segments that have much in common.' },
      ),
      { description: 'Overlaps above 30 percent.' },
    ),
    sampled: Type.Boolean({ description: 'True: figures are scaled up from a sample of the customers.' }),
  },
  { description: 'What segments have in common.' },
);
export type SegmentOverlap = Static<typeof SegmentOverlap>;

/** Operations on what belongs to segments. */
export const segmentMemberOperations = {
  refresh: operation({
    ...common,
    id: 'segments.refresh',
    method: 'POST',
    path: '/api/v1/segments/{id}/refresh',
    summary: 'Count a segment now',
    description:
      'Both are null when counting takes longer than a request may. Counting then continues in the background, and GET returns the figures when they are ready.',
    role: 'editor',
    params: oneSegment,
    responses: {
      200: {
        description: 'The count.',
        schema: Type.Object(
          {
            customerCount: Segment.properties.customerCount,
            lastRefreshedAt: Segment.properties.lastRefreshedAt,
          },
          { description: 'The count.' },
        ),
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
  customers: operation({
    ...common,
    id: 'segments.customers',
    method: 'GET',
    path: '/api/v1/segments/{id}/customers',
    summary: 'List the customers of a segment',
    description: 'Order: row key.',
    role: 'viewer',
    params: oneSegment,
    query: Type.Object(cursorQuery(membersPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page of members.', schema: SegmentMembers } },
    errors: ['not_found', 'invalid_cursor'],
    audit: [],
  }),
  preview: operation({
    ...common,
    id: 'segments.preview',
    method: 'POST',
    path: '/api/v1/segments/preview',
    summary: 'Count who would belong to a segment',
    role: 'viewer',
    body: Type.Object(definition, {
      description: 'What a segment would say.',
      examples: [{ filters: [{ field: 'tier', operator: 'eq', value: 'gold' }] }],
    }),
    responses: { 200: { description: 'Who would belong to it.', schema: SegmentPreview } },
    errors: ['reference_not_found'],
    audit: [],
  }),
  overlap: operation({
    ...common,
    id: 'segments.overlap',
    method: 'POST',
    path: '/api/v1/segments/overlap',
    summary: 'Compare segments',
    description: 'Exact while at most sampleSize customers belong to any of them; beyond that from a sample.',
    role: 'viewer',
    body: Type.Object(
      {
        segmentIds: Type.Array(Id('Segment.'), {
          minItems: 2,
          maxItems: 10,
          uniqueItems: true,
          description: 'The segments to compare.',
        }),
        sampleSize: Type.Optional(Int(100, 50_000, 'Most customers that are looked at; default 5000.')),
      },
      {
        description: 'Which segments.',
        examples: [{ segmentIds: [exampleId('segment'), exampleId('lapsed')] }],
      },
    ),
    responses: { 200: { description: 'What they have in common.', schema: SegmentOverlap } },
    errors: ['reference_not_found'],
    audit: [],
  }),
};

export const segmentOperations = { ...segmentRecordOperations, ...segmentMemberOperations };
