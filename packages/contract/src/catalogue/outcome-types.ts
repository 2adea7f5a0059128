import Type, { type Static } from 'typebox';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, resource } from '../core/resource.ts';
import { Id, Int, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from '../core/schemas.ts';

export const outcomeClassifications = ['positive', 'negative', 'neutral'] as const;
export type OutcomeClassification = (typeof outcomeClassifications)[number];

export const outcomeCategories = ['impression', 'response'] as const;
export type OutcomeCategory = (typeof outcomeCategories)[number];

const Classification = StringEnum(outcomeClassifications, { description: 'How the outcome counts for the offer.' });
const Category = StringEnum(outcomeCategories, {
  description: 'impression: about the display itself. response: what the customer did.',
});
const Status = StringEnum(['active', 'inactive'], { description: 'New outcomes are accepted for active types only.' });

const writable = {
  name: Name('Name. Unique among outcome types that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'What the outcome means.' }),
  classification: Classification,
  category: Category,
  isConversion: Type.Boolean({ description: 'Counts as a conversion. Requires the classification positive.' }),
  ordinal: Int(0, 1_000_000, 'Position in lists.'),
  status: Status,
};

/** A kind of outcome that can be recorded for a shown offer (docs/design/api-catalogue.md 10). */
export const OutcomeType = Type.Object(
  {
    id: Id('ID of the outcome type.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: "Key to send in respond requests. Can't be changed or reused." }),
    ...writable,
    isSystem: Type.Boolean({ description: "Created with the tenant. Can't be changed or deleted." }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A kind of outcome.' },
);
export type OutcomeType = Static<typeof OutcomeType>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const OutcomeTypeCreate = Type.Object(
  {
    ...changes,
    key: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,63}$',
      description:
        'Key to send in respond requests: a lowercase letter, then lowercase letters, digits and underscores.',
    }),
    name: writable.name,
    classification: writable.classification,
  },
  {
    description: 'A new outcome type. Defaults: category response, isConversion false, ordinal 0, active.',
    examples: [{ key: 'signed_up', name: 'Signed up', classification: 'positive', isConversion: true }],
  },
);
export type OutcomeTypeCreate = Static<typeof OutcomeTypeCreate>;

const outcomeTypeDraft: Draft<OutcomeTypeCreate> = ({ name, key, marker }) => ({
  key: key('outcome').replaceAll('-', '_'),
  name: name('Outcome'),
  description: `Seen by ${marker}`,
  classification: 'positive',
  category: 'response',
  isConversion: true,
  ordinal: 9,
  status: 'active',
});

/** Outcome types, described once. */
export const outcomeTypeResource = resource({
  entityType: 'outcomeType',
  name: 'outcomeTypes',
  path: 'outcome-types',
  tag: 'Outcome types',
  noun: 'outcome type',
  nouns: 'outcome types',
  writeRole: 'editor',
  softDelete: true,
  record: OutcomeType,
  create: OutcomeTypeCreate,
  draft: outcomeTypeDraft,
  changes,
  fixed: { key: Type.String({ description: sentAsItIs }) },
  page: { usual: 100, maximum: 200 },
  order: {
    text: 'ordinal, then oldest first',
    keys: [{ property: 'ordinal', direction: 'asc' }],
    ids: 'asc',
  },
  search: ['name', 'key'],
  searchOrder: 120,
  filters: {
    status: Type.Optional(Status),
    classification: Type.Optional(Classification),
    category: Type.Optional(Category),
  },
  queries: {},
  unique: { name: 'duplicate_name', key: 'duplicate_key' },
  references: {},
  removal: deleted,
  errors: { update: ['protected'], delete: ['protected', 'in_use'] },
});

export const outcomeTypeOperations = recordOperations(outcomeTypeResource);
