import type { DataType, ErrorEntry, SchemaField } from '@arbiter/contract';
import { isCustomerId } from '../../../../platform/formats.ts';
import { type ColumnDefault, columnType, readDefault, rowKeyOf } from '../fields/fields.rules.ts';
import { type JsonValue, Misfit, type ValueCheck, valueCheck } from './values.rules.ts';
import { keyText } from './values-out.rules.ts';

/** What checking a table's rows needs, created once per request. */
export interface RowChecks {
  readonly columns: ReadonlyMap<string, ColumnCheck>;
}

interface ColumnCheck {
  readonly name: string;
  readonly dataType: DataType;
  readonly check: ValueCheck;
  readonly isRequired: boolean;
  readonly default: ColumnDefault | null;
  /** Value of a row key or of another indexed column: bounded, because an index entry is. */
  readonly isIndexed: boolean;
  /** Row key of a customer-type schema: a customerId (docs/design/api-access.md 1). */
  readonly isCustomerKey: boolean;
}

/** A row ready to be written: values by column in database form; columns without a value are missing. */
export type CheckedRow = Readonly<Record<string, JsonValue>>;

/** Maximum bytes of a value in a PostgreSQL index, with room for the tenant's id next to it. */
const longestIndexedBytes = 2600;
export const maximumErrors = 20;

export function rowChecks(schemaType: string, fields: readonly SchemaField[]): RowChecks {
  const rowKey = rowKeyOf(fields);
  return {
    columns: new Map(
      fields.map((field) => {
        const type = columnType(field);
        const fallback = readDefault(type, field.defaultValue);
        if (fallback instanceof Misfit) throw new Error(`stored default of field ${field.id} doesn't match its type`);
        return [
          field.name,
          {
            name: field.name,
            dataType: field.dataType,
            check: valueCheck(type),
            isRequired: !field.isNullable,
            default: fallback,
            isIndexed: field.isUnique || field.isPrimaryKey || field.name === rowKey,
            isCustomerKey: schemaType === 'customer' && field.name === rowKey,
          },
        ];
      }),
    ),
  };
}

const pointer = (index: number, column: string) =>
  `/rows/${index}/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Made-up values of one request: the same instant for all rows, a new uuid for each. */
export interface DefaultSource {
  readonly now: Date;
  readonly newUuid: () => string;
}

/** The instant in the form of the type, in UTC. */
function nowFor(dataType: DataType, now: Date): string {
  const text = now.toISOString();
  if (dataType === 'date') return text.slice(0, 10);
  if (dataType === 'time') return text.slice(11, 19);
  return dataType === 'timestamp' ? text.slice(0, 23) : text;
}

function defaultValue(column: ColumnCheck, source: DefaultSource): JsonValue {
  if (column.default === null) return null;
  if ('literal' in column.default) return column.default.literal;
  return column.default.function === 'now()' ? nowFor(column.dataType, source.now) : source.newUuid();
}

/** Checks a row and fills in defaults. Calls `refuse` for each column with a problem. */
export type RowChecker = (
  row: Readonly<Record<string, unknown>>,
  refuse: (column: string, message: string) => void,
) => CheckedRow;

/**
 * Creates the row checker of a request. With `fillMissing: false`, columns missing in a row stay missing, so that an update
 * changes only the others.
 */
export function createRowChecker(checks: RowChecks, source: DefaultSource, fillMissing: boolean): RowChecker {
  const columns = [...checks.columns.values()];
  return (row, refuse) => {
    for (const name in row) {
      if (!checks.columns.has(name)) refuse(name, 'must be a column of the schema');
    }
    const values: Record<string, JsonValue> = {};
    for (const column of columns) {
      const given = Object.hasOwn(row, column.name) ? row[column.name] : undefined;
      if (given === undefined && !fillMissing && !(column.isRequired && column.default === null)) continue;
      const value = columnValue(column, given, source);
      if (value instanceof Misfit) refuse(column.name, value.message);
      else values[column.name] = value;
    }
    return values;
  };
}

/**
 * Checks the rows against the columns and fills in defaults. At most 20 problems are reported; when there is one, no row
 * may be written (docs/design/api-catalogue.md 2.4, docs/design/quality.md E36). `firstIndex`: place of the first row in the request, when
 * these are a part of its rows.
 */
export function checkRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  checks: RowChecks,
  source: DefaultSource,
  options: { readonly fillMissing: boolean; readonly firstIndex?: number },
): { readonly rows: readonly CheckedRow[]; readonly errors: readonly ErrorEntry[] } {
  const { fillMissing, firstIndex = 0 } = options;
  const errors: ErrorEntry[] = [];
  const checked: CheckedRow[] = [];
  const check = createRowChecker(checks, source, fillMissing);
  for (const [index, row] of rows.entries()) {
    if (errors.length >= maximumErrors) break;
    const refuse = (column: string, message: string) => {
      if (errors.length < maximumErrors) errors.push({ path: pointer(firstIndex + index, column), message });
    };
    checked.push(check(row, refuse));
  }
  return { rows: checked, errors };
}

function columnValue(column: ColumnCheck, given: unknown, source: DefaultSource): JsonValue | Misfit {
  if (given === undefined || given === null) {
    if (given === null && !column.isRequired) return null;
    const value = defaultValue(column, source);
    return value === null && column.isRequired ? new Misfit('is required') : value;
  }
  const value = column.check(given);
  if (value instanceof Misfit || value === null) return value;
  if (column.isCustomerKey && !isCustomerId(keyText(value) ?? '')) {
    return new Misfit(
      'must be 1 to 255 characters, without control characters and without leading or trailing white space',
    );
  }
  if (column.isIndexed && isTooLongForIndex(value)) {
    return new Misfit(`must be at most ${longestIndexedBytes} bytes, the limit for a key`);
  }
  return value;
}

function isTooLongForIndex(value: JsonValue): boolean {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '';
  return text.length * 3 > longestIndexedBytes && Buffer.byteLength(text, 'utf8') > longestIndexedBytes;
}

/** Of rows with one key, keeps the last, in its place. Keeps all rows without a key. */
export function lastOfEachKey(
  rows: readonly CheckedRow[],
  key: string,
): { readonly kept: readonly CheckedRow[]; readonly dropped: number } {
  const lastIndex = new Map<string, number>();
  const identity = (row: CheckedRow) => {
    const value = row[key];
    return value === undefined || value === null ? null : JSON.stringify(value);
  };
  rows.forEach((row, index) => {
    const id = identity(row);
    if (id !== null) lastIndex.set(id, index);
  });
  const unique = rows.filter((row, index) => {
    const id = identity(row);
    return id === null || lastIndex.get(id) === index;
  });
  return { kept: unique, dropped: rows.length - unique.length };
}

/** Rows that name the same columns, together: one statement each. */
export function bySuppliedColumns(
  rows: readonly CheckedRow[],
): readonly { readonly columns: readonly string[]; readonly rows: readonly CheckedRow[] }[] {
  const groups = Map.groupBy(rows, (row) => Object.keys(row).join('\n'));
  return [...groups.values()].map((group) => ({ columns: Object.keys(group[0] ?? {}), rows: group }));
}

/** Column by which `onDuplicate: update` finds the existing row: the primary key, else the first unique field. */
export function updateKey(fields: readonly SchemaField[]): string | null {
  const byKey = fields.find((field) => field.isPrimaryKey) ?? fields.find((field) => field.isUnique);
  return byKey?.name ?? null;
}
