import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from '../core/schemas.ts';

export const slotTypes = ['banner', 'card', 'inline', 'modal', 'overlay', 'list'] as const;

const Status = StringEnum(['active', 'inactive'], { description: 'Only active placements receive items.' });

const ContentRules = Type.Object(
  {
    requiredFields: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 100,
        description: 'Content keys that an active creative must fill.',
      }),
    ),
    maxLength: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.Integer({ minimum: 0 }), {
        description: 'Maximum text length by content key, in code points.',
      }),
    ),
  },
  { description: 'Rules for the content of creatives in this placement.' },
);

/** Properties that a caller sets. */
export const placementWritable = {
  name: Name('Name. Unique in the channel among placements that are not deleted.'),
  key: Type.String({
    pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
    description: 'Short key for requests. Unique in the channel. Default: derived from the name.',
  }),
  description: Type.String({ maxLength: 2000, description: 'Where the placement is.' }),
  slotType: StringEnum(slotTypes, { description: 'Kind of slot.' }),
  maxSlots: Int(1, 50, 'Maximum items. A smaller limit in the request takes precedence.'),
  schema: Nullable(ContentRules, { description: 'Rules for the content of creatives, or null.' }),
  targeting: Nullable(Type.Unknown(), {
    description: 'Condition on request, attributes and customer. The placement receives no items unless it matches.',
  }),
  status: Status,
};

const ChannelRef = Type.Object(
  { id: Id('ID of the channel.'), name: Type.String({ description: 'Name of the channel.' }) },
  { description: 'The channel.' },
);

/** A place on a channel where items are shown (docs/design/api-catalogue.md 5.2). */
export const Placement = Type.Object(
  {
    id: Id('ID of the placement.'),
    tenantId: Id('Tenant.'),
    channelId: Id("Channel of the placement. Can't be changed."),
    ...placementWritable,
    channel: ChannelRef,
    creatives: Type.Array(
      Type.Object(
        {
          id: Id('ID of the creative.'),
          name: Type.String({ description: 'Name of the creative.' }),
          offerId: Id('Offer of the creative.'),
          placementId: Nullable(Type.String(), { description: 'Placement of the creative, or null.' }),
          status: Type.String({ description: 'Status of the creative.' }),
        },
        { description: 'A creative bound to the placement.' },
      ),
      { description: 'Creatives that are not deleted, oldest first.' },
    ),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A placement.' },
);
export type Placement = Static<typeof Placement>;

const changes = Type.Partial(Type.Object(placementWritable)).properties;

export const PlacementCreate = Type.Object(
  { ...changes, channelId: Id('The channel.'), name: placementWritable.name },
  {
    description: 'A new placement. Defaults: slotType banner, maxSlots 1, active.',
    examples: [{ channelId: exampleId('channel'), name: 'Top of the home page', key: 'home-top', maxSlots: 2 }],
  },
);
export type PlacementCreate = Static<typeof PlacementCreate>;

const placementDraft: Draft<PlacementCreate> = ({ name, key, marker, id }) => ({
  channelId: id('channel'),
  name: name('Placement'),
  key: key('placement'),
  description: `Top of ${marker}`,
  slotType: 'card',
  maxSlots: 3,
  schema: { requiredFields: ['subject'], maxLength: { subject: 200 } },
  targeting: { field: 'attributes.page', operator: 'neq', value: 'never' },
  status: 'active',
});

/** Placements, described once. */
export const placementResource = resource({
  entityType: 'placement',
  name: 'placements',
  path: 'placements',
  tag: 'Channels',
  noun: 'placement',
  nouns: 'placements',
  writeRole: 'editor',
  softDelete: true,
  record: Placement,
  create: PlacementCreate,
  draft: placementDraft,
  changes,
  fixed: { channelId: Id(sentAsItIs) },
  page: cataloguePage,
  order: { text: 'name', keys: [{ property: 'name', direction: 'asc' }], ids: 'asc' },
  search: ['name', 'key'],
  searchOrder: 110,
  filters: {
    channelId: Type.Optional(IdFilter('Channel to filter by.')),
    status: Type.Optional(Status),
  },
  queries: {},
  unique: { name: 'duplicate_name', key: 'duplicate_key' },
  references: { channelId: { to: 'channel', onDelete: 'cascade' } },
  files: { parent: 'channelId' },
  removal: deleted,
  errors: { delete: ['in_use'] },
});

export const placementOperations = recordOperations(placementResource);
