import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Warnings } from '../core/warnings.ts';

/** Largest CSV file, in bytes. */
export const largestCsv = 50 * 1024 * 1024;

/** Rows in the analysis of a file, and characters per cell. */
export const sampleRows = 8;
export const longestSampleCell = 100;

/** Room for what surrounds the file in a multipart body. */
export const multipartBytes = 64 * 1024;

const fieldCounts = {
  name: Type.String({ description: 'Name of the field.' }),
  distinctCount: Type.Integer({ description: 'Number of distinct values, without nulls.' }),
  nullCount: Type.Integer({ description: 'Number of rows without a value.' }),
};

const NumberOut = (description: string) => Nullable(Type.Union([Type.Number(), Type.String()]), { description });

const NumericStats = Type.Object(
  {
    ...fieldCounts,
    type: Type.Literal('numeric', { description: 'Type of a numeric field.' }),
    min: NumberOut('Minimum, in the format of rows; null without values.'),
    max: NumberOut('Maximum, in the format of rows; null without values.'),
    avg: Nullable(Type.Number(), { description: 'Mean; null without values.' }),
  },
  { description: 'Statistics of a numeric field.' },
);

const TextStats = Type.Object(
  {
    ...fieldCounts,
    type: Type.Literal('text', { description: 'Type of any other field.' }),
    topValues: Type.Array(
      Type.Object(
        {
          value: Type.Union([Type.String(), Type.Boolean()], { description: 'Value, in the format of rows.' }),
          count: Type.Integer({ description: 'Number of rows with it.' }),
        },
        { description: 'A value.' },
      ),
      { description: 'The five most frequent values, then sorted by value; empty for jsonb.' },
    ),
  },
  { description: "Statistics of a field that isn't numeric." },
);

export const SchemaStats = Type.Object(
  {
    fields: Type.Array(Type.Union([NumericStats, TextStats]), { description: 'One entry per field, by ordinal.' }),
    totalRows: Type.Integer({ description: 'Exact number of rows in the table.' }),
    sampled: Type.Boolean({
      description: 'True for more than 1,000,000 rows: the field statistics are then based on about 100,000 rows.',
    }),
    cachedAt: Timestamp(
      'When the statistics were computed. They are cached for five minutes, or until rows are written.',
    ),
  },
  { description: "Statistics of a schema's rows." },
);
export type SchemaStats = Static<typeof SchemaStats>;

const CsvColumn = Type.Object(
  {
    name: Type.String({ description: 'Suggested field name, derived from the header.' }),
    dataType: StringEnum(
      ['integer', 'bigint', 'decimal', 'boolean', 'date', 'timestamptz', 'uuid', 'varchar', 'text'],
      { description: 'The narrowest type that fits all non-empty cells.' },
    ),
    length: Type.Optional(
      Type.Integer({
        description: 'For varchar: the smallest of 50, 100, 255 and 1000 that leaves twice the room needed.',
      }),
    ),
    isNullable: Type.Boolean({ description: 'False for the key.' }),
    isPrimaryKey: Type.Boolean({ description: 'True for the first ID column whose values are complete and distinct.' }),
    isUnique: Type.Boolean({ description: 'True for the key.' }),
    defaultValue: Type.Null({ description: 'Always null.' }),
  },
  { description: 'A column as a field definition.' },
);

export const CsvAnalysis = Type.Object(
  {
    columns: Type.Array(CsvColumn, { description: 'Columns in the order of the file.' }),
    rowCount: Type.Integer({ description: 'Number of rows analyzed, at most 100.' }),
    sample: Type.Array(
      Type.Array(Type.String({ description: `A cell, truncated to ${longestSampleCell} characters.` }), {
        description: 'The cells of a row, in column order.',
      }),
      { description: `First rows as they appear in the file, at most ${sampleRows}.` },
    ),
    headers: Type.Array(Type.String(), { description: 'Header as it appears in the file.' }),
    estimatedRows: Type.Integer({
      description: 'Number of rows in the whole file, without the header. Exact: the whole file is read.',
    }),
    truncated: Type.Boolean({ description: 'True if the file has more rows than were analyzed.' }),
    encoding: StringEnum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'], { description: 'Encoding of the file.' }),
    delimiter: StringEnum([',', ';', '\t', '|'], { description: 'Delimiter between cells.' }),
    warnings: Warnings,
  },
  { description: 'Contents of a CSV file. Nothing is created or imported.' },
);
export type CsvAnalysis = Static<typeof CsvAnalysis>;

const common = { tag: 'Schemas', auth: 'credential', loadClass: 'heavy' } as const;

/** Figures of rows, and the schema that a file would become. */
export const schemaFigureOperations = {
  stats: operation({
    ...common,
    id: 'schemas.stats',
    method: 'GET',
    path: '/api/v1/schemas/{id}/stats',
    summary: "Get statistics of a schema's rows",
    role: 'viewer',
    params: Type.Object({ id: IdText('ID of the schema.') }, { description: 'Schema to use.' }),
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
    summary: 'Analyze the columns of a CSV file',
    description:
      'Analyzes the first megabyte and at most 100 rows of a file of at most 50 MB. Nothing is created or imported.',
    role: 'editor',
    bodyKind: 'multipart',
    bodyLimit: largestCsv + multipartBytes,
    body: Type.Object(
      {
        file: Binary({
          description: 'The file: text/csv, application/vnd.ms-excel or text/plain, in UTF-8, UTF-16 or Windows-1252.',
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
