import type { DataType } from '@arbiter/contract/catalogue/schemas';

/** What the values of a field are, as far as operators care. */
export type ValueType = 'text' | 'number' | 'flag' | 'day' | 'time' | 'json' | 'unknown';

const types: Readonly<Record<DataType, ValueType>> = {
  varchar: 'text',
  char: 'text',
  text: 'text',
  uuid: 'text',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  decimal: 'number',
  numeric: 'number',
  real: 'number',
  double: 'number',
  boolean: 'flag',
  date: 'day',
  timestamp: 'day',
  timestamptz: 'day',
  time: 'time',
  jsonb: 'json',
};

export const valueTypeOf = (dataType: DataType): ValueType => types[dataType];

const order = ['gt', 'gte', 'lt', 'lte', 'between'];
const lists = ['in', 'not_in'];
const texts = ['contains', 'not_contains', 'starts_with'];
const days = ['within_last_days', 'not_within_last_days'];
const presence = ['exists', 'not_exists'];

/** Operators that make sense for values of a type, the most used first (docs/design/api-catalogue.md 1.3). */
export const operatorsOf: Readonly<Record<ValueType, readonly string[]>> = {
  text: ['eq', 'neq', ...lists, ...texts, ...presence],
  number: ['eq', 'neq', ...order, ...lists, ...presence],
  flag: ['eq', ...presence],
  day: [...days, ...order, 'eq', ...presence],
  time: ['eq', 'neq', ...order, ...presence],
  json: ['contains', 'not_contains', ...presence],
  unknown: ['eq', 'neq', ...order, ...lists, ...texts, ...days, ...presence],
};

/** What an operator compares with. */
export type ValueShape = 'one' | 'two' | 'list' | 'days' | 'none';

export function shapeOf(operator: string): ValueShape {
  if (presence.includes(operator)) return 'none';
  if (lists.includes(operator)) return 'list';
  if (days.includes(operator)) return 'days';
  return operator === 'between' ? 'two' : 'one';
}

/** Returns a value with the shape that the operator takes, from what stood there before. */
export function valueFor(operator: string, type: ValueType, value: unknown): unknown {
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== '');
  switch (shapeOf(operator)) {
    case 'none':
      return undefined;
    case 'list':
      return values;
    case 'two':
      return [values[0] ?? '', values[1] ?? ''];
    case 'days':
      return typeof values[0] === 'number' ? values[0] : 30;
    case 'one':
      return values[0] ?? (type === 'flag' ? true : '');
  }
}

const isPlainNumber = (text: string): boolean => text !== '' && String(Number(text)) === text;

/** Reads a typed value. A field of unknown type takes numbers, `true` and `false` for what they look like. */
export function typedValue(text: string, type: ValueType): unknown {
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'flag' || type === 'unknown') {
    if (text === 'true' || text === 'false') return text === 'true';
  }
  return type === 'unknown' && isPlainNumber(text) ? Number(text) : text;
}

/** Writes a value as it is typed. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
