import type { DataType } from '@arbiter/contract';
import type { JsonValue } from './values.rules.ts';

/**
 * How to select a column, and how its raw value appears in an answer (table 2.1 of docs/design/api-catalogue.md, "value
 * out").
 */
export interface OutForm {
  /** SQL expression over the quoted column. */
  readonly select: (column: string) => string;
  readonly convert: (raw: unknown) => JsonValue;
}

/** The driver returns text, numbers, booleans and parsed JSON, never a Date. */
const asIs = (raw: unknown): JsonValue => (raw === undefined ? null : (raw as JsonValue));

const plain: OutForm = { select: (column) => column, convert: asIs };
const asText = (expression: (column: string) => string): OutForm => ({ select: expression, convert: asIs });

/** A number up to 15 significant digits, else the text. Zeros at either end do not count. */
export function decimalOut(raw: unknown): JsonValue {
  if (typeof raw !== 'string') return asIs(raw);
  const trimmed = raw.includes('.') ? raw.replace(/\.?0+$/, '') : raw;
  const significant = trimmed.replace(/^-?0*\.?0*/, '').replace('.', '').length;
  if (significant > 15) return trimmed;
  const number = Number(trimmed);
  return number === 0 ? 0 : number;
}

/** A number within +-2^53, else the text. */
export function bigintOut(raw: unknown): JsonValue {
  if (typeof raw !== 'string') return asIs(raw);
  const number = Number(raw);
  return Number.isSafeInteger(number) ? number : raw;
}

/** Shows a second's fraction with no digits when it's zero, three when they're exact, otherwise six. */
const localOut = (raw: unknown): JsonValue =>
  typeof raw === 'string' ? raw.replace(/\.000000$/, '').replace(/(\.\d{3})000$/, '$1') : asIs(raw);

const forms: Readonly<Record<DataType, OutForm>> = {
  varchar: plain,
  text: plain,
  // The cast to text drops the padding.
  char: asText((column) => `${column}::text`),
  smallint: plain,
  integer: plain,
  bigint: { select: (column) => `${column}::text`, convert: bigintOut },
  decimal: { select: (column) => `${column}::text`, convert: decimalOut },
  numeric: { select: (column) => `${column}::text`, convert: decimalOut },
  real: plain,
  double: plain,
  boolean: plain,
  date: asText((column) => `to_char(${column}, 'YYYY-MM-DD')`),
  time: asText((column) => `to_char(${column}, 'HH24:MI:SS')`),
  timestamp: { select: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`, convert: localOut },
  timestamptz: asText((column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  uuid: asText((column) => `${column}::text`),
  jsonb: plain,
};

export const outForm = (dataType: DataType): OutForm => forms[dataType];

/** The text under which a row's key is compared with a customer id (docs/design/api-catalogue.md 2.2 no. 4). */
export function keyText(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
