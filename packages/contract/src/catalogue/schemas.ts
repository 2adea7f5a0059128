import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { Problem } from '../core/problem.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Warnings } from '../core/warnings.ts';
import { largestCsv } from './schema-figures.ts';

/** Data types of fields in their stored spelling (docs/design/api-catalogue.md 2.1). */
export const dataTypes = [
  'varchar',
  'char',
  'text',
  'smallint',
  'integer',
  'bigint',
  'decimal',
  'numeric',
  'real',
  'double',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'uuid',
  'jsonb',
] as const;
export type DataType = (typeof dataTypes)[number];

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });

const describing = {
  displayName: Name('Display name.'),
  description: Text(10_000, 'What the field contains.'),
};

const fieldFlags = {
  isPredictor: Type.Boolean({ description: 'Whether models can use it as an input.' }),
  neverStore: Type.Boolean({ description: 'True: the value is never written to the sealed record of a decision.' }),
  isSensitive: Type.Boolean({
    description:
      'True: never suggested as a change that would alter a decision, and never mentioned in texts for customers.',
  }),
};

/** A column of a schema's table. */
export const SchemaField = Type.Object(
  {
    id: Id('ID of the field.'),
    schemaId: Id('Schema of the field.'),
    name: Type.String({ description: 'Column name.' }),
    ...describing,
    dataType: StringEnum(dataTypes, { description: 'Type of the value.' }),
    length: Nullable(Type.Integer(), {
      description: 'Maximum length of varchar and char in code points; null means unlimited.',
    }),
    precision: Nullable(Type.Integer(), { description: 'Precision of decimal and numeric; null means unlimited.' }),
    scale: Nullable(Type.Integer(), { description: 'Scale of decimal and numeric.' }),
    isNullable: Type.Boolean({ description: 'Whether the value can be null or missing.' }),
    isPrimaryKey: Type.Boolean({
      description: 'True for the primary key. At most one field, set when the schema is created.',
    }),
    isUnique: Type.Boolean({ description: 'True: no two rows can have the same value.' }),
    ...fieldFlags,
    defaultValue: Nullable(Type.String(), {
      description: 'Default value: a literal of the type, or now(), gen_random_uuid(), true or false.',
    }),
    ordinal: Type.Integer({ description: 'Position among the fields, from 0.' }),
  },
  { description: 'A field of a schema.' },
);
export type SchemaField = Static<typeof SchemaField>;

const fieldDefinition = {
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'Column name: a letter or underscore, then letters, digits and underscores. At most 63 bytes. Stored as sent.',
  }),
  displayName: Type.Optional(Name('Display name. Default: the name.')),
  dataType: Type.Optional(
    Text(
      64,
      'Data type in any letter case, including aliases and forms such as `varchar(50)` and `numeric(10,2)`. Default varchar.',
    ),
  ),
  length: Type.Optional(Nullable(Int(1, 65_535, 'Length.'), { description: 'Maximum length of varchar and char.' })),
  precision: Type.Optional(Nullable(Int(1, 100, 'Digits.'), { description: 'Precision of decimal and numeric.' })),
  scale: Type.Optional(Nullable(Int(0, 100, 'Digits.'), { description: 'Scale of decimal and numeric.' })),
  isNullable: Type.Optional(Type.Boolean({ description: 'Whether the value can be null or missing. Default true.' })),
  isPrimaryKey: Type.Optional(Type.Boolean({ description: 'Whether it is the primary key. Default false.' })),
  isUnique: Type.Optional(Type.Boolean({ description: 'Whether values must be unique. Default false.' })),
  isPredictor: Type.Optional(fieldFlags.isPredictor),
  neverStore: Type.Optional(fieldFlags.neverStore),
  isSensitive: Type.Optional(fieldFlags.isSensitive),
  defaultValue: Type.Optional(
    Nullable(Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean()]), {
      description: 'A literal of the type, or now(), gen_random_uuid(), true, false or null.',
    }),
  ),
  description: Type.Optional(describing.description),
};

const same = (what: string) =>
  `Can be sent back unchanged. Any other value returns 400: ${what} of a column can't be changed. Drop the field and add it again instead.`;

/** A field's column in a PUT: only its current value is accepted (docs/design/api-settled.md 41). */
const unchangeable = {
  name: Type.Optional(Type.String({ maxLength: 255, description: same('the name') })),
  dataType: Type.Optional(Text(64, same('the type'))),
  length: Type.Optional(Nullable(Type.Integer(), { description: same('the length') })),
  precision: Type.Optional(Nullable(Type.Integer(), { description: same('the precision') })),
  scale: Type.Optional(Nullable(Type.Integer(), { description: same('the scale') })),
  isNullable: Type.Optional(Type.Boolean({ description: same('the nullability') })),
  isPrimaryKey: Type.Optional(Type.Boolean({ description: same('the primary key') })),
  isUnique: Type.Optional(Type.Boolean({ description: same('the uniqueness') })),
  defaultValue: Type.Optional(
    Nullable(Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean()]), {
      description: same('the default'),
    }),
  ),
};

/** A field as POST takes it. */
export const SchemaFieldDefinition = Type.Object(fieldDefinition, { description: 'A new field.' });
export type SchemaFieldDefinition = Static<typeof SchemaFieldDefinition>;

const schemaChanges = {
  displayName: Type.Optional(describing.displayName),
  description: Type.Optional(describing.description),
  entityType: Type.Optional(
    StringEnum(['customer', 'account', 'custom'], { description: 'What its rows are about. Default custom.' }),
  ),
  schemaType: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      description: 'customer (default), account, transaction, event, product, reference or a custom type.',
    }),
  ),
  linkedSchemaId: Type.Optional(
    Nullable(Id('Schema.'), { description: 'Parent schema, which must be of type customer, or null.' }),
  ),
  joinMapping: Type.Optional(
    Nullable(JsonObject('Mapping.', { maxProperties: 50 }), {
      description: '`{ parentField, childField, joinType: left | inner }`: how rows are matched to their parent.',
    }),
  ),
  summaryColumns: Type.Optional(
    Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50 }), {
      description:
        "For a linked schema: columns that decisions copy (customer type; all if empty) or summarize (other types: numeric `<name>_<column>_sum`, `_avg`, `_min`, `_max` and `_last`, others `_last`). Columns that don't exist have no effect until they are created.",
    }),
  ),
  autoEnrich: Type.Optional(
    Type.Boolean({
      description:
        'Whether decisions read this schema automatically. Default false. A linked schema adds its row to `customer.*` if it is of type customer, otherwise `<name>_count` and the summaries of `summaryColumns`.',
    }),
  ),
};

/** A data schema with its fields. */
export const DataSchema = Type.Object(
  {
    id: Id('ID of the schema.'),
    tenantId: Id('Tenant.'),
    name: Type.String({ description: 'Name in lowercase letters, digits and underscores. Unique.' }),
    ...describing,
    tableName: Type.String({ description: 'Name of the table: ds_ and the name.' }),
    entityType: Type.String({ description: 'What its rows are about: customer, account or custom.' }),
    schemaType: Type.String({ description: 'Schema type: customer, transaction, event and so on.' }),
    status: Type.String({ description: 'active.' }),
    linkedSchemaId: Nullable(Type.String(), { description: 'Parent schema, or null.' }),
    joinMapping: Nullable(JsonObject('Mapping.'), { description: 'How rows are matched to their parent, or null.' }),
    linkActive: Type.Boolean({ description: 'True if the schema has a parent and both fields of the link exist.' }),
    summaryColumns: Nullable(Type.Array(Type.String()), {
      description: 'Columns that enrichment summarizes or copies.',
    }),
    autoEnrich: Type.Boolean({ description: 'Whether decisions read this schema automatically.' }),
    rowKey: Type.String({ description: 'Column that holds the customer ID.' }),
    fields: Type.Array(SchemaField, { description: 'Fields by ordinal.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change to the schema or its fields.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A data schema.' },
);
export type DataSchema = Static<typeof DataSchema>;

export const DataSchemaCreate = Type.Object(
  {
    ...schemaChanges,
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Converted to lowercase. Anything but letters a-z, digits and underscores becomes an underscore.',
    }),
    displayName: describing.displayName,
    fields: Type.Optional(Type.Array(SchemaFieldDefinition, { maxItems: 500, description: 'Fields in order.' })),
  },
  {
    description: 'A new schema. Its table is created with it.',
    examples: [
      {
        name: 'members',
        displayName: 'Members',
        schemaType: 'customer',
        fields: [
          {
            name: 'member_id',
            displayName: 'Member',
            dataType: 'varchar',
            length: 64,
            isPrimaryKey: true,
            isNullable: false,
          },
          { name: 'tier', displayName: 'Tier', dataType: 'varchar', length: 20 },
          { name: 'balance', displayName: 'Balance', dataType: 'numeric', precision: 12, scale: 2 },
        ],
      },
    ],
  },
);
export type DataSchemaCreate = Static<typeof DataSchemaCreate>;

const DataRow = JsonObject('A row: values by column name.');

const SchemaRows = Type.Object(
  {
    total: Type.Integer({ description: 'Number of rows in the table, or 1 or 0 with `key`.' }),
    limit: Type.Integer({ description: 'Page size used.' }),
    offset: Type.Integer({ description: 'Number of rows to skip.' }),
    rows: Type.Array(DataRow, { description: 'Rows with all columns, sorted by primary key.' }),
  },
  { description: 'A page of rows.' },
);

const InsertedRows = Type.Object(
  {
    inserted: Type.Integer({ description: 'Number of rows inserted.' }),
    updated: Type.Integer({ description: 'Number of existing rows overwritten.' }),
    skipped: Type.Integer({ description: 'Number of rows skipped as duplicates.' }),
    tableName: Type.String({ description: 'Name of the table.' }),
    warnings: Warnings,
  },
  { description: 'Result of the import. The three numbers add up to the rows sent.' },
);

const ImportProgress = Type.Object(
  {
    phase: StringEnum(['receiving', 'storing'], {
      description: 'Whether the file is being received or its rows are being stored.',
    }),
    bytes: Type.Integer({ description: 'Bytes received so far.' }),
    rows: Type.Integer({ description: 'Rows written so far. They become visible when all are written.' }),
  },
  { description: 'Data of a `progress` event.' },
);

/** Data of an event of an import: its progress, its answer, or the problem that ended it. */
export const RowsImportEvent = Type.Union([ImportProgress, InsertedRows, Problem], {
  description: 'Data of a `progress`, `done` or `failed` event.',
});
export type RowsImportEvent = Static<typeof RowsImportEvent>;

/** Maximum length of a line in an NDJSON file of rows, in bytes. */
export const largestRowLine = 1024 * 1024;

const schemaParams = Type.Object({ id: IdText('ID of the schema.') }, { description: 'Schema to use.' });

const common = { tag: 'Schemas', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
/** A column is added and dropped in transactions of its own, some of which wait for others and are tried again. */
const altersTable = { transaction: 'own', errors: ['not_found', 'concurrent_modification'] } as const;
const schemaUpdated = [{ action: 'update', entityType: 'dataSchema' }] as const;

const schemaDraft: Draft<DataSchemaCreate> = ({ name, key, marker, id }) => ({
  name: key('visits').replaceAll('-', '_'),
  displayName: name('Visits'),
  description: `Visits of ${marker}`,
  entityType: 'custom',
  schemaType: 'event',
  linkedSchemaId: id('dataSchema'),
  joinMapping: { parentField: 'customer_id', childField: 'client', joinType: 'left' },
  summaryColumns: [],
  autoEnrich: false,
  fields: [
    {
      name: 'visit_id',
      displayName: 'Visit',
      dataType: 'varchar',
      length: 40,
      isPrimaryKey: true,
      isNullable: false,
    },
    { name: 'client', displayName: 'Client', dataType: 'text', description: `Client of ${marker}` },
    { name: 'amount', displayName: 'Amount', dataType: 'numeric', precision: 12, scale: 2, defaultValue: '0' },
  ],
});

/** Schemas: records with a real table behind them, described once. */
export const schemaResource = resource({
  entityType: 'dataSchema',
  name: 'schemas',
  path: 'schemas',
  tag: 'Schemas',
  noun: 'schema',
  nouns: 'schemas',
  writeRole: 'editor',
  softDelete: false,
  record: DataSchema,
  create: DataSchemaCreate,
  draft: schemaDraft,
  changes: schemaChanges,
  page: { usual: 20, maximum: 200 },
  order: newestFirst,
  search: ['name', 'displayName'],
  searchOrder: 140,
  filters: {
    entityType: Type.Optional(Text(32, 'Entity type to filter by.')),
    schemaType: Type.Optional(Text(32, 'Schema type to filter by.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: { linkedSchemaId: { to: 'dataSchema', onDelete: 'refuse' } },
  files: { defaults: { summaryColumns: [] } },
  removal: deleted,
  errors: { delete: ['in_use'] },
});

export const schemaRecordOperations = recordOperations(schemaResource);

/** Fields and rows of schemas. */
export const schemaTableOperations = {
  listFields: operation({
    ...common,
    id: 'schemas.listFields',
    method: 'GET',
    path: '/api/v1/schemas/fields',
    summary: 'List the fields of a schema by ordinal',
    role: 'viewer',
    query: Type.Object({ schemaId: IdText('The schema.') }, { description: 'Schema to use.' }),
    responses: {
      200: { description: 'The fields.', schema: Type.Array(SchemaField, { description: 'Fields by ordinal.' }) },
    },
    errors: ['not_found'],
    audit: [],
  }),
  createField: operation({
    ...common,
    id: 'schemas.createField',
    method: 'POST',
    path: '/api/v1/schemas/fields',
    summary: 'Add a field and its column',
    description:
      'Responds when the column is complete. Decisions and reads continue in the meantime. Returns 503 after 60 seconds; the field is then not created.',
    role: 'editor',
    body: Type.Object(
      {
        ...fieldDefinition,
        schemaId: Id('The schema.'),
        dataType: Text(
          64,
          'Data type in any letter case, including aliases and forms such as `varchar(50)` and `numeric(10,2)`.',
        ),
      },
      {
        description: 'A new field.',
        examples: [{ schemaId: exampleId('schema'), name: 'city', displayName: 'City', dataType: 'varchar(100)' }],
      },
    ),
    record: SchemaField,
    responses: { 201: { description: 'The field.', schema: SchemaField } },
    changesCatalogue: true,
    transaction: altersTable.transaction,
    errors: [...altersTable.errors, 'duplicate_name'],
    audit: schemaUpdated,
  }),
  updateField: operation({
    ...common,
    id: 'schemas.updateField',
    method: 'PUT',
    path: '/api/v1/schemas/fields',
    summary: 'Update the description and use of a field',
    role: 'editor',
    body: Type.Object(
      {
        fieldId: Id('The field.'),
        displayName: Type.Optional(describing.displayName),
        description: Type.Optional(describing.description),
        ordinal: Type.Optional(Int(0, 499, 'New position. Other fields move.')),
        isPredictor: Type.Optional(fieldFlags.isPredictor),
        neverStore: Type.Optional(fieldFlags.neverStore),
        isSensitive: Type.Optional(fieldFlags.isSensitive),
        ...unchangeable,
      },
      {
        description: 'Changes to a field. Its column stays the same.',
        examples: [{ fieldId: exampleId('field'), displayName: 'Town', neverStore: true }],
      },
    ),
    record: SchemaField,
    responses: { 200: { description: 'The field.', schema: SchemaField } },
    errors: ['not_found'],
    changesCatalogue: true,
    audit: schemaUpdated,
  }),
  deleteField: operation({
    ...common,
    id: 'schemas.deleteField',
    method: 'DELETE',
    path: '/api/v1/schemas/fields',
    summary: 'Drop a field, its column and its data',
    role: 'editor',
    query: Type.Object({ fieldId: IdText('The field.') }, { description: 'Field to use.' }),
    responses: { 204: { description: 'The field was dropped.', schema: null } },
    changesCatalogue: true,
    transaction: altersTable.transaction,
    errors: [...altersTable.errors, 'protected', 'in_use'],
    audit: schemaUpdated,
  }),
  insertRows: operation({
    ...common,
    id: 'schemas.insertRows',
    method: 'POST',
    path: '/api/v1/schemas/{id}/data',
    summary: 'Insert rows, all or nothing',
    description:
      'Send JSON, or a file as `text/csv` or `application/x-ndjson` (one JSON object per line) of at most ' +
      '50 MB. The headers of a CSV file must be the column names in any letter case, or the headers that ' +
      'the analysis of the file turned into these columns. The delimiter is whichever of comma, semicolon, ' +
      'tab and bar splits the header best. Columns that the schema lacks are ignored and listed in ' +
      '`warnings`; empty cells are null. An invalid row rejects the whole file, with up to 20 line ' +
      'numbers. With `Accept: text/event-stream` the response is a stream of `progress` events, followed ' +
      'by `done` with the response or `failed` with the problem. If you close the stream during the import of a file, the import ' +
      'stops and stores nothing. For a schema of type customer, a JSON ' +
      'request with at most 1,000 rows publishes an event `customer.changed.v1` for each customer that is ' +
      'new or changed.',
    role: 'editor',
    params: schemaParams,
    query: Type.Object(
      {
        onDuplicate: Type.Optional(
          StringEnum(['skip', 'update'], {
            description: 'Same as in the body, which takes precedence. For files. Default skip.',
          }),
        ),
      },
      { description: 'How to store a file.' },
    ),
    bodyLimit: 10 * 1024 * 1024,
    fileTypes: ['text/csv', 'application/x-ndjson'],
    fileLimit: largestCsv,
    body: Type.Object(
      {
        rows: Type.Array(DataRow, { minItems: 1, maxItems: 10_000, description: 'Rows, with column names as keys.' }),
        onDuplicate: Type.Optional(
          StringEnum(['skip', 'update'], {
            description: 'skip (default): skip rows whose key exists. update: overwrite their columns.',
          }),
        ),
      },
      {
        description: 'Rows to insert.',
        examples: [{ rows: [{ member_id: 'CM-000001', tier: 'gold', balance: 1250.5 }], onDuplicate: 'update' }],
      },
    ),
    transaction: 'own',
    responses: { 201: { description: 'The rows were stored.', schema: InsertedRows, events: RowsImportEvent } },
    errors: ['not_found', 'duplicate_key', 'csv_invalid'],
    audit: [{ action: 'upload', entityType: 'dataSchema' }],
  }),
  listRows: operation({
    ...common,
    id: 'schemas.listRows',
    method: 'GET',
    path: '/api/v1/schemas/{id}/data',
    summary: 'List rows by primary key',
    role: 'viewer',
    params: schemaParams,
    query: Type.Object(
      {
        limit: Type.Optional(
          Type.Integer({ minimum: 1, default: 50, description: 'Page size. Values above 500 are treated as 500.' }),
        ),
        offset: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 9_007_199_254_740_991,
            default: 0,
            description: 'Number of rows to skip.',
          }),
        ),
        key: Type.Optional(Type.String({ maxLength: 10_000, description: 'Key of the row to return.' })),
      },
      { description: 'Page.' },
    ),
    responses: { 200: { description: 'A page of rows.', schema: SchemaRows } },
    errors: ['not_found'],
    audit: [],
  }),
};

export const schemaOperations = { ...schemaRecordOperations, ...schemaTableOperations };
