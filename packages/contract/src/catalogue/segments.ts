import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { cursorQuery } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

export const segmentStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export type SegmentStatus = (typeof segmentStatuses)[number];

const Status = StringEnum(segmentStatuses, { description: 'Only active segments are used in decisions.' });

const column = (description: string) => Type.String({ minLength: 1, maxLength: 63, description });

const joinProperties = {
  alias: Type.String({
    examples: ['orders'],
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
    description:
      'Alias for the columns of the joined rows in filters: `<alias>.<column>`. Unique in the segment; `customer` and `metric` are not allowed.',
  }),
  schemaId: Id('Schema of the joined rows.'),
  match: StringEnum(['any', 'none'], {
    description:
      'any (default): at least one joined row matches the conditions on it. none: no joined row matches. Without conditions: whether a row exists.',
  }),
  joinType: StringEnum(['left', 'inner'], {
    description:
      'inner: rows of the base schema without a joined row are never members. Default: the join type of the link between the schemas if the fields are those of the link, otherwise left.',
  }),
};

/** Further rows that a segment asks about (docs/design/api-catalogue.md 11). */
export const SegmentJoin = Type.Object(
  {
    ...joinProperties,
    baseField: column('Column of the base schema.'),
    joinField: column('Column of the joined schema with the same value.'),
  },
  { description: 'Rows of another schema, matched by an equal value.' },
);
export type SegmentJoin = Static<typeof SegmentJoin>;

const SegmentJoinIn = Type.Object(
  {
    alias: joinProperties.alias,
    schemaId: joinProperties.schemaId,
    baseField: Type.Optional(
      column('Column of the base schema. Default: from the link between the schemas, otherwise the row key.'),
    ),
    joinField: Type.Optional(
      column('Column of the joined schema. Default: from the link between the schemas, otherwise the row key.'),
    ),
    match: Type.Optional(joinProperties.match),
    joinType: Type.Optional(joinProperties.joinType),
  },
  { description: 'Rows of another schema, matched by an equal value.' },
);

/** Maximum joins of a segment. */
export const maxSegmentJoins = 5;

const definition = {
  baseSchemaId: Type.Optional(Id('Schema of type customer to select from. Default: the oldest one.')),
  joins: Type.Optional(Type.Array(SegmentJoinIn, { maxItems: maxSegmentJoins, description: 'Other schemas to join.' })),
  filters: Type.Optional(
    Type.Unknown({
      description:
        'Who is a member: groups `{ logic, conditions }` of `{ field, operator, value }`. Fields are columns of the base schema (`age`, also `customer.age`) `<alias>.<column>` of joins, and `metric.<key>` of behavioral metrics without dimensions. Default: everyone.',
      examples: [{ logic: 'and', conditions: [{ field: 'tier', operator: 'in', value: ['gold', 'platinum'] }] }],
    }),
  ),
};

/** A named set of customers, defined by a condition (docs/design/api-catalogue.md 11). */
export const Segment = Type.Object(
  {
    id: Id('ID of the segment.'),
    tenantId: Id('Tenant.'),
    name: Name('Name. Unique among segments.'),
    description: Type.String({ maxLength: 10_000, description: 'Description of the members.' }),
    status: Status,
    entityType: Type.Literal('customer', { description: 'Kind of members.' }),
    baseSchemaId: Id('Schema of type customer to select from.'),
    baseSchema: Type.Object(
      { id: Id('ID of the schema.'), name: Type.String({ description: 'Name of the schema.' }) },
      { description: 'The base schema.' },
    ),
    baseSchemaName: Type.String({ description: 'Name of the base schema.' }),
    joins: Type.Array(SegmentJoin, { description: 'Joined schemas, with fields filled in.' }),
    filters: JsonObject('The condition as stored: `{ logic, conditions }`, or a single condition.'),
    customerCount: Nullable(Type.Integer(), {
      description: 'Members at the last count; null while counting.',
    }),
    viewName: Type.String({ description: "View of its members in the tenant's database schema. Can't be changed." }),
    lastRefreshedAt: Nullable(Timestamp('Instant.'), { description: 'When it was last counted, or null.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A segment.' },
);
export type Segment = Static<typeof Segment>;

const changes = {
  name: Type.Optional(Name('Name. Unique among segments.')),
  description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Description of the members.' })),
  status: Type.Optional(Status),
  entityType: Type.Optional(Type.Literal('customer', { description: 'Kind of members: customer.' })),
  ...definition,
};

export const SegmentCreate = Type.Object(
  { ...changes, name: Name('Name. Unique among segments.') },
  {
    description: 'A new segment. Without filters, everyone is a member.',
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
  searchOrder: 70,
  filters: { status: Type.Optional(Status) },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: { baseSchemaId: { to: 'dataSchema', onDelete: 'refuse' } },
  files: { idsInside: ['joins'] },
  removal: deleted,
  errors: { create: ['feature_disabled'], update: ['in_use', 'feature_disabled'], delete: ['in_use'] },
});

/** Operations of every catalogue resource. */
const segmentRecordOperations = recordOperations(segmentResource);

const common = { tag: 'Segments', auth: 'credential', loadClass: 'heavy', transaction: 'tenant' } as const;
const oneSegment = Type.Object({ id: IdText('ID of the segment.') }, { description: 'Segment to read.' });

const membersPage = { usual: 50, maximum: 200 };

/** Members that a page counts exactly. Beyond that, it returns the segment's last count. */
export const maxMembersCounted = 10_000;

const SegmentMembers = Type.Object(
  {
    data: Type.Array(Type.Object({ customerId: CustomerId('A member.') }, { description: 'A member.' }), {
      description: 'Members on this page.',
    }),
    pagination: Type.Object(
      {
        total: Type.Integer({
          description: `Number of members: exact up to ${maxMembersCounted}, above that from the last count.`,
        }),
        limit: Type.Integer({ description: 'Page size used.' }),
        hasMore: Type.Boolean({ description: 'True if there is another page.' }),
        cursor: Nullable(Type.String(), { description: 'Same as `nextCursor`.' }),
        nextCursor: Nullable(Type.String(), { description: 'Cursor of the next page, or null.' }),
      },
      { description: 'Position of this page.' },
    ),
  },
  { description: 'A page of members.' },
);

const SegmentPreview = Type.Object(
  {
    count: Nullable(Type.Integer(), {
      description: 'Customers that would be members; null if counting would take too long.',
    }),
    sample: Type.Array(JsonObject('A row of the base schema.'), { description: 'Up to 20 of their rows, by row key.' }),
  },
  { description: 'Who would be a member.' },
);

const SegmentOverlap = Type.Object(
  {
    segments: Type.Array(
      Type.Object(
        {
          id: Id('ID of the segment.'),
          name: Type.String({ description: 'Name of the segment.' }),
          size: Type.Integer({ description: 'Number of customers in it.' }),
        },
        { description: 'One of the segments.' },
      ),
      { description: 'Segments, in the order of the request.' },
    ),
    overlaps: Type.Array(
      Type.Object(
        {
          segments: Type.Array(Id('Segment.'), { description: 'Segments compared.' }),
          count: Type.Integer({ description: 'Customers in all of them.' }),
          percent: Type.Number({ description: 'Share of the smallest segment in percent, two decimals.' }),
        },
        { description: 'Overlap of some segments.' },
      ),
      { description: 'All pairs and, if there are more than two segments, all of them together.' },
    ),
    totalUniqueCustomers: Type.Integer({ description: 'Customers in at least one of them.' }),
    overlapWarnings: Type.Array(
      Type.Object(
        {
          segments: Type.Array(Id('Segment.'), { description: 'The segments.' }),
          percent: Type.Number({ description: 'Share of the smallest segment in percent.' }),
          message: Type.String({ description: 'The same as a sentence.' }),
        },
        { description: 'Segments with a large overlap.' },
      ),
      { description: 'Overlaps above 30 percent.' },
    ),
    sampled: Type.Boolean({ description: 'True: figures are extrapolated from a sample of customers.' }),
  },
  { description: 'Overlap of the segments.' },
);
export type SegmentOverlap = Static<typeof SegmentOverlap>;

const SegmentUses = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          entityType: Type.String({ description: 'Type of the record, as in the audit log.' }),
          id: Id('ID of the record.'),
          name: Type.String({ description: 'Name of the record.' }),
        },
        { description: 'A record that uses the segment.' },
      ),
      { description: 'Records that refer to the segment by its ID or name, sorted by type.' },
    ),
  },
  { description: 'Where a segment is used.' },
);
export type SegmentUses = Static<typeof SegmentUses>;

/** Operations on what belongs to segments. */
export const segmentMemberOperations = {
  refresh: operation({
    ...common,
    id: 'segments.refresh',
    method: 'POST',
    path: '/api/v1/segments/{id}/refresh',
    summary: 'Recount a segment now',
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
    summary: 'List members of a segment',
    description: 'Sorted by row key.',
    role: 'viewer',
    params: oneSegment,
    query: Type.Object(cursorQuery(membersPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page of members.', schema: SegmentMembers } },
    errors: ['not_found', 'invalid_cursor'],
    audit: [],
  }),
  uses: operation({
    ...common,
    id: 'segments.uses',
    method: 'GET',
    path: '/api/v1/segments/{id}/uses',
    summary: 'List where a segment is used',
    description:
      "Lists contact policies, qualification rules, offers, campaigns, journeys and triggers. A segment in use can't be deleted.",
    role: 'viewer',
    loadClass: 'crud',
    params: oneSegment,
    responses: { 200: { description: 'Records that use the segment.', schema: SegmentUses } },
    errors: ['not_found'],
    audit: [],
  }),
  preview: operation({
    ...common,
    id: 'segments.preview',
    method: 'POST',
    path: '/api/v1/segments/preview',
    summary: 'Preview the members of a segment',
    role: 'viewer',
    body: Type.Object(definition, {
      description: 'Definition to preview.',
      examples: [{ filters: [{ field: 'tier', operator: 'eq', value: 'gold' }] }],
    }),
    responses: { 200: { description: 'Who would be a member.', schema: SegmentPreview } },
    errors: ['reference_not_found', 'feature_disabled'],
    audit: [],
  }),
  overlap: operation({
    ...common,
    id: 'segments.overlap',
    method: 'POST',
    path: '/api/v1/segments/overlap',
    summary: 'Compare segments',
    description: 'Exact if at most sampleSize customers are in any of them; otherwise based on a sample.',
    role: 'viewer',
    body: Type.Object(
      {
        segmentIds: Type.Array(Id('Segment.'), {
          minItems: 2,
          maxItems: 10,
          uniqueItems: true,
          description: 'The segments to compare.',
        }),
        sampleSize: Type.Optional(Int(100, 50_000, 'Maximum number of customers to examine. Default 5000.')),
      },
      {
        description: 'Segments to compare.',
        examples: [{ segmentIds: [exampleId('segment'), exampleId('lapsed')] }],
      },
    ),
    responses: { 200: { description: 'Overlap of the segments.', schema: SegmentOverlap } },
    errors: ['reference_not_found'],
    audit: [],
  }),
};

export const segmentOperations = { ...segmentRecordOperations, ...segmentMemberOperations };
