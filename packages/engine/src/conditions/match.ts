import { parseInstant } from '../arithmetic/calendar.ts';
import { containsText } from '../arithmetic/contains-text.ts';
import { parseDecimal } from '../arithmetic/decimal-text.ts';
import { compareText } from '../arithmetic/order.ts';
import type { Operator } from '../plan/condition.ts';
import { compileRegex } from '../regex/compile-regex.ts';

/** Asks one operator of an actual value. `now`: epoch ms, for the operators that count days. Never throws. */
export type Matcher = (actual: unknown, now: number) => boolean;

const DAY_MS = 86_400_000;

/**
 * The operator against a wanted value known beforehand (docs/design/api-catalogue.md 1.3). A missing value (absent, null, a number
 * that is not finite) satisfies only `not_exists`; unlike types are unequal and have no order.
 */
export function matcherOf(operator: Operator, wanted: unknown): Matcher {
  if (operator === 'exists') return (actual) => !isMissing(actual);
  if (operator === 'not_exists') return isMissing;
  const match = presentMatcher(operator, wanted);
  return (actual, now) => !isMissing(actual) && match(actual, now);
}

/**
 * Like `matcherOf`, for a wanted value known only now. A missing wanted value satisfies only the two existence
 * operators.
 */
export function testOperator(operator: Operator, actual: unknown, wanted: unknown, now: number): boolean {
  if (operator !== 'exists' && operator !== 'not_exists' && isMissing(wanted)) return false;
  return matcherOf(operator, wanted)(actual, now);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value));
}

function presentMatcher(operator: Exclude<Operator, 'exists' | 'not_exists'>, wanted: unknown): Matcher {
  switch (operator) {
    case 'eq':
      return equalTo(wanted);
    case 'neq':
      return not(equalTo(wanted));
    case 'gt':
      return ordered(wanted, (order) => order > 0);
    case 'gte':
      return ordered(wanted, (order) => order >= 0);
    case 'lt':
      return ordered(wanted, (order) => order < 0);
    case 'lte':
      return ordered(wanted, (order) => order <= 0);
    case 'between': {
      const [lower, upper] = listOf(wanted);
      return both(
        ordered(lower, (order) => order >= 0),
        ordered(upper, (order) => order <= 0),
      );
    }
    case 'in':
      return memberOf(listOf(wanted));
    case 'not_in':
      return not(memberOf(listOf(wanted)));
    case 'contains':
      return containing(wanted);
    case 'not_contains':
      return not(containing(wanted));
    case 'starts_with':
      return (actual) => typeof actual === 'string' && typeof wanted === 'string' && actual.startsWith(wanted);
    case 'within_last_days':
      return daysBack(wanted, (age, days) => age >= 0 && age <= days);
    case 'not_within_last_days':
      return daysBack(wanted, (age, days) => age > days);
    case 'regex':
      return matchingRegex(wanted);
  }
}

function not(match: Matcher): Matcher {
  return (actual, now) => !match(actual, now);
}

function both(first: Matcher, second: Matcher): Matcher {
  return (actual, now) => first(actual, now) && second(actual, now);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A wanted scalar with the readings that comparing may ask for. */
interface WantedValue {
  readonly value: unknown;
  /** The number, or the number in a text. */
  readonly number: number | null;
  /** Epoch ms of an ISO date or instant. */
  readonly instant: number | null;
}

function readingsOf(value: unknown): WantedValue {
  if (typeof value === 'number') return { value, number: Number.isFinite(value) ? value : null, instant: null };
  if (typeof value === 'string') return { value, number: parseDecimal(value), instant: parseInstant(value) };
  return { value, number: null, instant: null };
}

/** Below, at or above 0 as actual is below, equal to or above the wanted value; NaN for unlike types. */
function orderOf(actual: unknown, wanted: WantedValue): number {
  if (typeof actual === 'number') return wanted.number === null ? Number.NaN : actual - wanted.number;
  if (typeof actual !== 'string') return Number.NaN;
  if (typeof wanted.value === 'number') return (parseDecimal(actual) ?? Number.NaN) - wanted.value;
  if (typeof wanted.value !== 'string') return Number.NaN;
  if (wanted.instant !== null) {
    const instant = parseInstant(actual);
    if (instant !== null) return instant - wanted.instant;
  }
  return compareText(actual, wanted.value);
}

function ordered(value: unknown, holds: (order: number) => boolean): Matcher {
  const wanted = readingsOf(value);
  return (actual) => {
    const order = orderOf(actual, wanted);
    return !Number.isNaN(order) && holds(order);
  };
}

function equalTo(value: unknown): Matcher {
  const wanted = readingsOf(value);
  if (typeof value === 'boolean') return (actual) => actual === value;
  return (actual) => actual === value || orderOf(actual, wanted) === 0;
}

/** Membership by the rule of `eq`, by sets instead of one comparison per member. */
function memberOf(list: readonly unknown[]): Matcher {
  const members = list.map(readingsOf);
  const exact = new Set(members.map(({ value }) => value));
  const numbers = new Set(members.map(({ number }) => number).filter((number) => number !== null));
  const ownNumbers = new Set(members.map(({ value }) => value).filter((value) => typeof value === 'number'));
  const instants = new Set(members.map(({ instant }) => instant).filter((instant) => instant !== null));
  return (actual) => {
    if (exact.has(actual)) return true;
    if (typeof actual === 'number') return numbers.has(actual);
    if (typeof actual !== 'string') return false;
    if (ownNumbers.size > 0) {
      const number = parseDecimal(actual);
      if (number !== null && ownNumbers.has(number)) return true;
    }
    if (instants.size === 0) return false;
    const instant = parseInstant(actual);
    return instant !== null && instants.has(instant);
  };
}

/** A text that has the substring, or a list that has the element. */
function containing(wanted: unknown): Matcher {
  const isElement = equalTo(wanted);
  return (actual, now) => {
    if (Array.isArray(actual)) return actual.some((element) => !isMissing(element) && isElement(element, now));
    return typeof actual === 'string' && typeof wanted === 'string' && containsText(actual, wanted);
  };
}

/** `holds` compares the age in ms with the wanted number of days in ms. */
function daysBack(wanted: unknown, holds: (age: number, days: number) => boolean): Matcher {
  if (typeof wanted !== 'number') return () => false;
  const days = wanted * DAY_MS;
  return (actual, now) => {
    const instant = typeof actual === 'string' ? parseInstant(actual) : null;
    return instant !== null && holds(now - instant, days);
  };
}

/** A pattern that does not compile matches nothing; it is refused on write. */
function matchingRegex(wanted: unknown): Matcher {
  const compiled = typeof wanted === 'string' ? compileRegex(wanted) : null;
  if (compiled === null || !compiled.ok) return () => false;
  const { test } = compiled.regex;
  return (actual) => typeof actual === 'string' && test(actual);
}
