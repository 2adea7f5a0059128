import type { CsvAnalysis } from '@arbiter/contract/catalogue/schema-figures';
import type { DataSchema, DataSchemaCreate, SchemaFieldDefinition } from '@arbiter/contract/catalogue/schemas';
import { humanKey } from '../../../messages/human-key.ts';
import { tableNameOf } from '../form/column-shape.ts';

/** Types that a column of a file can have. `varchar` keeps the length that the analysis found. */
export type ColumnType = CsvAnalysis['columns'][number]['dataType'];

/** A column of the file, and how to load it. */
export interface PlannedColumn {
  /** Name of the column in the table. */
  readonly name: string;
  /** Header in the file. */
  readonly header: string;
  readonly label: string;
  readonly type: ColumnType;
  /** Maximum length of limited text, in characters. */
  readonly length: number | null;
  readonly isUsed: boolean;
  readonly isSensitive: boolean;
  readonly neverStore: boolean;
  /** First values. */
  readonly values: readonly string[];
}

/** How to load a file. */
export interface ImportPlan {
  readonly displayName: string;
  readonly schemaType: string;
  /** Column that identifies the row; `rowNumber`: none of the file; empty: not chosen yet. */
  readonly key: string;
  readonly autoEnrich: boolean;
  /** Schema of the customers that the rows belong to, and the column with their ID; empty: none. */
  readonly parentId: string;
  readonly childField: string;
  readonly columns: readonly PlannedColumn[];
}

/** Means numbering the rows. No column can have this name. */
export const rowNumber = '#';

/** Values shown per column. */
const shownValues = 4;

/** Returns the plan that the analysis of a file suggests. */
export function planOf(fileName: string, analysis: CsvAnalysis): ImportPlan {
  const { columns, headers, sample } = analysis;
  return {
    displayName: humanKey(fileName.replace(/\.[^.]*$/, '').replaceAll(/[-\s]+/g, '_')),
    schemaType: 'customer',
    key: columns.find(({ isPrimaryKey }) => isPrimaryKey)?.name ?? '',
    autoEnrich: true,
    parentId: '',
    childField: '',
    columns: columns.map(({ name, dataType, length }, at): PlannedColumn => {
      const header = headers[at]?.trim() ?? name;
      return {
        ...{ name, header, label: humanKey(header === '' ? name : header), type: dataType, length: length ?? null },
        ...{ isUsed: true, isSensitive: false, neverStore: false },
        values: sample.slice(0, shownValues).map((row) => row[at] ?? ''),
      };
    }),
  };
}

/** Returns the plan with a column changed. */
export const withColumn = (plan: ImportPlan, name: string, change: Partial<PlannedColumn>): ImportPlan => ({
  ...plan,
  columns: plan.columns.map((column) => (column.name === name ? { ...column, ...change } : column)),
});

/** The API reserves `id` for the key. The import also finds the column under this name. */
function storedName(name: string, isKey: boolean, names: readonly string[]): string {
  if (name !== 'id' || isKey) return name;
  let free = 'id_col';
  for (let number = 2; names.includes(free); number += 1) free = `id_col_${number}`;
  return free;
}

/** Returns the schema that a plan creates. */
export function schemaOf(plan: ImportPlan): DataSchemaCreate {
  const { displayName, schemaType, key, autoEnrich, parentId, childField, columns } = plan;
  const names = columns.map(({ name }) => name);
  const fields = columns
    .filter(({ name, isUsed }) => isUsed || name === key)
    .map((column): SchemaFieldDefinition => {
      const isKey = column.name === key;
      return {
        name: storedName(column.name, isKey, names),
        displayName: column.label.trim() === '' ? column.name : column.label.trim(),
        dataType: column.type,
        ...(column.type === 'varchar' && column.length !== null ? { length: column.length } : {}),
        isNullable: !isKey,
        isPrimaryKey: isKey,
        ...(column.isSensitive ? { isSensitive: true } : {}),
        ...(column.neverStore ? { neverStore: true } : {}),
      };
    });
  const isLinked = schemaType !== 'customer' && parentId !== '';
  return {
    name: tableNameOf(displayName).slice(0, 60),
    displayName: displayName.trim(),
    schemaType,
    entityType: schemaType === 'customer' ? 'customer' : 'custom',
    autoEnrich: autoEnrich && (schemaType === 'customer' || isLinked),
    ...(isLinked ? { linkedSchemaId: parentId, joinMapping: { childField } } : {}),
    fields,
  };
}

/** A line that the API refused. */
export interface BadLine {
  /** From 1, with the header; null: the whole file. */
  readonly line: number | null;
  /** The column it's about, if the message names one. */
  readonly column: string | null;
  readonly message: string;
}

/** Reads the lines from the errors of a refused import. */
export function badLinesOf(
  errors: readonly { readonly message: string }[],
  columns: readonly { readonly name: string }[],
): readonly BadLine[] {
  return errors.map(({ message }) => {
    const [, line, rest = message] = /^line (\d+): (.*)$/s.exec(message) ?? [];
    const column = columns.find(({ name }) => rest.startsWith(`${name} `))?.name ?? null;
    return { line: line === undefined ? null : Number(line), column, message: rest };
  });
}

/** Returns the headers of a file that match no column of a stored schema. */
export function ignoredHeaders(
  { headers, columns }: Pick<CsvAnalysis, 'headers' | 'columns'>,
  { fields }: Pick<DataSchema, 'fields'>,
): readonly string[] {
  const known = new Set(fields.map(({ name }) => name.toLowerCase()));
  return headers.filter((header, at) => {
    const name = columns[at]?.name ?? '';
    return !known.has(header.trim().toLowerCase()) && !known.has(name) && !(name === 'id' && known.has('id_col'));
  });
}
