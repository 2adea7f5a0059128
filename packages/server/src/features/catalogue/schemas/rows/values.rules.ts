import { isDate } from '../../../../platform/formats.ts';
import type { ColumnType } from '../fields/data-types.ts';

/** JSON as it goes into a statement's parameter. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Why a value does not fit a column. */
export class Misfit {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/**
 * Turns a request's value into the database's, with one spelling per value (`007` becomes `7`), or a Misfit. No
 * coercion beyond table 2.1 of docs/design/api-catalogue.md. The caller handles null.
 */
export type ValueCheck = (value: unknown) => JsonValue | Misfit;

const misfit = (message: string) => new Misfit(message);

const codePoints = (text: string) => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

function textCheck(longest: number | null): ValueCheck {
  const notText = misfit('must be a string');
  const tooLong = misfit(`must be at most ${longest} characters`);
  return (value) => {
    if (typeof value !== 'string') return notText;
    // A code point has one or two UTF-16 units, so counting is only needed near the limit.
    return longest !== null && value.length > longest && codePoints(value) > longest ? tooLong : value;
  };
}

function charCheck(length: number): ValueCheck {
  const check = textCheck(length);
  return (value) => {
    const text = check(value);
    // char pads with blanks and compares without them.
    return typeof text === 'string' ? text.replace(/ +$/, '') : text;
  };
}

function integerCheck(bits: 16n | 32n | 64n): ValueCheck {
  const most = 2n ** (bits - 1n) - 1n;
  const least = -(2n ** (bits - 1n));
  const notInteger = misfit('must be a whole number');
  const outOfRange = misfit(`must be between ${least} and ${most}`);
  const inexact = misfit('is beyond 2^53; send it as a string to keep it exact');
  const [lower, upper] = [Number(least), Number(most)];
  return (value) => {
    if (typeof value === 'number') {
      if (!Number.isInteger(value)) return notInteger;
      if (!Number.isSafeInteger(value)) return inexact;
      return value < lower || value > upper ? outOfRange : value;
    }
    if (typeof value !== 'string' || !/^-?\d{1,100}$/.test(value)) return notInteger;
    const exact = BigInt(value);
    return exact < least || exact > most ? outOfRange : exact.toString();
  };
}

/** Digits without leading zeros, fraction without trailing ones; null when the text is no decimal number. */
function canonicalDecimal(text: string): { text: string; whole: string; fraction: string } | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return null;
  const whole = (match[2] ?? '').replace(/^0+(?=\d)/, '');
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  const zero = whole === '0' && fraction === '';
  return {
    text: `${zero ? '' : match[1]}${whole}${fraction === '' ? '' : `.${fraction}`}`,
    whole: whole === '0' ? '' : whole,
    fraction,
  };
}

/** A finite number in decimal notation without exponent. */
function plainNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const digits = `${match[2]}${match[3] ?? ''}`;
  const point = 1 + Number(match[4]);
  if (point <= 0) return `${match[1]}0.${'0'.repeat(-point)}${digits}`;
  return `${match[1]}${digits.padEnd(point, '0')}`;
}

/** Maximum digits of a decimal without declared precision, on either side of the point. */
const longestDecimal = 1000;

function decimalCheck({ precision, scale }: ColumnType): ValueCheck {
  const notDecimal = misfit('must be a number or a decimal string');
  const wholeDigits = precision === null ? longestDecimal : precision - (scale ?? 0);
  const fractionDigits = precision === null ? longestDecimal : (scale ?? 0);
  const tooLarge = misfit(`must have at most ${wholeDigits} digits before the decimal point`);
  const tooFine = misfit(`must have at most ${fractionDigits} digits after the decimal point`);
  return (value) => {
    if (typeof value === 'number' ? !Number.isFinite(value) : typeof value !== 'string') return notDecimal;
    const decimal = canonicalDecimal(typeof value === 'number' ? plainNumber(value) : String(value));
    if (decimal === null) return notDecimal;
    if (decimal.whole.length > wholeDigits) return tooLarge;
    return decimal.fraction.length > fractionDigits ? tooFine : decimal.text;
  };
}

function realCheck(isSingle: boolean): ValueCheck {
  const notNumber = misfit('must be a finite number');
  const outOfRange = misfit('is outside the range of the type');
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return notNumber;
    if (!isSingle) return value === 0 ? 0 : value;
    const single = Math.fround(value);
    return !Number.isFinite(single) || (single === 0 && value !== 0) ? outOfRange : single === 0 ? 0 : value;
  };
}

const booleanCheck: ValueCheck = (value) => (typeof value === 'boolean' ? value : misfit('must be true or false'));

const clock = String.raw`([01]\d|2[0-3]):[0-5]\d`;
const timePattern = new RegExp(`^${clock}(:[0-5]\\d)?$`);
const localPattern = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T${clock}(:[0-5]\\d(\\.\\d{1,6})?)?$`);
const instantPattern = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T${clock}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]${clock})$`);

const isDay = (text: string) => isDate(text) && !text.startsWith('0000');

const dateCheck: ValueCheck = (value) =>
  typeof value === 'string' && isDay(value) ? value : misfit('must be a day such as 2026-11-20');

const timeCheck: ValueCheck = (value) => {
  if (typeof value !== 'string' || !timePattern.test(value)) return misfit('must be a time such as 09:30 or 09:30:15');
  return value.length === 5 ? `${value}:00` : value;
};

const notLocal = misfit('must be a local date and time without an offset, such as 2026-11-20T09:30:00');
const timestampCheck: ValueCheck = (value) => {
  const match = typeof value === 'string' ? localPattern.exec(value) : null;
  if (match === null || typeof value !== 'string' || !isDay(match[1] ?? '')) return notLocal;
  return match[3] === undefined ? `${value}:00` : value;
};

const notInstant = misfit('must be an instant with an offset, such as 2026-11-20T09:30:00Z');
const instantCheck: ValueCheck = (value) => {
  const match = typeof value === 'string' ? instantPattern.exec(value) : null;
  if (match === null || typeof value !== 'string' || !isDay(match[1] ?? '')) return notInstant;
  const instant = new Date(value);
  const year = instant.getUTCFullYear();
  return Number.isNaN(instant.getTime()) || year < 1 || year > 9999 ? notInstant : instant.toISOString();
};

const uuidCheck: ValueCheck = (value) =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    ? value.toLowerCase()
    : misfit('must be a UUID');

const longestJsonBytes = 64 * 1024;
const deepestJson = 32;

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

const jsonCheck: ValueCheck = (value) => {
  if (isDeeperThan(value, deepestJson)) return misfit(`must be nested at most ${deepestJson} levels deep`);
  const text = JSON.stringify(value);
  if (text === undefined) return misfit('must be JSON');
  // Parsed bodies are JSON already.
  return Buffer.byteLength(text, 'utf8') > longestJsonBytes ? misfit('must be at most 64 KB') : (value as JsonValue);
};

/** Returns the check of a column's values, created once per column. */
export function valueCheck(type: ColumnType): ValueCheck {
  switch (type.dataType) {
    case 'varchar':
    case 'text':
      return textCheck(type.length);
    case 'char':
      return charCheck(type.length ?? 1);
    case 'smallint':
      return integerCheck(16n);
    case 'integer':
      return integerCheck(32n);
    case 'bigint':
      return integerCheck(64n);
    case 'decimal':
    case 'numeric':
      return decimalCheck(type);
    case 'real':
      return realCheck(true);
    case 'double':
      return realCheck(false);
    case 'boolean':
      return booleanCheck;
    case 'date':
      return dateCheck;
    case 'time':
      return timeCheck;
    case 'timestamp':
      return timestampCheck;
    case 'timestamptz':
      return instantCheck;
    case 'uuid':
      return uuidCheck;
    case 'jsonb':
      return jsonCheck;
  }
}
