import type { DataType } from '@arbiter/contract/catalogue/schemas';
import { asciiLetters } from '@arbiter/contract/core/ascii-letters';
import type { Values } from '../../../forms/editing/changes.ts';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';

/** Properties that only some data types have. */
const typed: Readonly<Record<string, readonly DataType[]>> = {
  length: ['varchar', 'char'],
  precision: ['decimal', 'numeric'],
  scale: ['decimal', 'numeric'],
};

/** Returns the fields of a definition that make sense for its data type. A primary key is required and unique anyway. */
export function columnFields({ dataType, isPrimaryKey }: Values, fields: readonly FieldSpec[]): readonly FieldSpec[] {
  const implied = isPrimaryKey === true ? ['isNullable', 'isUnique'] : [];
  return fields.filter(({ name }) => {
    const only = typed[name];
    return !implied.includes(name) && (only === undefined || only.some((each) => each === dataType));
  });
}

/** Changes the data type of a definition, and removes properties that the new type doesn't have. */
export function withDataType(definition: Values, dataType: string): Values {
  const rest = Object.entries(definition).filter(([name]) => typed[name]?.some((each) => each === dataType) ?? true);
  return { ...Object.fromEntries(rest), dataType };
}

/** Makes a definition the primary key, or no longer. */
export const withKey = (definition: Values, isPrimaryKey: boolean): Values => ({
  ...definition,
  isPrimaryKey,
  isNullable: !isPrimaryKey,
  isUnique: false,
});

/** Returns the table name for a schema's name: Latin letters in ASCII, then as the API derives it. */
export const tableNameOf = (name: string): string =>
  asciiLetters(name.trim())
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/gu, '_');
