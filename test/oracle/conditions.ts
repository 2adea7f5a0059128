import type { Json } from '@arbiter/engine';
import { DateTime } from 'luxon';
import { isRow } from './world.ts';

/** Values by namespace: `customer`, `attributes`, `request`, `offer`, `channel`, `creative`. */
export type Facts = { readonly [namespace: string]: unknown };

/** Returns an own property along a path; null if there is none. */
export function at(facts: Facts, path: string): Json {
  const names = path.split('.');
  const known = ['customer', 'attributes', 'request', 'offer', 'channel', 'creative'].includes(names[0]!);
  let value: unknown = known ? facts : facts.customer;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return (value ?? null) as Json;
}

/** docs/design/api-catalogue.md 1.3: a group, a bare list or a leaf. */
export function holds(condition: Json, facts: Facts, now: number): boolean {
  if (Array.isArray(condition)) return condition.every((each) => holds(each, facts, now));
  if (!isRow(condition)) throw new Error('no condition');
  if (Array.isArray(condition.all)) return condition.all.every((each) => holds(each, facts, now));
  if (Array.isArray(condition.any)) return condition.any.some((each) => holds(each, facts, now));
  return compares(at(facts, String(condition.field)), String(condition.operator), condition.value ?? null, now);
}

/** A value against an operator and its operand; the words of the pages. */
export function compares(value: Json, operator: string, operand: Json, now: number): boolean {
  if (operator === 'not_exists' || operator === 'is_null') return value === null;
  if (value === null) return false;
  switch (operator) {
    case 'exists':
    case 'is_not_null':
      return true;
    case 'eq':
      return order(value, operand) === 0;
    case 'neq':
      return order(value, operand) !== 0;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(operator, order(value, operand), value);
    case 'between': {
      const [lower, upper] = operand as readonly Json[];
      return compares(value, 'gte', lower ?? null, now) && compares(value, 'lte', upper ?? null, now);
    }
    case 'in':
      return (operand as readonly Json[]).some((member) => order(value, member) === 0);
    case 'contains':
    case 'not_contains': {
      const found = Array.isArray(value)
        ? value.some((member) => order(member, operand) === 0)
        : typeof value === 'string' && typeof operand === 'string' && value.includes(operand);
      return found === (operator === 'contains');
    }
    case 'starts_with':
      return typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
    case 'regex':
      return typeof value === 'string' && new RegExp(String(operand), 'u').test(value);
    case 'within_last_days': {
      const then = instant(value);
      return then !== null && then <= now && now - then <= Number(operand) * 86_400_000;
    }
    default:
      throw new Error(`no operator ${operator}`);
  }
}

function isOrdered(operator: string, sign: number | null, value: Json): boolean {
  if (sign === null || typeof value === 'boolean') return false;
  return { gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[operator] ?? false;
}

/** Negative, 0 or positive; null: they do not compare. */
function order(a: Json, b: Json): number | null {
  const [x, y] = [number(a, b), number(b, a)];
  if (x !== null && y !== null) return x - y;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b ? 0 : 1;
  if (typeof a !== 'string' || typeof b !== 'string') return null;
  const [s, t] = [instant(a), instant(b)];
  if (s !== null && t !== null) return s - t;
  const [p, q] = [[...a], [...b]];
  for (let i = 0; i < Math.min(p.length, q.length); i++) {
    const difference = p[i]!.codePointAt(0)! - q[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return p.length - q.length;
}

/** A number, or numeric text if the other side is a number. */
function number(value: Json, other: Json): number | null {
  if (typeof value === 'number') return value;
  const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return isNumeric && typeof other === 'number' ? Number(value) : null;
}

/** Epoch ms of an ISO date or instant with its zone; null for anything else. */
export function instant(value: Json): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(T.*(Z|[+-]\d{2}:\d{2}))?$/.test(value)) return null;
  const read = DateTime.fromISO(value, { zone: 'UTC' });
  return read.isValid ? read.toMillis() : null;
}
