import type { DataType } from '@arbiter/contract';
import {
  type ConditionLeaf,
  type LeafComplaint,
  listWords,
  type Operator,
  parseDecimal,
  parseInstant,
  type Scalar,
} from '@arbiter/engine';
import { isStorableText } from './text-leaf.store.ts';

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
export function misfit(dataType: DataType, { operator, value }: ConditionLeaf): LeafComplaint | null {
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
