import Type, { type Static, type TSchema } from 'typebox';
import { channelTypePattern } from './channels.ts';
import { type Operation, operation } from './core/operation.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, newestFirst, resource } from './core/resource.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

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

/** Levels of blocks: blocks, what is in them, and what is in that (docs/design/api-catalogue.md 3.2). */
export const blockLevels = 3;
/** Blocks of one item, on all levels. */
export const mostBlocks = 200;

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
  'Properties by type. heading: text, level 1-6 (2), align; text: text with **bold**, *italic*, [label](url), align; ' +
  'image: imageUrl, alt, linkUrl, width; button: text, url, style primary or secondary; divider and spacer: height; ' +
  'html: html, of which what is not allowed is taken out; columns: widths (percent), with 2 to 4 children of type column; ' +
  'offer: fields (name, shortDesc, description, imageUrl, ctaText, ctaUrl); list: items, ordered. Texts may hold tokens. ' +
  'null removes the block of this id that the parent template has.';

function blockSchema(levels: number): TSchema {
  return Type.Object(
    {
      id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Unique in the item; made when it is left out.' }),
      ),
      type: StringEnum(blockTypes, { description: 'What the block is.' }),
      props: Type.Optional(Nullable(JsonObject('Properties.'), { description: propsText })),
      ...(levels > 1
        ? {
            children: Type.Optional(
              Type.Array(blockSchema(levels - 1), { description: 'Blocks inside; columns and column only.' }),
            ),
          }
        : {}),
    },
    { additionalProperties: false, description: 'A block.' },
  );
}

const Blocks = <B extends ContentBlock>(description: string) =>
  Type.Unsafe<B[]>(Type.Array(blockSchema(blockLevels), { maxItems: mostBlocks, description }));

const Content = (description: string) => JsonObject(description);
const Personalization = JsonObject(
  'Variables of the texts: { <variable>: { source, fallback } } or { <variable>: "<source>" }; source is a path that begins ' +
    'with customer., attributes. or personalization. With a parent template null removes a variable. At most 500.',
);

const ChannelType = Type.String({
  pattern: channelTypePattern,
  description: 'Kind of channel it is for, as of channels: email, sms, push, web and others. Never changes.',
});

const writable = {
  name: Name('Unique among all content items, archived ones included.'),
  description: Type.String({ maxLength: 2000, description: 'What the item is for.' }),
  content: Content(
    'Texts by key, for example subject, headline, body, imageUrl, ctaText, ctaUrl, deepLink; tokens in braces. At most 100 KB. ' +
      'With a parent template its keys are added to those of the template, and null removes a key.',
  ),
  blocks: Blocks<ContentBlock>('Parts of the body, in order; at most 200 on 3 levels, and 200 KB.'),
  personalization: Personalization,
  parentTemplateId: Nullable(Id('Parent template.'), {
    description: 'Content item with isTemplate that this one completes, or null; at most 5 items one above the other.',
  }),
};

const snapshotParts = {
  content: Content('The content.'),
  blocks: Blocks<StoredBlock>('The blocks.'),
  personalization: JsonObject('The personalization.'),
};

/** One version of a content item; it never changes. */
export const ContentVersion = Type.Object(
  {
    id: Id('Version.'),
    contentItemId: Id('Its content item.'),
    version: Type.Integer({ description: 'Its number.' }),
    kind: StringEnum(versionKinds, { description: 'What made it.' }),
    ...snapshotParts,
    merged: Nullable(Type.Object(snapshotParts, { description: 'Parts.' }), {
      description: 'With what came from templates, frozen by publishing; null unless kind is publish.',
    }),
    changeNote: Nullable(Type.String(), { description: 'What the author wrote, or null.' }),
    changedBy: Type.String({ description: 'Who made it.' }),
    createdAt: Timestamp('When it was made.'),
  },
  { description: 'A version of a content item.' },
);
export type ContentVersion = Static<typeof ContentVersion>;

const Person = (what: string) =>
  Nullable(Type.String(), {
    description: `${what}: a user id or \`system\`; null while that has not been done.`,
  });
const When = (what: string) => Nullable(Timestamp('Instant.'), { description: `${what}, or null.` });

/** A content item (part 2, section 2; docs/design/api-settled.md 42 to 49). */
export const ContentItem = Type.Object(
  {
    id: Id('Content item.'),
    tenantId: Id('Tenant.'),
    ...writable,
    blocks: Blocks<StoredBlock>('Parts of the body, in order, each with an id.'),
    channelType: ChannelType,
    isTemplate: Type.Boolean({ description: 'True: other items can name it as their parent. Never changes.' }),
    status: StringEnum(contentStatuses, {
      description:
        'draft -> in_review (submit) -> approved (approve, by another person) -> published; reject and every change lead back ' +
        'to draft. Decisions show the last published version until the item is archived.',
    }),
    sourceType: StringEnum(['native'], { description: 'Where the content comes from.' }),
    source: Type.Null({ description: 'Always null: there are no other sources yet.' }),
    parentTemplate: Nullable(
      Type.Object(
        { id: Id('Content item.'), name: Type.String({ description: 'Its name.' }) },
        { description: 'The parent template.' },
      ),
      { description: 'The parent template, or null.' },
    ),
    parentOutdated: Type.Boolean({
      description: 'A template that the published version was made with has been published again since.',
    }),
    submittedBy: Person('Who submitted it for review'),
    submittedAt: When('When that was'),
    approvedBy: Person('Who approved it'),
    approvedAt: When('When that was'),
    rejectionReason: Nullable(Type.String(), {
      description: 'Why it was rejected, until it is submitted again; or null.',
    }),
    publishedAt: When('When it was last published'),
    publishedVersion: Nullable(Type.Integer(), { description: 'Number of the version that decisions show, or null.' }),
    version: Type.Integer({ description: 'Starts at 1; a change, publish and revert raise it.' }),
    versions: Type.Optional(
      Type.Array(ContentVersion, {
        description: 'The newest 20 versions, newest first, and the published one when it is older. Not in lists.',
      }),
    ),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A content item.' },
);
export type ContentItem = Static<typeof ContentItem>;

const fixed = {
  channelType: Type.Optional(ChannelType),
  isTemplate: Type.Optional(Type.Boolean({ description: 'Cannot be changed: another value is 400.' })),
};
const changes = {
  ...Type.Partial(Type.Object(writable)).properties,
  ...fixed,
  changeNote: Type.Optional(
    Nullable(Type.String({ maxLength: 500 }), { description: 'What changed, kept with the version.' }),
  ),
};

const { changeNote: _note, ...creatable } = changes;

/** Body of POST: name and channelType are required (part 2, 4.2). */
export const ContentCreate = Type.Object(
  {
    ...creatable,
    isTemplate: Type.Optional(Type.Boolean({ description: 'True: other items can name it as their parent.' })),
    name: writable.name,
    channelType: ChannelType,
  },
  {
    description: 'A new content item, in draft, version 1.',
    examples: [
      {
        name: 'Gold card, welcome mail',
        channelType: 'email',
        content: { subject: 'Hello {first}' },
        blocks: [
          { id: 'head', type: 'heading', props: { text: 'A card for {{first|you}}', level: 1 } },
          { id: 'more', type: 'button', props: { text: 'Get it', url: 'https://bank.example/gold?c={customer.id}' } },
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
  filters: {
    status: Type.Optional(StringEnum(contentStatuses, { description: 'Only items of this status.' })),
    channelType: Type.Optional(Type.String({ maxLength: 32, description: 'Only items for this kind of channel.' })),
    isTemplate: Type.Optional(Type.Boolean({ description: 'Only templates, or only others.' })),
    sourceType: Type.Optional(Type.String({ maxLength: 32, description: 'Only items from this source.' })),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  // A template that is archived is merged in its last state all the same.
  references: { parentTemplateId: { to: 'contentItem', onDelete: 'keep' } },
  removal: { 204: { description: 'Archived, or it was already.', schema: null } },
  errors: {
    create: ['feature_disabled'],
    update: ['invalid_transition', 'feature_disabled'],
    delete: ['feature_disabled'],
  },
});

const records = recordOperations(contentResource);

const path = '/api/v1/content/{id}' as const;
const params = Type.Object({ id: IdText('Content item.') }, { description: 'Which content item.' });
const common = { tag: 'Content', auth: 'credential', loadClass: 'crud', transaction: 'tenant', params } as const;
const one = { 200: { description: 'The content item.', schema: ContentItem } } as const;

/** An action of the workflow. */
const action = <
  const A extends Pick<Operation, 'id' | 'path' | 'summary' | 'description' | 'errors' | 'audit' | 'body'>,
>(
  value: A,
) =>
  operation({ ...common, method: 'POST', role: 'editor', responses: one, changesCatalogue: true, ...value } as const);

const RenderRequest = Type.Object(
  {
    version: Type.Optional(
      Int(1, 2_147_483_647, 'The version to render; default: the working copy with its templates.'),
    ),
    customerId: Type.Optional(CustomerId('Customer whose profile is read; unknown = without attributes.')),
    customer: Type.Optional(JsonObject('Attributes of the customer; they beat those of the profile.')),
    attributes: Type.Optional(JsonObject('Attributes of the request.')),
    offer: Type.Optional(JsonObject('The offer, for example { name }.')),
  },
  {
    description: 'Whom to render for; all of it is optional.',
    examples: [{ customer: { first_name: 'Ada' }, offer: { name: 'Gold card' } }],
  },
);
export type RenderRequest = Static<typeof RenderRequest>;

const Rendered = Type.Object(
  {
    version: Type.Integer({ description: 'The version that was rendered.' }),
    content: JsonObject('What a decision would deliver, tokens replaced.'),
    html: Nullable(Type.String(), {
      description: 'Same as content.html; null when the item has neither blocks nor HTML.',
    }),
    text: Nullable(Type.String(), { description: 'Same as content.text; null likewise.' }),
    missing: Type.Array(Type.String(), {
      description: 'Tokens without a value and without a fallback, each once, in order.',
    }),
  },
  { description: 'A rendered content item.' },
);
export type Rendered = Static<typeof Rendered>;

export const contentOperations = {
  ...records,
  submit: action({
    id: 'content.submit',
    path: `${path}/submit`,
    summary: 'Submit a draft for review',
    description: 'Any other status is 409.',
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'submit', entityType: 'contentItem' }],
  }),
  approve: action({
    id: 'content.approve',
    path: `${path}/approve`,
    summary: 'Approve an item in review',
    description:
      'Another person than the one who submitted it: two keys of one person are one. Any other status is 409.',
    errors: ['not_found', 'self_approval_forbidden', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'approve', entityType: 'contentItem' }],
  }),
  publish: action({
    id: 'content.publish',
    path: `${path}/publish`,
    summary: 'Publish an approved item',
    description:
      'Freezes the item together with its templates as a new version, which decisions show from now on. Any other status is 409.',
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'publish', entityType: 'contentItem' }],
  }),
  reject: action({
    id: 'content.reject',
    path: `${path}/reject`,
    summary: 'Reject an item in review',
    description: 'The item goes back to draft. Any other status is 409.',
    body: Type.Object(
      { reason: Type.Optional(Nullable(Type.String({ maxLength: 1000 }), { description: 'Why.' })) },
      { description: 'Why it is rejected.', examples: [{ reason: 'The link is missing.' }] },
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
      200: { description: 'The versions.', schema: Type.Array(ContentVersion, { description: 'Newest first.' }) },
    },
    errors: ['not_found'],
    audit: [],
  }),
  revert: operation({
    ...common,
    id: 'content.revert',
    method: 'POST',
    path: `${path}/revert/{version}`,
    summary: 'Go back to an older version',
    description:
      'Makes a new version, in draft, with the own parts of the older one. The only way back for an archived item. ' +
      'A number that is not below the current version is 409.',
    role: 'editor',
    params: Type.Object(
      {
        id: IdText('Content item.'),
        version: Type.String({ minLength: 1, maxLength: 64, description: 'Number of the older version.' }),
      },
      { description: 'Which item and version.' },
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
      'Writes nothing. Values are escaped as on a channel of the channelType of the item. Together they take at most 262,144 characters; one that does not fit any more shows nothing.',
    role: 'viewer',
    body: RenderRequest,
    responses: { 200: { description: 'The rendered item.', schema: Rendered } },
    errors: ['not_found'],
    audit: [],
  }),
};

/** Body of PUT on one item. */
export type ContentUpdate = Static<typeof contentOperations.updateById.body>;
