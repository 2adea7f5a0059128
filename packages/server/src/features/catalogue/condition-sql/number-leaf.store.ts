import { parseDecimal, type Scalar } from '@arbiter/engine';
import { textArray } from '../../../db/index.ts';
import { type Comparison, type LeafKind, never, type SqlColumn, type SqlContext, signs } from './leaf-kind.ts';

/** Number columns. Values that a JSON number can't represent exactly are texts in responses and in conditions. */
export function numberLeaf(column: SqlColumn, context: SqlContext): LeafKind {
  const { dataType } = column;
  const parts = isInteger(dataType)
    ? integerParts(column, context, dataType)
    : dataType === 'real' || dataType === 'double'
      ? floatParts(column, context)
      : decimalParts(column, context);
  return {
    ...parts,
    daysBack: () => never,
    present: `${column.sql} is not null`,
    contains: () => null,
  };
}

type LeafParts = Pick<LeafKind, 'compare' | 'member' | 'text'>;

type IntegerType = 'smallint' | 'integer' | 'bigint';
const isInteger = (dataType: string): dataType is IntegerType =>
  dataType === 'smallint' || dataType === 'integer' || dataType === 'bigint';

/** The number a wanted value compares as; null if the types differ. */
const numberOf = (wanted: Scalar): number | null =>
  typeof wanted === 'number' ? wanted : typeof wanted === 'string' ? parseDecimal(wanted) : null;

const ranges: Readonly<Record<IntegerType, readonly [least: number, most: number]>> = {
  smallint: [-32_768, 32_767],
  integer: [-2_147_483_648, 2_147_483_647],
  // Outside this range the driver's text is the value.
  bigint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

const minBigint = -(2n ** 63n);
const maxBigint = 2n ** 63n - 1n;

/**
 * Compares an integer column with a number between the type's limits. Compares with a whole number, so that the database
 * can use an index.
 */
function compareWhole(
  sql: string,
  type: IntegerType,
  comparison: Comparison,
  number: number,
  literal: (value: number) => string,
): string {
  const [least, most] = ranges[type];
  const isWide = type === 'bigint';
  if (comparison === 'eq') {
    return Number.isInteger(number) && number >= least && number <= most ? `${sql} = ${literal(number)}` : never;
  }
  if (comparison === 'gt' || comparison === 'gte') {
    const bound = comparison === 'gt' ? Math.floor(number) + 1 : Math.ceil(number);
    if (bound > most) return never;
    return bound <= least && !isWide ? `${sql} is not null` : `${sql} >= ${literal(bound)}`;
  }
  const bound = comparison === 'lt' ? Math.ceil(number) - 1 : Math.floor(number);
  if (bound < least) return never;
  return bound >= most && !isWide ? `${sql} is not null` : `${sql} <= ${literal(bound)}`;
}

function integerParts({ sql }: SqlColumn, { literals }: SqlContext, type: IntegerType): LeafParts {
  const [least, most] = ranges[type];
  const isWide = type === 'bigint';
  const float = (comparison: Comparison, number: number): string =>
    `${sql}::float8 ${signs[comparison]} ${literals.add(String(number), 'float8')}`;
  const whole = (comparison: Comparison, number: number): string =>
    compareWhole(sql, type, comparison, number, (value) => literals.add(String(value + 0), type));
  // At the edge of the safe integers, the next bound is no longer safe.
  const isNear = (number: number): boolean => !isWide || Math.abs(number) < most;
  const numeric = (comparison: Comparison, number: number): string =>
    isNear(number) ? whole(comparison, number) : float(comparison, number);
  /** Returns the text that equals a value stored outside the safe range, or null. */
  const exact = (wanted: string): string | null => {
    if (!/^-?[1-9][0-9]{15,18}$/.test(wanted)) return null;
    const number = BigInt(wanted);
    return number < minBigint || number > maxBigint || Number.isSafeInteger(Number(wanted)) ? null : wanted;
  };
  const equalText = (wanted: string): string => {
    const number = parseDecimal(wanted);
    if (number !== null && Number.isSafeInteger(number)) return `${sql} = ${literals.add(String(number), type)}`;
    const text = exact(wanted);
    return text === null ? never : `${sql} = ${literals.add(text, type)}`;
  };
  const orderText = (comparison: Comparison, wanted: string): string => {
    const number = parseDecimal(wanted);
    const asNumber = number === null ? never : numeric(comparison, number);
    const asText = `${sql}::text collate "C" ${signs[comparison]} ${literals.add(wanted, 'text')}`;
    return `case when ${sql} between ${literals.add(String(least), type)} and ${literals.add(String(most), type)} then ${asNumber} else ${asText} end`;
  };
  return {
    compare(comparison, wanted) {
      if (isWide && typeof wanted === 'string') {
        return comparison === 'eq' ? equalText(wanted) : orderText(comparison, wanted);
      }
      const number = numberOf(wanted);
      return number === null ? never : numeric(comparison, number);
    },
    member(wanted) {
      const numbers = wanted.map(numberOf);
      if (isWide && !numbers.every((number) => number !== null && isNear(number))) return null;
      const members = numbers.filter(
        (number) => number !== null && Number.isInteger(number) && number >= least && number <= most,
      );
      return members.length === 0
        ? never
        : `${sql} = any (${literals.add(textArray(members.map(String)), `${type}[]`)})`;
    },
    text: isWide
      ? () =>
          `case when ${sql} not between ${literals.add(String(least), type)} and ${literals.add(String(most), type)} then ${sql}::text end`
      : null,
  };
}

function floatParts({ sql, dataType }: SqlColumn, { literals }: SqlContext): LeafParts {
  // The shortest text of a real is the number that responses show. Its bits as a double are a different number.
  const value = dataType === 'real' ? `${sql}::text::float8` : sql;
  return {
    compare(comparison, wanted) {
      const number = numberOf(wanted);
      return number === null ? never : `${value} ${signs[comparison]} ${literals.add(String(number), 'float8')}`;
    },
    member(wanted) {
      const numbers = wanted.map(numberOf).filter((number) => number !== null);
      return numbers.length === 0
        ? never
        : `${value} = any (${literals.add(textArray(numbers.map(String)), 'float8[]')})`;
    },
    text: null,
  };
}

/** Decimals with at most this many digits are numbers in responses, and each is a distinct double. */
const exactDigits = 15;

function decimalParts({ sql, precision }: SqlColumn, { literals }: SqlContext): LeafParts {
  if (precision !== null && precision <= exactDigits) {
    return {
      compare(comparison, wanted) {
        const number = numberOf(wanted);
        return number === null ? never : `${sql} ${signs[comparison]} ${literals.add(String(number), 'numeric')}`;
      },
      member(wanted) {
        const numbers = wanted.map(numberOf).filter((number) => number !== null);
        return numbers.length === 0
          ? never
          : `${sql} = any (${literals.add(textArray(numbers.map(String)), 'numeric[]')})`;
      },
      text: null,
    };
  }
  const text = `arbiter.condition_text(${sql})`;
  return {
    compare(comparison, wanted) {
      const number = numberOf(wanted);
      const sign = signs[comparison];
      const asNumber =
        number === null ? never : `arbiter.condition_decimal(${sql}) ${sign} ${literals.add(String(number), 'float8')}`;
      if (typeof wanted !== 'string') return asNumber;
      return `case when ${text} is null then ${asNumber} else ${text} collate "C" ${sign} ${literals.add(wanted, 'text')} end`;
    },
    member: () => null,
    text: () => text,
  };
}
