import { isIsoDate, isoInstant, parseInstant } from '../arithmetic/calendar.ts';
import { parseDecimal } from '../arithmetic/decimal-text.ts';
import { readPath } from '../compile/paths.ts';
import type { CompiledCondition } from '../plan/condition.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Wish } from '../plan/probe.ts';
import type { Json } from '../plan/snapshot.ts';

/** A change to what's known of the customer or sent with the request. */
export interface Edit {
  /** `customer.<column>`, `attributes.<name>` or `segments` (docs/design/api-settled.md 109). */
  readonly path: string;
  /** Null: the value is missing, or a membership is added. */
  readonly from: Json;
  readonly to: Json;
  /** True: any value would do as well. */
  readonly any?: true;
}

/** `free`: no column, any JSON. */
export type ValueKind = 'integer' | 'number' | 'text' | 'boolean' | 'date' | 'instant' | 'free';

/** What a column can hold. */
export interface Holds {
  readonly kind: ValueKind;
  /** Largest number, without sign. */
  readonly most?: number;
  /** Decimals of a number. */
  readonly scale?: number;
  /** Maximum text length, in code points. */
  readonly length?: number;
}

export const anything: Holds = { kind: 'free' };

const dayMs = 86_400_000;

/** Returns what a failed condition needs of the customer and the request: one wish per failed test. */
export function wishesOf(condition: CompiledCondition, scope: FormulaScope): readonly Wish[] {
  return condition.tests
    .filter(({ path, holds }) => isEditable(path) && !holds(scope))
    .map(({ path, operator, value }) => ({ path, operator, wanted: value, actual: readPath(scope, path) }));
}

/** A wish for membership in each of these segments. */
export function wishesForSegments(segments: readonly string[]): readonly Wish[] {
  return segments.map((wanted) => ({ path: ['segments'], operator: 'eq', wanted, actual: null }));
}

export function isEditable([namespace, ...below]: readonly string[]): boolean {
  return (namespace === 'customer' && below.length === 1) || (namespace === 'attributes' && below.length === 1);
}

/**
 * Returns the values of docs/design/api-decisioning.md 12 and docs/design/api-settled.md 87 and 116 for a wish. Empty
 * for an operator that excludes values, and for what the place can't hold.
 */
export function valuesFor(
  { operator, wanted, actual }: Wish,
  holds: Holds,
  now: number,
  today: string,
): readonly Json[] {
  return wished(operator, wanted, holds.kind, actual, now, today)
    .map((value) => fit(value, holds))
    .filter((value) => value !== null);
}

function wished(
  operator: Wish['operator'],
  wanted: Json,
  kind: ValueKind,
  actual: Json,
  now: number,
  today: string,
): readonly Json[] {
  switch (operator) {
    case 'eq':
      return [wanted];
    case 'in':
      return Array.isArray(wanted) ? wanted : [];
    case 'gte':
    case 'lte':
      return [bound(wanted, kind, operator === 'gte' ? 'up' : 'down')];
    case 'gt':
      return [beyond(wanted, kind, 1)];
    case 'lt':
      return [beyond(wanted, kind, -1)];
    case 'between': {
      const [lower = null, upper = null] = Array.isArray(wanted) ? wanted : [];
      const isAbove = typeof actual === 'number' && typeof upper === 'number' && actual > upper;
      return [isAbove ? bound(upper, kind, 'down') : bound(lower, kind, 'up')];
    }
    case 'contains':
      return [appended(actual, wanted)];
    case 'starts_with':
      return [wanted];
    case 'within_last_days':
      return typeof wanted === 'number' ? [daysBefore(wanted, kind, now, null)] : [];
    case 'days':
      return typeof wanted === 'number' ? [daysBefore(wanted, kind, now, today)] : [];
    case 'exists':
      return [anyValue(kind, now, today)];
    default:
      return [];
  }
}

/** The value as its place would hold it; null when it cannot. */
function fit(value: Json, { kind, most, scale, length }: Holds): Json {
  if (value === null || kind === 'free') return value;
  switch (kind) {
    case 'integer':
    case 'number': {
      const number = numberOf(value);
      if (number === null || Math.abs(number) > (most ?? Number.MAX_SAFE_INTEGER)) return null;
      if (kind === 'integer') return Number.isSafeInteger(number) ? number : null;
      return scale !== undefined && decimalOf(number).decimals > scale ? null : number;
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'text': {
      const text = typeof value === 'number' ? String(value) : value;
      return typeof text === 'string' && [...text].length <= (length ?? Number.MAX_SAFE_INTEGER) ? text : null;
    }
    case 'date':
      return typeof value === 'string' && isIsoDate(value) ? value : null;
    case 'instant':
      return typeof value === 'string' && parseInstant(value) !== null ? value : null;
  }
}

function bound(wanted: Json, kind: ValueKind, to: 'up' | 'down'): Json {
  const number = kind === 'integer' || kind === 'number' ? numberOf(wanted) : null;
  if (number === null) return wanted;
  return kind === 'integer' ? (to === 'up' ? Math.ceil(number) : Math.floor(number)) : number;
}

/** Returns one step beyond a bound: 1 for integers, otherwise the bound's last decimal; a day or a second for times. */
function beyond(wanted: Json, kind: ValueKind, sign: 1 | -1): Json {
  const number = typeof wanted === 'number' || kind === 'integer' || kind === 'number' ? numberOf(wanted) : null;
  if (number !== null) {
    if (kind === 'integer') return sign > 0 ? Math.floor(number) + 1 : Math.ceil(number) - 1;
    const { digits, scale } = decimalOf(number);
    return Number((digits + sign) / scale);
  }
  if (typeof wanted !== 'string') return null;
  const at = parseInstant(wanted);
  if (at === null) return null;
  return isIsoDate(wanted) ? dateText(at + sign * dayMs) : isoInstant(at + sign * 1000);
}

function numberOf(value: Json): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseDecimal(value) : null;
}

/** A number as an integer of its last decimal: 2.5 is 25 of 10. */
function decimalOf(number: number): { readonly digits: number; readonly scale: number; readonly decimals: number } {
  let scale = 1;
  let decimals = 0;
  while (decimals < 15 && Math.abs(Math.round(number * scale) / scale - number) > Number.EPSILON * Math.abs(number)) {
    scale *= 10;
    decimals += 1;
  }
  return { digits: Math.round(number * scale), scale, decimals };
}

function appended(actual: Json, wanted: Json): Json {
  if (Array.isArray(actual)) return [...actual, wanted];
  if (typeof wanted !== 'string') return null;
  return typeof actual === 'string' ? actual + wanted : wanted;
}

/** `today` null: whole 24 hours back, for a date the next day within; otherwise calendar days of the tenant. */
function daysBefore(days: number, kind: ValueKind, now: number, today: string | null): Json {
  if (kind === 'date') {
    const until = today === null ? null : parseInstant(today);
    if (until !== null) return dateText(Math.ceil(until - days * dayMs));
    return dateText(Math.ceil((now - days * dayMs) / dayMs) * dayMs);
  }
  return isoInstant(Math.ceil(now - days * dayMs));
}

function anyValue(kind: ValueKind, now: number, today: string): Json {
  if (kind === 'integer' || kind === 'number') return 0;
  if (kind === 'boolean') return true;
  if (kind === 'date') return today;
  return kind === 'instant' ? isoInstant(now) : 'x';
}

const dateText = (at: number): string => isoInstant(at).slice(0, 10);
