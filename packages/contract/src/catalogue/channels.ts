import Type, { type Static } from 'typebox';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { placementWritable } from './placements.ts';
import { FileConfig, ProviderConfig } from './provider-configs.ts';

export type { ChannelProvider, FileConfig, ProviderConfig } from './provider-configs.ts';
export { fileColumns, providerKeys } from './provider-configs.ts';

export const channelStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export const impressionModes = ['implicit', 'explicit'] as const;
export const couplingModes = ['partial', 'atomic'] as const;
export const deliveryModes = ['api', 'file', 'integration', 'manual'] as const;

const keyPattern = '^[a-z0-9][a-z0-9_-]{0,62}$';

const Status = StringEnum(channelStatuses, { description: 'Only active channels are used in decisions.' });
/** A word for a kind of channel. */
export const channelTypePattern = '^[a-z][a-z0-9_]{0,31}$';

const ChannelType = Type.String({
  pattern: channelTypePattern,
  description:
    'email, sms, push, in_app, web, mobile, whatsapp, social, phone, direct_mail, webhook or other. Any other value is treated as `other`.',
});

const writable = {
  name: Name('Name. Unique among channels that are not deleted.'),
  key: Type.String({
    pattern: keyPattern,
    description: 'Short key for requests. Unique. Default: derived from the name.',
  }),
  channelType: ChannelType,
  description: Type.String({ maxLength: 2000, description: 'What the channel is for.' }),
  status: Status,
  deliveryMode: StringEnum(deliveryModes, {
    description:
      'How items are delivered. api: the caller shows them. file: campaign files. integration: a provider sends them. manual: call lists.',
  }),
  impressionMode: StringEnum(impressionModes, {
    description: 'implicit: a response counts as shown. explicit: it reserves until the impression is reported.',
  }),
  couplingMode: StringEnum(couplingModes, {
    description:
      'atomic: either all placements of a request are filled or none. partial: each is filled independently.',
  }),
  providerConfig: ProviderConfig,
  fileConfig: FileConfig,
  addressAttribute: Nullable(Type.String({ maxLength: 255, pattern: '^customer(\\.[A-Za-z_][A-Za-z0-9_]*)+$' }), {
    description:
      'Path below `customer.` that holds the delivery address. Defaults to customer.email for email, customer.phone for sms, whatsapp and phone, customer.push_token for push, otherwise the customer ID.',
  }),
  timezone: Nullable(Type.String({ minLength: 1, maxLength: 64 }), {
    description: "IANA time zone of the channel. Defaults to the tenant's.",
  }),
};

/** A placement as its channel shows it. */
const ChannelPlacement = Type.Object(
  {
    id: Id('ID of the placement.'),
    channelId: Id('Channel of the placement.'),
    ...placementWritable,
    version: Type.Integer({ description: 'Version of the placement.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A placement of the channel.' },
);

/** A creative as channels and placements show it. */
export const BoundCreative = Type.Object(
  {
    id: Id('ID of the creative.'),
    name: Type.String({ description: 'Name of the creative.' }),
    offerId: Id('Offer of the creative.'),
    placementId: Nullable(Type.String(), { description: 'Placement of the creative, or null.' }),
    status: Type.String({ description: 'Status of the creative.' }),
  },
  { description: 'A creative bound to the channel.' },
);
export type BoundCreative = Static<typeof BoundCreative>;

/** A way to reach customers (docs/design/api-catalogue.md 5.1). */
export const Channel = Type.Object(
  {
    id: Id('ID of the channel.'),
    tenantId: Id('Tenant.'),
    ...writable,
    placements: Type.Array(ChannelPlacement, { description: 'Placements that are not deleted, sorted by name.' }),
    creatives: Type.Array(BoundCreative, { description: 'Creatives that are not deleted, oldest first.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A channel with its placements.' },
);
export type Channel = Static<typeof Channel>;

const changes = Type.Partial(Type.Object(writable)).properties;

const InlinePlacement = Type.Object(
  { ...Type.Partial(Type.Object(placementWritable)).properties, name: placementWritable.name },
  { description: 'A placement to create with the channel.' },
);

export const ChannelCreate = Type.Object(
  {
    ...changes,
    name: writable.name,
    channelType: ChannelType,
    placements: Type.Optional(
      Type.Array(InlinePlacement, {
        maxItems: 100,
        description: 'Placements to create with the channel. If one fails, nothing is created.',
      }),
    ),
  },
  {
    description: 'A new channel. Defaults: active, deliveryMode api, impressionMode implicit, couplingMode partial.',
    examples: [{ name: 'Website', key: 'website', channelType: 'web', timezone: 'Europe/Paris' }],
  },
);
export type ChannelCreate = Static<typeof ChannelCreate>;

const channelDraft: Draft<ChannelCreate> = ({ name, key, marker }) => ({
  name: name('Channel'),
  key: key('channel'),
  channelType: 'email',
  description: `Email of ${marker}`,
  status: 'active',
  deliveryMode: 'api',
  impressionMode: 'implicit',
  couplingMode: 'partial',
  providerConfig: {
    provider: 'webhook',
    from: 'offers@example.com',
    url: 'https://example.com/hook',
    secret: `secret of ${marker}`,
    headers: { Authorization: `Bearer ${marker}` },
  },
  fileConfig: { format: 'ndjson', columns: ['customerId', 'offerId'], includePersonalization: true },
  addressAttribute: 'customer.work_email',
  timezone: 'Europe/Paris',
});

/** Channels, described once. */
export const channelResource = resource({
  entityType: 'channel',
  name: 'channels',
  path: 'channels',
  tag: 'Channels',
  noun: 'channel',
  nouns: 'channels',
  writeRole: 'editor',
  softDelete: true,
  record: Channel,
  create: ChannelCreate,
  draft: channelDraft,
  changes,
  page: cataloguePage,
  order: newestFirst,
  search: ['name', 'key'],
  searchOrder: 100,
  filters: {
    status: Type.Optional(Status),
    channelType: Type.Optional(Type.String({ maxLength: 32, description: 'Channel type to filter by.' })),
  },
  queries: {},
  unique: { name: 'duplicate_name', key: 'duplicate_key' },
  references: {},
  files: { without: ['placements'] },
  removal: deleted,
  errors: { create: ['not_configured'], update: ['not_configured'], delete: ['in_use'] },
});

export const channelOperations = recordOperations(channelResource);
