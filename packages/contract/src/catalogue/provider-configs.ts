import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from '../core/schemas.ts';

export const channelProviders = ['ses', 'smtp', 'sendgrid', 'twilio', 'whatsapp_cloud', 'fcm', 'webhook'] as const;
export type ChannelProvider = (typeof channelProviders)[number];

/** The keys of a provider's config: those of every provider, and further ones of each. */
export const providerKeys = {
  common: ['provider', 'from', 'url', 'headers'],
  ses: ['region', 'accessKeyId', 'secretAccessKey'],
  smtp: [],
  sendgrid: ['apiKey'],
  twilio: ['accountSid', 'authToken'],
  whatsapp_cloud: ['phoneNumberId', 'accessToken'],
  fcm: ['serviceAccount'],
  webhook: ['secret'],
} as const satisfies Readonly<Record<ChannelProvider | 'common', readonly string[]>>;

const text = (description: string, maxLength = 2000) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

const secret = (what: string) =>
  text(`${what}. Write-only: returned as eight bullets, and bullets sent back keep the stored value.`, 10_000);

/**
 * How an integration channel sends (docs/design/api-catalogue.md 5.1, 20). Closed, unlike other objects: an unknown
 * member could be a secret that isn't treated as one.
 */
export const ProviderConfig = Type.Object(
  {
    provider: Type.Optional(StringEnum(channelProviders, { description: 'Provider that sends.' })),
    from: text('Sender.', 320),
    url: Type.Optional(
      Type.String({ maxLength: 2000, pattern: '^https?://[^@\\s]+$', description: 'webhook: URL to send to.' }),
    ),
    region: text('ses: region.', 64),
    accessKeyId: text('ses: access key ID.', 128),
    secretAccessKey: secret('ses: secret access key'),
    apiKey: secret('sendgrid: API key'),
    accountSid: text('twilio: account.', 64),
    authToken: secret('twilio: account.'),
    phoneNumberId: text('whatsapp_cloud: ID of the sender.', 64),
    accessToken: secret('whatsapp_cloud: ID of the sender.'),
    serviceAccount: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 10_000 }), Type.Object({}, { additionalProperties: true })], {
        description: 'fcm: service account, as JSON or as a JSON string. Write-only, like the other secrets.',
      }),
    ),
    secret: secret('webhook: signing key'),
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }),
        Type.String({ maxLength: 4096, pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$' }),
        {
          additionalProperties: false,
          maxProperties: 50,
          description: 'webhook: headers by name. Values are write-only, like the other secrets.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'Provider of an integration channel. Empty means no provider.',
    configs: 'providers',
  },
);
export type ProviderConfig = Static<typeof ProviderConfig>;

/** Columns of a file, in their usual order; the first eight are the default (docs/design/api-decisioning.md, campaigns). */
export const fileColumns = [
  'customerId',
  'rank',
  'offerId',
  'offerName',
  'creativeId',
  'creativeName',
  'channelId',
  'channelName',
  'placementId',
  'score',
  'category',
  'subCategory',
  'decidedAt',
  'personalization',
] as const;

/** How a file channel writes. */
export const FileConfig = Type.Object(
  {
    format: Type.Optional(
      StringEnum(['csv', 'json', 'ndjson', 'jsonl'], {
        description: 'Format of the file; jsonl is the same as ndjson. Default csv.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(StringEnum(fileColumns, { description: 'A column.' }), {
        maxItems: fileColumns.length,
        uniqueItems: true,
        description: 'Columns in order. Default: the first eight.',
      }),
    ),
    includePersonalization: Type.Optional(
      Type.Boolean({ description: 'Adds the column `personalization`. Default false.' }),
    ),
    destination: Type.Optional(
      StringEnum(['download', 's3'], {
        description:
          '`download` keeps the file on the server. `s3` also copies it to the bucket set in EXPORT_S3_URL. Default: download.',
      }),
    ),
    s3Path: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 1024 }), {
        description:
          "Folder in the bucket, inside the tenant's own folder. Can't contain `.` or `..`. Default: the tenant's own folder.",
      }),
    ),
  },
  { description: 'File settings of the channel. Settings of a campaign take precedence.' },
);
export type FileConfig = Static<typeof FileConfig>;
