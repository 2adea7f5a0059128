import type { ErrorEntry, SchemaField, SchemaFieldDefinition } from '@arbiter/contract';
import { type JsonValue, Misfit, valueCheck } from '../rows/values.rules.ts';
import { type ColumnType, readColumnType } from './data-types.ts';
import { fieldNameProblem, maximumFields } from './names.rules.ts';

/** A default as the table gets it: one of two functions, or a literal of the column's type. */
export type ColumnDefault = { readonly function: 'now()' | 'gen_random_uuid()' } | { readonly literal: JsonValue };

/** The result of a definition: a field without ids, which the service adds. */
export type FieldDraft = Omit<SchemaField, 'id' | 'schemaId' | 'ordinal'>;

const temporal = ['date', 'time', 'timestamp', 'timestamptz'];
const textual = ['varchar', 'char', 'text'];
const withoutKeys = ['real', 'double', 'boolean', 'jsonb'];

const uuidTextLength = 36;

/**
 * Parses a stored or declared default: a literal of the column's type, `now()` for times, `gen_random_uuid()` for uuid
 * and for text with room for one. Null: none. Returns a Misfit with the reason when it's invalid.
 */
export function readDefault(type: ColumnType, declared: string | null): ColumnDefault | null | Misfit {
  if (declared === null || declared === 'null') return null;
  const { dataType, length } = type;
  if (declared === 'now()' && temporal.includes(dataType)) return { function: 'now()' };
  const holdsUuid =
    dataType === 'uuid' || (textual.includes(dataType) && (length === null || length >= uuidTextLength));
  if (declared === 'gen_random_uuid()' && holdsUuid) return { function: 'gen_random_uuid()' };
  const literal = valueCheck(type)(literalOf(type, declared));
  return literal instanceof Misfit ? literal : { literal };
}

/** The text of a literal as a value of the kind that rows carry. */
function literalOf({ dataType }: ColumnType, text: string): unknown {
  if (dataType === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (dataType === 'real' || dataType === 'double') return text.trim() === '' ? text : Number(text);
  if (dataType !== 'jsonb') return text;
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the check of the type refuses `undefined`.
    return undefined;
  }
}

export const columnType = (field: Pick<SchemaField, 'dataType' | 'length' | 'precision' | 'scale'>): ColumnType => ({
  dataType: field.dataType,
  length: field.length,
  precision: field.precision,
  scale: field.scale,
});

type Draft = { readonly draft: FieldDraft } | { readonly problems: readonly ErrorEntry[] };

/** Turns a definition into a field, or names the property that fails. `path`: JSON Pointer of the definition. */
export function draftField(definition: SchemaFieldDefinition, path: string): Draft {
  const problems: ErrorEntry[] = [];
  const refuse = (key: string, message: string) => {
    problems.push({ path: `${path}/${key}`, message });
  };
  const { name, isPrimaryKey = false, isUnique = false } = definition;
  const nameProblem = fieldNameProblem(name);
  if (nameProblem !== null) refuse('name', nameProblem);
  if (name.toLowerCase() === 'id' && !isPrimaryKey) refuse('name', 'the name id is reserved for the primary key');
  const type = readColumnType(definition);
  if ('message' in type) {
    refuse(type.key, type.message);
    return { problems };
  }
  if (isPrimaryKey && withoutKeys.includes(type.dataType)) {
    refuse('isPrimaryKey', `a ${type.dataType} can't be the primary key`);
  }
  if (isPrimaryKey && definition.isNullable === true) refuse('isNullable', "the primary key can't be nullable");
  const defaultValue = storedDefault(definition.defaultValue ?? null);
  const read = readDefault(type, defaultValue);
  if (read instanceof Misfit) refuse('defaultValue', read.message);
  if (problems.length > 0) return { problems };
  return {
    draft: {
      name,
      displayName: definition.displayName ?? name,
      description: definition.description ?? '',
      ...type,
      isNullable: isPrimaryKey ? false : (definition.isNullable ?? true),
      isPrimaryKey,
      isUnique: isPrimaryKey || isUnique,
      isPredictor: definition.isPredictor ?? false,
      neverStore: definition.neverStore ?? false,
      isSensitive: definition.isSensitive ?? false,
      defaultValue,
    },
  };
}

type DeclaredField = { readonly [K in keyof SchemaFieldDefinition]?: SchemaFieldDefinition[K] | undefined };

/** Returns where a change would need another column (docs/design/api-settled.md 41). Unchanged values don't count. */
export function unchangeableProblems(field: SchemaField, changes: DeclaredField): ErrorEntry[] {
  const { name, dataType, defaultValue, ...rest } = changes;
  const same = {
    name: name === undefined || name === field.name,
    dataType: dataType === undefined || isTypeOf(field, dataType),
    length: isSame(rest.length, field.length),
    precision: isSame(rest.precision, field.precision),
    scale: isSame(rest.scale, field.scale),
    isNullable: isSame(rest.isNullable, field.isNullable),
    isPrimaryKey: isSame(rest.isPrimaryKey, field.isPrimaryKey),
    isUnique: isSame(rest.isUnique, field.isUnique),
    defaultValue: defaultValue === undefined || storedDefault(defaultValue) === field.defaultValue,
  };
  return Object.entries(same).flatMap(([key, isKept]) =>
    isKept ? [] : [{ path: `/${key}`, message: "can't be changed; drop the field and add it again" }],
  );
}

const isSame = <T>(wanted: T | undefined, stored: T): boolean => wanted === undefined || wanted === stored;

/** A type without numbers in brackets doesn't determine them. */
function isTypeOf(field: SchemaField, declared: string): boolean {
  const type = readColumnType(
    declared.includes('(') ? { dataType: declared } : { ...columnType(field), dataType: declared },
  );
  return (
    !('message' in type) &&
    type.dataType === field.dataType &&
    type.length === field.length &&
    type.precision === field.precision &&
    type.scale === field.scale
  );
}

/** A default as it is stored: text, and null for none. */
const storedDefault = (declared: NonNullable<SchemaFieldDefinition['defaultValue']> | null): string | null =>
  declared === null || declared === 'null' ? null : String(declared);

/** Reads all fields of a new schema; every problem is reported, and with one there is no schema (docs/design/quality.md E35). */
export function draftFields(definitions: readonly SchemaFieldDefinition[]): {
  readonly drafts: readonly FieldDraft[];
  readonly problems: readonly ErrorEntry[];
} {
  const problems: ErrorEntry[] = [];
  const drafts: FieldDraft[] = [];
  const seen = new Set<string>();
  let hasPrimaryKey = false;
  definitions.forEach((definition, index) => {
    const path = `/fields/${index}`;
    const lower = definition.name.toLowerCase();
    if (seen.has(lower)) problems.push({ path: `${path}/name`, message: 'is listed more than once' });
    seen.add(lower);
    if (definition.isPrimaryKey === true && hasPrimaryKey) {
      problems.push({ path: `${path}/isPrimaryKey`, message: 'another field is already the primary key' });
    }
    hasPrimaryKey ||= definition.isPrimaryKey === true;
    const result = draftField(definition, path);
    if ('problems' in result) problems.push(...result.problems);
    else drafts.push(result.draft);
  });
  return { drafts, problems };
}

/** Room for one more field? */
export const hasRoom = (fields: readonly unknown[]): boolean => fields.length < maximumFields;

/** Column that identifies a row: the primary key, else the counting column `id`. */
export function primaryKeyOf(fields: readonly Pick<SchemaField, 'name' | 'isPrimaryKey'>[]): string {
  return fields.find((field) => field.isPrimaryKey)?.name ?? 'id';
}

/** Column that is compared with the customer id (docs/design/api-catalogue.md 2.2 no. 4). */
export function rowKeyOf(fields: readonly Pick<SchemaField, 'name' | 'isPrimaryKey'>[]): string {
  const names = fields.map((field) => field.name);
  return ['customer_id', 'customerId'].find((name) => names.includes(name)) ?? primaryKeyOf(fields);
}

/** Moves one field to a position and renumbers all ordinals from 0. */
export function reorder(fields: readonly SchemaField[], id: string, ordinal: number): SchemaField[] {
  const moved = fields.find((field) => field.id === id);
  const others = fields.filter((field) => field.id !== id);
  const ordered = moved === undefined ? others : others.toSpliced(ordinal, 0, moved);
  return ordered.map((field, index) => ({ ...field, ordinal: index }));
}

/** True for a field, and for the column `id` of a schema that counts its rows. */
export function hasColumn(fields: readonly Pick<SchemaField, 'name' | 'isPrimaryKey'>[], name: string): boolean {
  return fields.some((field) => field.name === name) || name === primaryKeyOf(fields);
}
