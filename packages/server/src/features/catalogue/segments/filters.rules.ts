import type { DataType, ErrorEntry } from '@arbiter/contract';
import {
  type Condition,
  type ConditionLeaf,
  type LeafComplaint,
  listWords,
  type Operator,
  parseCondition,
  parseDecimal,
  parseInstant,
  type Scalar,
} from '@arbiter/engine';
import { isStorableText } from '../condition-sql/index.ts';
import { type ConditionColumn, type ConditionSchema, columnOf } from './condition-schemas.ts';
import { type ConditionJoin, noColumn } from './joins.rules.ts';

/** A field of a filter: a column of the base (`join` null) or of joined rows. */
export interface ConditionField {
  readonly column: ConditionColumn;
  readonly join: ConditionJoin | null;
}

/** `customer.age` is `age`, as in every other condition (docs/design/api-catalogue.md 1.3). */
const baseAlias = 'customer';

/** Returns where a field is, or its problem. Column names match exactly, including case. */
export function fieldOf(
  base: ConditionSchema,
  joins: readonly ConditionJoin[],
  field: string,
): ConditionField | string {
  const dot = field.indexOf('.');
  if (dot === -1) return fieldOfBase(base, field);
  const [alias, name] = [field.slice(0, dot), field.slice(dot + 1)];
  const join = joins.find((each) => each.alias === alias);
  if (join === undefined) {
    if (alias === baseAlias) return fieldOfBase(base, name);
    if (alias === 'metric') return 'refers to a metric; metrics are not available yet';
    const known = joins.map((each) => each.alias);
    return known.length === 0
      ? 'refers to a join, but there are no joins'
      : `must start with one of ${listWords(known)}`;
  }
  const column = columnOf(join.schema, name);
  return column === null ? noColumn(join.schema, name) : { column, join };
}

function fieldOfBase(base: ConditionSchema, name: string): ConditionField | string {
  const column = columnOf(base, name);
  return column === null ? noColumn(base, name) : { column, join: null };
}

/** The filters in stored form, or everything that is wrong with them (docs/design/api-catalogue.md 1.3, 11). */
export function readFilters(
  filters: unknown,
  base: ConditionSchema,
  joins: readonly ConditionJoin[],
): { readonly stored: Condition } | { readonly problems: readonly ErrorEntry[] } {
  const parsed = parseCondition(filters, {
    checkField(field) {
      const found = fieldOf(base, joins, field);
      return typeof found === 'string' ? found : null;
    },
    checkLeaf(leaf) {
      const found = fieldOf(base, joins, leaf.field);
      return typeof found === 'string' ? null : misfit(found.column.dataType, leaf);
    },
  });
  if (parsed.ok) return { stored: parsed.stored };
  return { problems: parsed.problems.map(({ path, message }) => ({ path: `/filters${path}`, message })) };
}

const equality: readonly Operator[] = ['eq', 'neq', 'in', 'not_in', 'exists', 'not_exists'];
const order: readonly Operator[] = [...equality, 'gt', 'gte', 'lt', 'lte', 'between'];
const inText: readonly Operator[] = ['contains', 'not_contains', 'starts_with'];
const inTime: readonly Operator[] = ['within_last_days', 'not_within_last_days'];

interface Fit {
  readonly operators: readonly Operator[];
  /** Returns what a value must be; for lists, each item. Doesn't check the days of time operators. */
  readonly holds: (value: Scalar) => boolean;
  readonly what: string;
}

const isText = (value: Scalar): value is string => typeof value === 'string';
const numbers: Fit = {
  operators: order,
  holds: (value) => typeof value === 'number' || (isText(value) && parseDecimal(value) !== null),
  what: 'must be a number or a decimal string',
};
const texts: Fit = {
  operators: [...order, ...inText, ...inTime],
  holds: (value) => (isText(value) ? isStorableText(value) : typeof value === 'number'),
  what: 'must be a string without NUL and lone surrogates, or a number',
};
const moments: Fit = {
  operators: [...order, ...inTime],
  holds: (value) => isText(value) && parseInstant(value) !== null,
  what: 'must be a date such as 2026-11-20 or an instant such as 2026-11-20T09:30:00Z',
};

function fitOf(dataType: DataType): Fit {
  switch (dataType) {
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'decimal':
    case 'numeric':
    case 'real':
    case 'double':
      return numbers;
    case 'varchar':
    case 'char':
    case 'text':
      return texts;
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return moments;
    case 'time':
      return {
        operators: order,
        holds: (value) => isText(value) && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(value),
        what: 'must be a time with seconds, such as 09:30:00',
      };
    case 'uuid':
      return {
        operators: equality,
        holds: (value) => isText(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
        what: 'must be a UUID in lower case',
      };
    case 'boolean':
      return {
        operators: ['eq', 'neq', 'exists', 'not_exists'],
        holds: (value) => typeof value === 'boolean',
        what: 'must be true or false',
      };
    case 'jsonb':
      return {
        operators: [...order, ...inText, ...inTime],
        holds: (value) => !isText(value) || isStorableText(value),
        what: 'must be a string without NUL and lone surrogates, a number or a boolean',
      };
  }
}

/** Returns what keeps a leaf from ever matching a column of this type. */
function misfit(dataType: DataType, { operator, value }: ConditionLeaf): LeafComplaint | null {
  const { operators, holds, what } = fitOf(dataType);
  if (!operators.includes(operator)) {
    return { key: 'operator', message: `can't be used with a column of type ${dataType}; use ${listWords(operators)}` };
  }
  if (value === undefined || inTime.includes(operator)) return null;
  if (inText.includes(operator) && dataType !== 'jsonb' && !isText(value as Scalar)) {
    return { key: 'value', message: 'must be a string' };
  }
  const values = typeof value === 'object' ? value : [value];
  return values.every(holds) ? null : { key: 'value', message: what };
}

/** Every field that a condition names. */
export function fieldsOf(condition: Condition): string[] {
  return 'operator' in condition ? [condition.field] : condition.conditions.flatMap(fieldsOf);
}
