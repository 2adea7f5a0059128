import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, resource } from '../core/resource.ts';
import { Id, IdFilter, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

const column = (description: string) => Type.String({ minLength: 1, maxLength: 63, description });

/** Properties that a caller sets. */
const writable = {
  name: Name('Name. Unique among joins.'),
  primarySchemaId: Id('Schema whose rows are joined to.'),
  primaryKey: column('Column of that schema to compare.'),
  foreignSchemaId: Id('Schema whose rows are joined. Must be a different one.'),
  foreignKey: column('Column of that schema to compare.'),
  joinType: StringEnum(['left', 'inner'], { description: 'Used by segments only; enrichment treats inner as left.' }),
  autoEnrich: Type.Boolean({
    description:
      'True: decisions read the joined rows automatically, as for a linked schema. Requires a primary schema of type customer.',
  }),
  prefix: Nullable(Type.String({ pattern: '^[a-z0-9_]{0,32}$' }), {
    description: 'Prefix for the names the join adds to the customer. Null means no prefix.',
  }),
  summaryColumns: Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50 }), {
    description:
      "Columns that decisions copy (customer type; all if empty) or summarize (other types). Columns that don't exist have no effect until they are created.",
  }),
  status: StringEnum(['active', 'inactive'], { description: 'Only active joins are used.' }),
};

/** A pair of schemas whose rows belong together (docs/design/api-catalogue.md 2.3). */
export const SchemaJoin = Type.Object(
  {
    id: Id('ID of the join.'),
    tenantId: Id('Tenant.'),
    ...writable,
    primarySchemaName: Type.String({ description: 'Name of the schema joined to.' }),
    foreignSchemaName: Type.String({ description: 'Name of the joined schema.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A join of two schemas.' },
);
export type SchemaJoin = Static<typeof SchemaJoin>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const SchemaJoinCreate = Type.Object(
  {
    ...changes,
    name: writable.name,
    primarySchemaId: writable.primarySchemaId,
    primaryKey: writable.primaryKey,
    foreignSchemaId: writable.foreignSchemaId,
    foreignKey: writable.foreignKey,
  },
  {
    description: 'A new join. Defaults: joinType left, autoEnrich true, active.',
    examples: [
      {
        name: 'Accounts of members',
        primarySchemaId: exampleId('schema'),
        primaryKey: 'member_id',
        foreignSchemaId: exampleId('other schema'),
        foreignKey: 'owner_id',
        prefix: 'owned_',
        summaryColumns: ['balance'],
      },
    ],
  },
);
export type SchemaJoinCreate = Static<typeof SchemaJoinCreate>;

const schemaJoinDraft: Draft<SchemaJoinCreate> = ({ name, id }) => ({
  name: name('Join'),
  primarySchemaId: id('primarySchema'),
  primaryKey: 'customer_id',
  foreignSchemaId: id('dataSchema'),
  foreignKey: 'client',
  joinType: 'inner',
  autoEnrich: true,
  prefix: 'visit_',
  summaryColumns: ['amount'],
  status: 'inactive',
});

/** Joins of schemas, described once. */
export const schemaJoinResource = resource({
  entityType: 'schemaJoin',
  name: 'schemaJoins',
  path: 'schema-joins',
  tag: 'Schemas',
  noun: 'schema join',
  nouns: 'schema joins',
  writeRole: 'editor',
  softDelete: false,
  record: SchemaJoin,
  create: SchemaJoinCreate,
  draft: schemaJoinDraft,
  changes,
  page: { usual: 50, maximum: 200 },
  order: { text: 'oldest first', keys: [], ids: 'asc' },
  search: ['name'],
  filters: {},
  queries: { schemaId: Type.Optional(IdFilter('Schema to filter by, on either side.')) },
  unique: { name: 'duplicate_name', foreignKey: 'duplicate_key' },
  references: {
    primarySchemaId: { to: 'dataSchema', onDelete: 'refuse' },
    foreignSchemaId: { to: 'dataSchema', onDelete: 'refuse' },
  },
  removal: deleted,
});

export const schemaJoinOperations = recordOperations(schemaJoinResource);
