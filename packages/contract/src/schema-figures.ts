import Type, { type Static } from 'typebox';
import { Binary } from './core/bodies.ts';
import { operation } from './core/operation.ts';
import { IdText, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { Warnings } from './core/warnings.ts';

/** Largest CSV file, in bytes (part 2, section 8). */
export const largestCsv = 50 * 1024 * 1024;

/** Room for what surrounds the file in a multipart body. */
export const multipartBytes = 64 * 1024;

const fieldCounts = {
  name: Type.String({ description: 'Name of the field.' }),
  distinctCount: Type.Integer({ description: 'Different values; nulls do not count.' }),
  nullCount: Type.Integer({ description: 'Rows without a value.' }),
};

const NumberOut = (description: string) => Nullable(Type.Union([Type.Number(), Type.String()]), { description });

const NumericStats = Type.Object(
  {
    ...fieldCounts,
    type: Type.Literal('numeric', { description: 'A field of numbers.' }),
    min: NumberOut('Smallest value in the form of rows; null without values.'),
    max: NumberOut('Largest value in the form of rows; null without values.'),
    avg: Nullable(Type.Number(), { description: 'Mean; null without values.' }),
  },
  { description: 'Figures of a field of numbers.' },
);

const TextStats = Type.Object(
  {
    ...fieldCounts,
    type: Type.Literal('text', { description: 'A field of any other type.' }),
    topValues: Type.Array(
      Type.Object(
        {
          value: Type.Union([Type.String(), Type.Boolean()], { description: 'The value in the form of rows.' }),
          count: Type.Integer({ description: 'Rows with it.' }),
        },
        { description: 'A value.' },
      ),
      { description: 'The five most frequent values, then by value; none for jsonb.' },
    ),
  },
  { description: 'Figures of a field that holds no numbers.' },
);

export const SchemaStats = Type.Object(
  {
    fields: Type.Array(Type.Union([NumericStats, TextStats]), { description: 'An entry per field, by ordinal.' }),
    totalRows: Type.Integer({ description: 'Rows of the table; exact.' }),
    sampled: Type.Boolean({
      description: 'True above 1,000,000 rows: the figures of the fields are those of about 100,000 rows.',
    }),
    cachedAt: Timestamp('When it was counted; used for five minutes, or until rows are written.'),
  },
  { description: 'Figures of the rows of a schema.' },
);
export type SchemaStats = Static<typeof SchemaStats>;

const CsvColumn = Type.Object(
  {
    name: Type.String({ description: 'Name for a field, made from the header.' }),
    dataType: StringEnum(
      ['integer', 'bigint', 'decimal', 'boolean', 'date', 'timestamptz', 'uuid', 'varchar', 'text'],
      { description: 'The narrowest type that takes all cells that are not empty.' },
    ),
    length: Type.Optional(
      Type.Integer({ description: 'Of varchar: the first of 50, 100, 255, 1000 with twice the room.' }),
    ),
    isNullable: Type.Boolean({ description: 'False for the key.' }),
    isPrimaryKey: Type.Boolean({ description: 'The first column of ids that is full and distinct.' }),
    isUnique: Type.Boolean({ description: 'True for the key.' }),
    defaultValue: Type.Null({ description: 'Null.' }),
  },
  { description: 'A column as a field definition.' },
);

export const CsvAnalysis = Type.Object(
  {
    columns: Type.Array(CsvColumn, { description: 'Columns in the order of the file.' }),
    rowCount: Type.Integer({ description: 'Rows that were looked at; at most 100.' }),
    headers: Type.Array(Type.String(), { description: 'The header as it stands in the file.' }),
    estimatedRows: Type.Integer({
      description: 'Rows of the whole file, without the header. Exact: the whole file is read.',
    }),
    truncated: Type.Boolean({ description: 'True when the file has more than was looked at.' }),
    encoding: StringEnum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'], { description: 'Encoding of the file.' }),
    delimiter: StringEnum([',', ';', '\t', '|'], { description: 'What stands between cells.' }),
    warnings: Warnings,
  },
  { description: 'What a CSV file holds. Nothing is created or imported.' },
);
export type CsvAnalysis = Static<typeof CsvAnalysis>;

const common = { tag: 'Schemas', auth: 'credential', loadClass: 'heavy' } as const;

/** What is counted of rows, and what a file would become (part 2, 4.1). */
export const schemaFigureOperations = {
  stats: operation({
    ...common,
    id: 'schemas.stats',
    method: 'GET',
    path: '/api/v1/schemas/{id}/stats',
    summary: 'Count what the rows of a schema hold',
    role: 'viewer',
    params: Type.Object({ id: IdText('Id of the schema.') }, { description: 'Which schema.' }),
    responses: { 200: { description: 'The figures.', schema: SchemaStats } },
    errors: ['not_found'],
    audit: [],
    transaction: 'own',
  }),
  upload: operation({
    ...common,
    id: 'schemas.upload',
    method: 'POST',
    path: '/api/v1/schemas/upload',
    summary: 'Say which columns a CSV file would become',
    description:
      'Looks at the first megabyte and at most 100 rows of a file of at most 50 MB. Nothing is created or imported.',
    role: 'editor',
    bodyKind: 'multipart',
    bodyLimit: largestCsv + multipartBytes,
    body: Type.Object(
      {
        file: Binary({
          description: 'The file: text/csv, application/vnd.ms-excel or text/plain; UTF-8, UTF-16 or Windows-1252.',
        }),
      },
      { description: 'A CSV file with a header.' },
    ),
    responses: { 200: { description: 'The columns.', schema: CsvAnalysis } },
    errors: ['csv_invalid'],
    audit: [],
    transaction: 'none',
  }),
};
