import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, type RecordOrder, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from '../core/schemas.ts';

export const customFieldTypes = ['text', 'number', 'boolean', 'select', 'date', 'computed'] as const;

const Status = StringEnum(['active', 'inactive'], {
  description: '`inactive` hides the entry from pickers; decisions are not affected.',
});

/** Definition of a field that the offers of a category carry (docs/design/api-catalogue.md 4). */
export const CustomField = Type.Object(
  {
    key: Type.String({
      pattern: '^[a-z][A-Za-z0-9_]{0,62}$',
      description: 'Name of the field in metadata.customFields. Unique in the record.',
    }),
    label: Type.Optional(Type.String({ maxLength: 255, description: 'Display name.' })),
    type: StringEnum(customFieldTypes, { description: 'Type of the value.' }),
    defaultValue: Type.Optional(
      Nullable(Type.Unknown(), {
        description: 'Value returned for offers that have none. Must match the type. Not for computed fields.',
      }),
    ),
    required: Type.Optional(
      Type.Boolean({ description: 'An active offer must have a value. Not for computed fields.' }),
    ),
    options: Type.Optional(
      Nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 1,
          maxItems: 200,
          uniqueItems: true,
        }),
        { description: 'The values of a select.' },
      ),
    ),
    formula: Type.Optional(
      Nullable(Type.String({ maxLength: 10_000 }), { description: 'Formula of a computed field.' }),
    ),
    outputType: Type.Optional(
      Nullable(StringEnum(['number', 'decimal', 'text', 'string'], { description: 'Kind of the result.' }), {
        description: 'Result type of a computed field: number (or decimal) or text (or string).',
      }),
    ),
  },
  { description: "A custom field of the category's offers." },
);
export type CustomField = Static<typeof CustomField>;

const writable = {
  name: Name('Name. Unique among records that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'What the category is for.' }),
  icon: Type.String({ maxLength: 64, description: 'Name of an icon.' }),
  color: Type.String({ maxLength: 32, description: 'Name of a color.' }),
  status: Status,
  ordinal: Int(0, 1_000_000, 'Position in lists.'),
  customFields: Type.Array(CustomField, { maxItems: 500, description: 'Custom fields of the offers.' }),
};

const Count = Type.Object(
  { offers: Type.Integer({ description: 'Offers that are not deleted.' }) },
  { description: 'Counts of related records.' },
);

const stamps = {
  version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
  deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
  createdAt: Timestamp('When it was created.'),
  updatedAt: Timestamp('When it last changed.'),
};

const CategorySubCategory = Type.Object(
  {
    id: Id('ID of the sub-category.'),
    name: Type.String({ description: 'Name of the sub-category.' }),
    status: Status,
    ordinal: Type.Integer({ description: 'Position in lists.' }),
  },
  { description: 'A sub-category of the category.' },
);

/** The first level of the offer hierarchy. */
export const Category = Type.Object(
  {
    id: Id('ID of the category.'),
    tenantId: Id('Tenant.'),
    ...writable,
    subCategories: Type.Array(CategorySubCategory, { description: 'Sub-categories that are not deleted.' }),
    _count: Count,
    ...stamps,
  },
  { description: 'A category.' },
);
export type Category = Static<typeof Category>;

/** The second level of the offer hierarchy. */
export const SubCategory = Type.Object(
  {
    id: Id('ID of the sub-category.'),
    tenantId: Id('Tenant.'),
    categoryId: Id("Category it belongs to. Can't be changed."),
    ...writable,
    category: Type.Object(
      { id: Id('ID of the category.'), name: Type.String({ description: 'Name of the category.' }) },
      { description: 'The category.' },
    ),
    _count: Count,
    ...stamps,
  },
  { description: 'A sub-category.' },
);
export type SubCategory = Static<typeof SubCategory>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const CategoryCreate = Type.Object(
  { ...changes, name: writable.name },
  {
    description: 'A new category. Defaults: color blue, active, ordinal 0.',
    examples: [
      {
        name: 'Cards',
        description: 'Credit and debit cards',
        color: 'green',
        customFields: [{ key: 'yearly_fee', label: 'Annual fee', type: 'number', defaultValue: 0 }],
      },
    ],
  },
);
export type CategoryCreate = Static<typeof CategoryCreate>;

export const SubCategoryCreate = Type.Object(
  { ...changes, name: writable.name, categoryId: Id('The category.') },
  {
    description: 'A new sub-category. Same defaults as categories.',
    examples: [{ categoryId: exampleId('category'), name: 'Credit cards' }],
  },
);
export type SubCategoryCreate = Static<typeof SubCategoryCreate>;

const byOrdinal = {
  text: 'ordinal, then name',
  keys: [
    { property: 'ordinal', direction: 'asc' },
    { property: 'name', direction: 'asc' },
  ],
  ids: 'asc',
} as const satisfies RecordOrder;

const categoryDraft: Draft<CategoryCreate> = ({ name, marker }) => ({
  name: name('Category'),
  description: `All of ${marker}`,
  icon: 'star',
  color: 'green',
  status: 'active',
  ordinal: 3,
  customFields: [
    { key: 'size', label: 'Size', type: 'select', options: ['s', 'm'], defaultValue: 'm', required: false },
    { key: 'note', label: 'Note', type: 'text', defaultValue: marker },
    { key: 'twice', label: 'Twice', type: 'computed', formula: '2 * 2', outputType: 'number' },
  ],
});

/** Categories, described once. */
export const categoryResource = resource({
  entityType: 'category',
  name: 'categories',
  path: 'categories',
  tag: 'Categories',
  noun: 'category',
  nouns: 'categories',
  writeRole: 'editor',
  softDelete: true,
  record: Category,
  create: CategoryCreate,
  draft: categoryDraft,
  changes,
  page: cataloguePage,
  order: byOrdinal,
  search: ['name'],
  searchOrder: 80,
  filters: { status: Type.Optional(Status) },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {},
  removal: deleted,
  errors: { update: ['in_use'], delete: ['in_use'] },
});

export const categoryOperations = recordOperations(categoryResource);

const subCategoryDraft: Draft<SubCategoryCreate> = ({ name, marker, id }) => ({
  categoryId: id('category'),
  name: name('Sub'),
  description: `Some of ${marker}`,
  icon: 'dot',
  color: 'red',
  status: 'active',
  ordinal: 1,
  customFields: [{ key: 'grade', label: 'Grade', type: 'text', defaultValue: 'a' }],
});

/** Sub-categories, described once. */
export const subCategoryResource = resource({
  entityType: 'subCategory',
  name: 'subCategories',
  path: 'sub-categories',
  tag: 'Categories',
  noun: 'sub-category',
  nouns: 'sub-categories',
  writeRole: 'editor',
  softDelete: true,
  record: SubCategory,
  create: SubCategoryCreate,
  draft: subCategoryDraft,
  changes,
  fixed: { categoryId: Id(sentAsItIs) },
  page: cataloguePage,
  order: byOrdinal,
  search: ['name'],
  searchOrder: 90,
  filters: {
    status: Type.Optional(Status),
    categoryId: Type.Optional(IdFilter('Category to filter by.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: { categoryId: { to: 'category', onDelete: 'refuse' } },
  files: { parent: 'categoryId' },
  removal: deleted,
  errors: { update: ['in_use'], delete: ['in_use'] },
});

export const subCategoryOperations = recordOperations(subCategoryResource);
