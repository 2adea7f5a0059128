import type { JoinedFigure, JoinedSource } from '@arbiter/engine';
import type { TableRow } from '../rows/rows-by-key.store.ts';
import type { JsonValue } from '../rows/values.rules.ts';
import { decimalOut } from '../rows/values-out.rules.ts';

/** Newest rows of one key used for aggregates (docs/design/api-settled.md 33). */
export const maxJoinedRows = 10_000;

/** Name of an aggregate in the result of `figuresByKeyStatement`: no column's name has a space. */
export const figureName = (figure: JoinedFigure, column: string | null): string => `${figure} ${column ?? ''}`;

/** Set when there are more rows than the aggregates cover. */
export const truncatedName = ' truncated';

/** Returns the look-up key of a value in a joined schema; null: it can't be a key. */
export const keyOfJoin = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/**
 * Adds a joined schema's values to a customer: the columns of its row, or the aggregates of its rows. Existing names
 * keep their values. Null: it has no row. A count and a sum of nothing are 0; other aggregates of nothing are missing.
 */
export function addJoined(
  values: Record<string, JsonValue>,
  { values: wanted, isMany }: Pick<JoinedSource, 'values' | 'isMany'>,
  found: TableRow | null,
): void {
  for (const { name, figure, column } of wanted) {
    if (Object.hasOwn(values, name)) continue;
    if (found !== null) values[name] = found[isMany ? figureName(figure, column) : (column ?? '')] ?? null;
    else if (figure === 'count' || figure === 'sum') values[name] = 0;
  }
}

/** Further decimal places of a quotient that ends: no divisor up to `joinedRowLimit` needs more (2^13 is 8192). */
const morePlaces = 13;
/** Digits that a number represents exactly. */
const exactDigits = 15;

/**
 * The average of exact decimals, from their sum as PostgreSQL writes it: exact when the quotient has an end, else rounded
 * to 15 digits. Null for no number, as for NaN.
 */
export function averageOut(sum: string, count: number): JsonValue {
  if (!/^-?\d+(\.\d+)?$/.test(sum) || count === 0) return null;
  const [whole = '', fraction = ''] = sum.split('.');
  const scaled = BigInt(whole + fraction) * 10n ** BigInt(morePlaces);
  const divisor = BigInt(count);
  if (scaled % divisor === 0n) return decimalOut(decimalText(scaled / divisor, fraction.length + morePlaces));
  // Enough places for 15 digits of the smallest quotient.
  const places = fraction.length + exactDigits + 5;
  const quotient = (BigInt(whole + fraction) * 10n ** BigInt(exactDigits + 5)) / divisor;
  return Number(Number(decimalText(quotient, places)).toPrecision(exactDigits));
}

/** A whole number as text with this many decimal places. */
function decimalText(value: bigint, places: number): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return value < 0n ? `-${text}` : text;
}

/** Returns an aggregate as decisions get it. Non-finite values are null, like missing ones. */
export const finiteOut = (value: JsonValue): JsonValue =>
  typeof value === 'number' && !Number.isFinite(value) ? null : value;
