import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, newestFirst, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { offerStatuses } from './offers.ts';

const CreativeStatus = StringEnum(offerStatuses, { description: 'Only active creatives are shown.' });

/** One variable of a creative's texts. */
export const PersonalizationEntry = Type.Object(
  {
    variable: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$',
      description: 'Name of the token in the content.',
    }),
    fallback: Type.Optional(Type.Unknown({ description: 'String, number or boolean to use if the source is null.' })),
    source: Type.Optional(
      Nullable(Type.String({ maxLength: 255 }), {
        description: 'Data path that starts with customer., attributes. or personalization.',
      }),
    ),
  },
  { description: 'A variable.' },
);
export type PersonalizationEntry = Static<typeof PersonalizationEntry>;

/** Limits of one creative towards one customer (docs/design/api-catalogue.md 7). */
export const CreativeConstraints = Type.Object(
  {
    frequencyCapPerDay: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Maximum contacts of this creative per day. 0 blocks it.',
      }),
    ),
    cooldownHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 87_600,
        description: 'Hours to wait between two contacts. 0 means no wait.',
      }),
    ),
    priorityOverride: Type.Optional(Int(0, 100, "Overrides the offer's priority.")),
  },
  { description: 'Limits of this creative. Empty means no limits.' },
);
export type CreativeConstraints = Static<typeof CreativeConstraints>;

const writable = {
  name: Name('Name. Unique among creatives that are not deleted.'),
  offerId: Id('Offer of the creative.'),
  channelId: Id('Channel of the creative.'),
  placementId: Nullable(Id('Placement.'), {
    description: 'Placement the creative is restricted to. Null allows every placement of the channel.',
  }),
  contentItemId: Nullable(Id('Content item.'), {
    description:
      'Content item to show, or null. The last published version of the item is used, and non-empty keys ' +
      "of the creative's own content override it. Items that are archived or not published show nothing. " +
      "An archived item can't be set.",
  }),
  status: CreativeStatus,
  templateType: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '\\S',
    description: 'Free text. Known values: email_html, push_notification, sms_text, banner, webhook_json and others.',
  }),
  content: JsonObject('Subject, headline, body, imageUrl, ctaText, ctaUrl, deepLink and others. At most 100 KB.'),
  personalization: Type.Array(PersonalizationEntry, { maxItems: 500, description: 'Variables of the content.' }),
  constraints: CreativeConstraints,
  abTestVariant: Nullable(Type.String({ maxLength: 255 }), {
    description: "Label for reports. Doesn't affect which creative is picked.",
  }),
  weight: Int(0, 100, "Share among the offer's usable creatives. 0 excludes it."),
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

const counted = (what: string) => Type.Integer({ description: `${what} so far.` });

/** A creative's counts, at most a second old (docs/design/api-catalogue.md 7). */
export const CreativeMetrics = Type.Object(
  {
    impressions: counted('Impressions'),
    clicks: counted('Outcomes `click`'),
    conversions: counted('Outcomes that are conversions'),
    positive: counted('Positive outcomes'),
    negative: counted('Negative outcomes'),
    ctr: Type.Number({ description: 'Clicks per impression in percent, two decimals; 0 without impressions.' }),
    cvr: Type.Number({ description: 'Conversions per impression in percent, two decimals; 0 without impressions.' }),
  },
  {
    description:
      'Counted by the server from impressions and responses, as far back as history is kept. Ignored in request bodies.',
  },
);
export type CreativeMetrics = Static<typeof CreativeMetrics>;

/** A creative with its relations. */
export const Creative = Type.Object(
  {
    id: Id('Creative.'),
    tenantId: Id('Tenant.'),
    ...writable,
    metrics: CreativeMetrics,
    version: Type.Integer({ description: 'Starts at 1 and increases with every update and cascade.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    offer: Nullable(OfferRef, { description: 'The offer.' }),
    channel: Nullable(ChannelRef, { description: 'The channel.' }),
    placement: Nullable(PlacementRef, { description: 'The placement, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A creative.' },
);
export type Creative = Static<typeof Creative>;

const changes = Type.Partial(Type.Object(writable)).properties;

/** Body of POST: name, offer and channel are required. */
export const CreativeCreate = Type.Object(
  { ...changes, name: writable.name, offerId: writable.offerId, channelId: writable.channelId },
  {
    description: 'A new creative. Defaults: draft, template type "email_html", weight 100.',
    examples: [
      {
        name: 'Gold card on the website',
        offerId: exampleId('offer'),
        channelId: exampleId('channel'),
        placementId: exampleId('placement'),
        status: 'active',
        content: { headline: 'Hello {first}', cta: 'Get the card' },
        personalization: [{ variable: 'first', source: 'customer.first_name', fallback: 'there' }],
      },
    ],
  },
);
export type CreativeCreate = Static<typeof CreativeCreate>;

const DeletedCreative = {
  description: 'Deleted.',
  schema: Type.Object(
    { success: Type.Literal(true, { description: 'Always true.' }), id: Id('The deleted creative.') },
    { description: 'What was deleted.' },
  ),
};

const creativeDraft: Draft<CreativeCreate> = ({ name, marker, id }) => ({
  name: name('Creative'),
  offerId: id('offer'),
  channelId: id('channel'),
  placementId: id('placement'),
  contentItemId: id('contentItem'),
  status: 'active',
  templateType: 'email_html',
  content: { subject: 'Hello {first}', body: `Text of ${marker}` },
  personalization: [{ variable: 'first', source: 'customer.first_name', fallback: marker }],
  constraints: { frequencyCapPerDay: 5, cooldownHours: 0, priorityOverride: 60 },
  abTestVariant: 'A',
  weight: 50,
});

/** Creatives, described once. */
export const creativeResource = resource({
  entityType: 'creative',
  name: 'creatives',
  path: 'creatives',
  tag: 'Creatives',
  noun: 'creative',
  nouns: 'creatives',
  writeRole: 'editor',
  softDelete: true,
  readsDeleted: true,
  record: Creative,
  create: CreativeCreate,
  draft: creativeDraft,
  changes,
  page: cataloguePage,
  order: newestFirst,
  search: ['name'],
  searchOrder: 20,
  filters: {
    status: Type.Optional(CreativeStatus),
    offerId: Type.Optional(IdFilter('Offer to filter by.')),
    channelId: Type.Optional(IdFilter('Channel to filter by.')),
    placementId: Type.Optional(IdFilter('Placement to filter by.')),
    contentItemId: Type.Optional(IdFilter('Content item to filter by.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {
    contentItemId: { to: 'contentItem', onDelete: 'keep' },
    offerId: { to: 'offer', onDelete: 'cascade' },
    channelId: { to: 'channel', onDelete: 'refuse' },
    placementId: { to: 'placement', onDelete: 'refuse' },
  },
  removal: { 200: DeletedCreative },
});

export const creativeOperations = recordOperations(creativeResource);

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type CreativeUpdate = Static<typeof creativeOperations.update.body>;
