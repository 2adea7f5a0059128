import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery } from './core/pages.ts';
import { Id, Int, JsonObject, Name, Nullable, QueryFlag, StringEnum, Timestamp } from './core/schemas.ts';
import { offerStatuses } from './offers.ts';

const CreativeStatus = StringEnum(offerStatuses, { description: 'Only active creatives are shown.' });

/** One variable of a creative's texts (part 2, section 2). */
export const PersonalizationEntry = Type.Object(
  {
    variable: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$',
      description: 'Name of the token in the content.',
    }),
    fallback: Type.Optional(Type.Unknown({ description: 'Text, number or boolean used when the source is null.' })),
    source: Type.Optional(
      Nullable(Type.String({ maxLength: 255 }), {
        description: 'Data path that begins with customer., attributes. or personalization.',
      }),
    ),
  },
  { description: 'A variable.' },
);
export type PersonalizationEntry = Static<typeof PersonalizationEntry>;

/** Limits of one creative towards one customer (api-catalogue.md 7). */
export const CreativeConstraints = Type.Object(
  {
    frequencyCapPerDay: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Contacts of this creative a day; 0 blocks.' }),
    ),
    cooldownHours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 87_600, description: 'Hours between two contacts; 0 = none.' }),
    ),
    priorityOverride: Type.Optional(Int(0, 100, "Replaces the offer's priority.")),
  },
  { additionalProperties: false, description: 'Limits of this creative; empty = none.' },
);
export type CreativeConstraints = Static<typeof CreativeConstraints>;

const writable = {
  name: Name('Unique among creatives that are not deleted.'),
  offerId: Id('Offer it shows.'),
  channelId: Id('Channel it is made for.'),
  placementId: Nullable(Id('Placement.'), {
    description: "Only for this placement of the channel; null = any of the channel's placements.",
  }),
  contentItemId: Nullable(Id('Content item.'), { description: 'Content item it takes its content from, or null.' }),
  status: CreativeStatus,
  templateType: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '\\S',
    description: 'Free text; known: email_html, push_notification, sms_text, banner, webhook_json and others.',
  }),
  content: JsonObject('Subject, headline, body, imageUrl, ctaText, ctaUrl, deepLink and others; at most 100 KB.'),
  personalization: Type.Array(PersonalizationEntry, { maxItems: 500, description: 'Variables of the content.' }),
  constraints: CreativeConstraints,
  abTestVariant: Nullable(Type.String({ maxLength: 255 }), {
    description: 'Label for reports; never changes the pick.',
  }),
  weight: Int(0, 100, "Share among the offer's usable creatives; 0 takes it out."),
};

const OfferRef = Type.Object(
  {
    id: Id('Offer.'),
    name: Type.String({ description: 'Name of the offer.' }),
    status: Type.String({ description: 'Status of the offer.' }),
  },
  { description: 'The offer.' },
);
const ChannelRef = Type.Object(
  {
    id: Id('Channel.'),
    name: Type.String({ description: 'Name of the channel.' }),
    key: Type.String({ description: 'Key of the channel.' }),
    channelType: Type.String({ description: 'Type of the channel.' }),
    status: Type.String({ description: 'Status of the channel.' }),
  },
  { description: 'The channel.' },
);
const PlacementRef = Type.Object(
  {
    id: Id('Placement.'),
    name: Type.String({ description: 'Name of the placement.' }),
    key: Type.String({ description: 'Key of the placement.' }),
    status: Type.String({ description: 'Status of the placement.' }),
  },
  { description: 'The placement.' },
);

/** A creative with its relations (part 2, section 2). */
export const Creative = Type.Object(
  {
    id: Id('Creative.'),
    tenantId: Id('Tenant.'),
    ...writable,
    metrics: JsonObject('Impressions, clicks, conversions and rates as counted so far; empty before the first count.'),
    version: Type.Integer({ description: 'Starts at 1, rises with every update and cascade.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    offer: Nullable(OfferRef, { description: 'The offer.' }),
    channel: Nullable(ChannelRef, { description: 'The channel.' }),
    placement: Nullable(PlacementRef, { description: 'The placement, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A creative.' },
);
export type Creative = Static<typeof Creative>;

const optional = Type.Partial(Type.Object(writable)).properties;

/** Body of POST: name, offer and channel are required (part 2, 4.4). */
export const CreativeCreate = Type.Object(
  { ...optional, name: writable.name, offerId: writable.offerId, channelId: writable.channelId },
  { description: 'A new creative. Defaults: draft, template type "email_html", weight 100.' },
);
export type CreativeCreate = Static<typeof CreativeCreate>;

const changes = {
  ...optional,
  rowVersion: Type.Optional(Type.Integer({ description: 'Expected version; another one is 409.' })),
};

/** Body of PUT on the collection: `id` plus the fields that change. */
export const CreativeUpdate = Type.Object(
  { id: Id('The creative to change.'), ...changes },
  { description: 'Fields of a creative that change.' },
);
export type CreativeUpdate = Static<typeof CreativeUpdate>;

const CreativeUpdateById = Type.Object(
  { id: Type.Optional(Id('Must equal the id in the path.')), ...changes },
  { description: 'Fields of a creative that change.' },
);

const DeletedCreative = Type.Object(
  { success: Type.Literal(true, { description: 'Always true.' }), id: Id('The deleted creative.') },
  { description: 'What was deleted.' },
);

const IdParams = Type.Object({ id: Type.String({ description: 'Creative.' }) }, { description: 'Path.' });

const common = { tag: 'Creatives', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const writeErrors = ['validation_failed', 'reference_not_found', 'duplicate_name'] as const;

export const creativeOperations = {
  list: operation({
    ...common,
    id: 'creatives.list',
    method: 'GET',
    path: '/api/v1/creatives',
    summary: 'List creatives, newest first',
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(25, 200),
        includeDeleted: Type.Optional(QueryFlag('Also deleted creatives.')),
        search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, any letter case.' })),
        q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as search.' })),
        status: Type.Optional(CreativeStatus),
        offerId: Type.Optional(Type.String({ description: 'Only creatives of this offer.' })),
        channelId: Type.Optional(Type.String({ description: 'Only creatives of this channel.' })),
        placementId: Type.Optional(Type.String({ description: 'Only creatives bound to this placement.' })),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of creatives.', schema: cursorPage(Creative) } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'creatives.create',
    method: 'POST',
    path: '/api/v1/creatives',
    summary: 'Create a creative',
    role: 'editor',
    body: CreativeCreate,
    responses: { 201: { description: 'The creative.', schema: Creative } },
    errors: writeErrors,
    audit: [{ action: 'create', entityType: 'creative' }],
  }),
  get: operation({
    ...common,
    id: 'creatives.get',
    method: 'GET',
    path: '/api/v1/creatives/{id}',
    summary: 'Read a creative',
    role: 'viewer',
    params: IdParams,
    responses: { 200: { description: 'The creative.', schema: Creative } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...common,
    id: 'creatives.update',
    method: 'PUT',
    path: '/api/v1/creatives',
    summary: 'Change a creative',
    role: 'editor',
    body: CreativeUpdate,
    responses: { 200: { description: 'The creative.', schema: Creative } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'creative' }],
  }),
  updateById: operation({
    ...common,
    id: 'creatives.updateById',
    method: 'PUT',
    path: '/api/v1/creatives/{id}',
    summary: 'Change a creative',
    role: 'editor',
    params: IdParams,
    body: CreativeUpdateById,
    responses: { 200: { description: 'The creative.', schema: Creative } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'creative' }],
  }),
  delete: operation({
    ...common,
    id: 'creatives.delete',
    method: 'DELETE',
    path: '/api/v1/creatives',
    summary: 'Delete a creative (soft)',
    role: 'editor',
    query: Type.Object({ id: Type.String({ description: 'Creative.' }) }, { description: 'The creative to delete.' }),
    responses: { 200: { description: 'Deleted.', schema: DeletedCreative } },
    errors: ['validation_failed', 'already_deleted'],
    audit: [{ action: 'soft_delete', entityType: 'creative' }],
  }),
  deleteById: operation({
    ...common,
    id: 'creatives.deleteById',
    method: 'DELETE',
    path: '/api/v1/creatives/{id}',
    summary: 'Delete a creative (soft)',
    role: 'editor',
    params: IdParams,
    responses: { 200: { description: 'Deleted.', schema: DeletedCreative } },
    errors: ['not_found'],
    audit: [{ action: 'soft_delete', entityType: 'creative' }],
  }),
};
