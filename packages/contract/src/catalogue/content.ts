import Type, { type Static, type TSchema } from 'typebox';
import { type Operation, operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, newestFirst, resource } from '../core/resource.ts';
import {
  CustomerId,
  Id,
  IdFilter,
  IdText,
  Int,
  JsonObject,
  Name,
  Nullable,
  StringEnum,
  Timestamp,
} from '../core/schemas.ts';
import { channelTypePattern } from './channels.ts';

export const contentStatuses = ['draft', 'in_review', 'approved', 'published', 'archived'] as const;
export type ContentStatus = (typeof contentStatuses)[number];

export const versionKinds = ['create', 'update', 'publish', 'revert'] as const;

export const blockTypes = [
  'heading',
  'text',
  'image',
  'button',
  'divider',
  'spacer',
  'html',
  'columns',
  'column',
  'offer',
  'list',
] as const;
export type BlockType = (typeof blockTypes)[number];

/** Levels of blocks: blocks, their children, and their grandchildren (docs/design/api-catalogue.md 3.2). */
export const blockLevels = 3;
/** Blocks of one item, on all levels. */
export const maxBlocks = 200;

/** A part of an item's body. Removed blocks (`props: null`) have no use but in an item with a parent template. */
export interface ContentBlock {
  id?: string;
  type: BlockType;
  props?: Record<string, unknown> | null;
  children?: ContentBlock[];
}

/** A block as it is stored: it has an id. */
export interface StoredBlock extends ContentBlock {
  id: string;
  children?: StoredBlock[];
}

const propsText =
  'Properties by type. heading: text, level 1-6 (2), align. text: text with **bold**, *italic*, ' +
  '[label](url), align. image: imageUrl, alt, linkUrl, width. button: text, url, style primary or ' +
  'secondary. divider and spacer: height. html: html; disallowed markup is removed. columns: widths ' +
  '(percent), with 2 to 4 children of type column. offer: fields (name, shortDesc, description, ' +
  'imageUrl, ctaText, ctaUrl). list: items, ordered. Texts may contain tokens. null removes the block ' +
  'with this ID inherited from the parent template.';

function blockSchema(levels: number): TSchema {
  return Type.Object(
    {
      id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Unique in the item. Generated if omitted.' }),
      ),
      type: StringEnum(blockTypes, { description: 'Type of the block.' }),
      props: Type.Optional(Nullable(JsonObject('Properties.'), { description: propsText })),
      ...(levels > 1
        ? {
            children: Type.Optional(
              Type.Array(blockSchema(levels - 1), { description: 'Nested blocks; columns and column only.' }),
            ),
          }
        : {}),
    },
    { additionalProperties: false, description: 'A block.' },
  );
}

const Blocks = <B extends ContentBlock>(description: string) =>
  Type.Unsafe<B[]>(Type.Array(blockSchema(blockLevels), { maxItems: maxBlocks, description }));

const Content = (description: string) => JsonObject(description);
const Personalization = JsonObject(
  'Variables of the texts: { <variable>: { source, fallback } } or { <variable>: "<source>" }. ' +
    '`source` is a path that starts with customer., attributes. or personalization. With a parent ' +
    'template, null removes a variable. At most 500.',
);

const ChannelType = Type.String({
  pattern: channelTypePattern,
  description: "Channel type it is for: email, sms, push, web and others. Can't be changed.",
});

const writable = {
  name: Name('Name. Unique among all content items, including archived ones.'),
  description: Type.String({ maxLength: 2000, description: 'What the item is for.' }),
  content: Content(
    'Texts by key, such as subject, headline, body, imageUrl, ctaText, ctaUrl and deepLink, with tokens ' +
      'in braces. At most 100 KB. With a parent template, the keys are added to those of the template, and ' +
      'null removes a key.',
  ),
  blocks: Blocks<ContentBlock>('Parts of the body, in order. At most 200 blocks, 3 levels and 200 KB.'),
  personalization: Personalization,
  parentTemplateId: Nullable(Id('Parent template.'), {
    description: 'Content item with isTemplate that this item extends, or null. At most 5 items can be stacked.',
  }),
};

const snapshotParts = {
  content: Content('The content.'),
  blocks: Blocks<StoredBlock>('The blocks.'),
  personalization: JsonObject('The personalization.'),
};

/** One version of a content item. Never changes. */
export const ContentVersion = Type.Object(
  {
    id: Id('Version.'),
    contentItemId: Id('Content item of the version.'),
    version: Type.Integer({ description: 'Version number.' }),
    kind: StringEnum(versionKinds, { description: 'Action that created the version.' }),
    ...snapshotParts,
    merged: Nullable(Type.Object(snapshotParts, { description: 'Parts.' }), {
      description: 'Content merged with its templates, frozen at publishing; null unless kind is publish.',
    }),
    changeNote: Nullable(Type.String(), { description: 'Note by the author, or null.' }),
    changedBy: Type.String({ description: 'Who created it.' }),
    createdAt: Timestamp('When it was created.'),
  },
  { description: 'A version of a content item.' },
);
export type ContentVersion = Static<typeof ContentVersion>;

const Person = (what: string) =>
  Nullable(Type.String(), {
    description: `${what}: a user ID or \`system\`; null if it hasn't happened.`,
  });
const When = (what: string) => Nullable(Timestamp('Instant.'), { description: `${what}, or null.` });

/** A content item (docs/design/api-settled.md 42 to 49). */
export const ContentItem = Type.Object(
  {
    id: Id('Content item.'),
    tenantId: Id('Tenant.'),
    ...writable,
    blocks: Blocks<StoredBlock>('Parts of the body, in order, each with an ID.'),
    channelType: ChannelType,
    isTemplate: Type.Boolean({ description: "True: other items can use it as their parent. Can't be changed." }),
    status: StringEnum(contentStatuses, {
      description:
        'draft -> in_review (submit) -> approved (approve, by another user) -> published. Reject and every ' +
        'change return the item to draft. Decisions show the last published version until the item is ' +
        'archived.',
    }),
    sourceType: StringEnum(['native'], { description: 'Source of the content.' }),
    source: Type.Null({ description: 'Always null, because no other sources exist yet.' }),
    parentTemplate: Nullable(
      Type.Object(
        { id: Id('Content item.'), name: Type.String({ description: 'Name of the template.' }) },
        { description: 'The parent template.' },
      ),
      { description: 'The parent template, or null.' },
    ),
    parentOutdated: Type.Boolean({
      description: 'A template used by the published version has been published again since.',
    }),
    submittedBy: Person('Who submitted it for review'),
    submittedAt: When('When it was submitted'),
    approvedBy: Person('Who approved it'),
    approvedAt: When('When it was approved'),
    rejectionReason: Nullable(Type.String(), {
      description: 'Reason for the rejection, until the item is submitted again; otherwise null.',
    }),
    publishedAt: When('When it was last published'),
    publishedVersion: Nullable(Type.Integer(), { description: 'Number of the version that decisions show, or null.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change, publish and revert.' }),
    versions: Type.Optional(
      Type.Array(ContentVersion, {
        description:
          'The newest 20 versions, newest first, plus the published one if it is older. Not returned in lists.',
      }),
    ),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A content item.' },
);
export type ContentItem = Static<typeof ContentItem>;

const fixed = {
  channelType: Type.Optional(ChannelType),
  isTemplate: Type.Optional(Type.Boolean({ description: "Can't be changed: a different value returns 400." })),
};
const changes = {
  ...Type.Partial(Type.Object(writable)).properties,
  ...fixed,
  changeNote: Type.Optional(
    Nullable(Type.String({ maxLength: 500 }), { description: 'Description of the change, stored with the version.' }),
  ),
};

const { changeNote: _note, ...creatable } = changes;

/** Body of POST: name and channelType are required. */
export const ContentCreate = Type.Object(
  {
    ...creatable,
    isTemplate: Type.Optional(Type.Boolean({ description: 'True: other items can use it as their parent.' })),
    name: writable.name,
    channelType: ChannelType,
  },
  {
    description: 'A new content item with status draft and version 1.',
    examples: [
      {
        name: 'Gold card, welcome email',
        channelType: 'email',
        content: { subject: 'Hello {first}' },
        blocks: [
          { id: 'head', type: 'heading', props: { text: 'A card for {{first|you}}', level: 1 } },
          {
            id: 'more',
            type: 'button',
            props: { text: 'Get the card', url: 'https://bank.example/gold?c={customer.id}' },
          },
        ],
        personalization: { first: { source: 'customer.first_name', fallback: 'there' } },
      },
    ],
  },
);
export type ContentCreate = Static<typeof ContentCreate>;

const contentDraft: Draft<ContentCreate> = ({ name, marker, id }) => ({
  name: name('Content'),
  channelType: 'email',
  description: `Content of ${marker}`,
  content: { subject: `Hello {first} of ${marker}` },
  blocks: [{ id: 'text', type: 'text', props: { text: `For {{first|you}}: ${marker}` } }],
  personalization: { first: { source: 'customer.first_name', fallback: marker } },
  parentTemplateId: id('contentItem'),
  isTemplate: false,
});

/** Content items, described once. */
export const contentResource = resource({
  entityType: 'contentItem',
  name: 'content',
  path: 'content',
  tag: 'Content',
  noun: 'content item',
  nouns: 'content items',
  writeRole: 'editor',
  softDelete: false,
  archives: true,
  record: ContentItem,
  create: ContentCreate,
  draft: contentDraft,
  changes,
  page: { usual: 20, maximum: 200 },
  order: newestFirst,
  search: ['name'],
  searchOrder: 30,
  filters: {
    status: Type.Optional(StringEnum(contentStatuses, { description: 'Status to filter by.' })),
    channelType: Type.Optional(Type.String({ maxLength: 32, description: 'Channel type to filter by.' })),
    isTemplate: Type.Optional(Type.Boolean({ description: 'True: templates only. False: other items only.' })),
    sourceType: Type.Optional(Type.String({ maxLength: 32, description: 'Source to filter by.' })),
    parentTemplateId: Type.Optional(IdFilter('Parent template to filter by.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  // A template that is archived is merged in its last state all the same.
  references: { parentTemplateId: { to: 'contentItem', onDelete: 'keep' } },
  removal: { 204: { description: 'The item is archived.', schema: null } },
  errors: {
    create: ['feature_disabled'],
    update: ['invalid_transition', 'feature_disabled'],
    delete: ['feature_disabled'],
  },
});

const records = recordOperations(contentResource);

const path = '/api/v1/content/{id}' as const;
const params = Type.Object({ id: IdText('Content item.') }, { description: 'Content item to read.' });
const common = { tag: 'Content', auth: 'credential', loadClass: 'crud', transaction: 'tenant', params } as const;
const one = { 200: { description: 'The content item.', schema: ContentItem } } as const;

/** An action of the workflow. */
const action = <
  const A extends Pick<Operation, 'id' | 'path' | 'summary' | 'description' | 'errors' | 'audit' | 'body'>,
>(
  value: A,
) =>
  operation({ ...common, method: 'POST', role: 'editor', responses: one, changesCatalogue: true, ...value } as const);

const renderData = {
  customerId: Type.Optional(CustomerId('Customer whose profile to use. An unknown customer has no attributes.')),
  customer: Type.Optional(JsonObject('Attributes of the customer. They override those of the profile.')),
  attributes: Type.Optional(JsonObject('Attributes of the request.')),
  offer: Type.Optional(JsonObject('The offer, such as { name }.')),
};

const RenderRequest = Type.Object(
  {
    version: Type.Optional(Int(1, 2_147_483_647, 'Version to render. Default: the working copy with its templates.')),
    ...renderData,
  },
  {
    description: 'Data to render with; everything is optional.',
    examples: [{ customer: { first_name: 'Ada' }, offer: { name: 'Gold card' } }],
  },
);
export type RenderRequest = Static<typeof RenderRequest>;

const { content, blocks, personalization, parentTemplateId } = changes;

const PreviewRequest = Type.Object(
  {
    channelType: Type.String({ pattern: channelTypePattern, description: 'Channel type to render for.' }),
    ...{ content, blocks, personalization, parentTemplateId },
    ...renderData,
  },
  {
    description: 'Parts of an unsaved item, and the data to render them with.',
    examples: [
      {
        channelType: 'email',
        content: { subject: 'Hello {first}' },
        blocks: [{ type: 'heading', props: { text: 'A card for {first}' } }],
        personalization: { first: { source: 'customer.first_name', fallback: 'you' } },
        customer: { first_name: 'Ada' },
      },
    ],
  },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

const renderedParts = {
  content: JsonObject('Content as a decision would deliver it, with tokens replaced.'),
  html: Nullable(Type.String(), {
    description: 'Same as content.html; null if the item has neither blocks nor HTML.',
  }),
  text: Nullable(Type.String(), { description: 'Same as content.text; null in the same cases.' }),
  missing: Type.Array(Type.String(), {
    description: 'Tokens without a value or fallback, each once, in order.',
  }),
};

const Rendered = Type.Object(
  { version: Type.Integer({ description: 'Version that was rendered.' }), ...renderedParts },
  { description: 'A rendered content item.' },
);
export type Rendered = Static<typeof Rendered>;

const Preview = Type.Object(renderedParts, { description: 'Rendered parts.' });
export type Preview = Static<typeof Preview>;

export const contentOperations = {
  ...records,
  submit: action({
    id: 'content.submit',
    path: `${path}/submit`,
    summary: 'Submit a draft for review',
    description: 'Returns 409 for any other status.',
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'submit', entityType: 'contentItem' }],
  }),
  approve: action({
    id: 'content.approve',
    path: `${path}/approve`,
    summary: 'Approve an item in review',
    description:
      'Must be a different user from the one who submitted it; two keys with the same owner count as one user. Returns 409 for any other status.',
    errors: ['not_found', 'self_approval_forbidden', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'approve', entityType: 'contentItem' }],
  }),
  publish: action({
    id: 'content.publish',
    path: `${path}/publish`,
    summary: 'Publish an approved item',
    description:
      'Freezes the item together with its templates as a new version. Decisions use it from then on. Returns 409 for any other status.',
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'publish', entityType: 'contentItem' }],
  }),
  reject: action({
    id: 'content.reject',
    path: `${path}/reject`,
    summary: 'Reject an item in review',
    description: 'Returns the item to draft. Returns 409 for any other status.',
    body: Type.Object(
      {
        reason: Type.Optional(Nullable(Type.String({ maxLength: 1000 }), { description: 'Reason for the rejection.' })),
      },
      { description: 'Reason for the rejection.', examples: [{ reason: 'The link is missing.' }] },
    ),
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'reject', entityType: 'contentItem' }],
  }),
  versions: operation({
    ...common,
    id: 'content.versions',
    method: 'GET',
    path: `${path}/versions`,
    summary: 'List the versions of an item',
    description: 'Newest first, at most 100.',
    role: 'viewer',
    responses: {
      200: {
        description: 'The versions.',
        schema: Type.Array(ContentVersion, { description: 'Versions, newest first.' }),
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
  revert: operation({
    ...common,
    id: 'content.revert',
    method: 'POST',
    path: `${path}/revert/{version}`,
    summary: 'Revert to an older version',
    description:
      'Creates a new draft version with the content of the older one. The only way to bring back an ' +
      'archived item. Returns 409 if the number is not below the current version.',
    role: 'editor',
    params: Type.Object(
      {
        id: IdText('Content item.'),
        version: Type.String({ minLength: 1, maxLength: 64, description: 'Number of the older version.' }),
      },
      { description: 'Item and version.' },
    ),
    responses: one,
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    changesCatalogue: true,
    audit: [{ action: 'revert', entityType: 'contentItem' }],
  }),
  render: operation({
    ...common,
    id: 'content.render',
    method: 'POST',
    path: `${path}/render`,
    summary: 'Render an item',
    description:
      "Writes nothing. Values are escaped as they are on a channel of the item's channelType. Together they can have at most 262,144 characters; values beyond that are left empty.",
    role: 'viewer',
    body: RenderRequest,
    responses: { 200: { description: 'The rendered item.', schema: Rendered } },
    errors: ['not_found'],
    audit: [],
  }),
  preview: operation({
    tag: 'Content',
    auth: 'credential',
    loadClass: 'crud',
    transaction: 'tenant',
    id: 'content.preview',
    method: 'POST',
    path: '/api/v1/content/preview',
    summary: 'Preview unsaved content',
    description:
      'Checks the parts like a new item, merges them with their templates, and renders them like a stored item. ' +
      'Stores nothing. Use it to show authors their changes as they type.',
    role: 'viewer',
    body: PreviewRequest,
    responses: { 200: { description: 'The rendered parts.', schema: Preview } },
    errors: [],
    audit: [],
  }),
};

/** Body of PUT on one item. */
export type ContentUpdate = Static<typeof contentOperations.updateById.body>;
