import { compareText, type Json, parseDecimal, parseInstant } from '@arbiter/engine';
import type { Leaf } from './formula.ts';

/** What a variable may hold. `any`: nothing is known about it. `none`: nothing provides it, so it is always missing. */
export type ValueType = 'any' | 'number' | 'integer' | 'boolean' | 'date' | 'instant' | 'text' | 'none';

/**
 * A part of a variable's values that all its comparisons judge alike, with one of them. `isOpen`: its texts contain
 * others, so substring comparisons may or may not hold. `isLoose`: order may differ too.
 */
export interface Cell {
  readonly value: Json;
  readonly isOpen: boolean;
  readonly isLoose: boolean;
}

const exact = (value: Json): Cell => ({ value, isOpen: false, isLoose: false });

/** Comparisons by parts of a text or a list: decided for known values only. */
export const byParts: ReadonlySet<string> = new Set(['contains', 'not_contains', 'starts_with', 'regex']);
export const byOrder: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte', 'between']);

const dayMs = 86_400_000;

/**
 * Splits the values of a variable at the values that its comparisons name. Between two of them, every value is judged
 * alike, so one of each part stands for all (docs/design/lead.md 5).
 */
export function cellsOf(leaves: readonly Leaf[], type: ValueType): readonly Cell[] {
  if (type === 'none') return [];
  const named = leaves.flatMap(({ comparison }) => {
    const value = comparison?.value;
    if (value === undefined || (comparison !== null && byParts.has(comparison.operator))) return [];
    return Array.isArray(value) ? [...value] : [value];
  });
  const texts = [...new Set(named.filter((value): value is string => typeof value === 'string'))].sort(compareText);
  const ownNumbers = named.filter((value): value is number => typeof value === 'number');
  const numbers = [...new Set([...ownNumbers, ...texts.flatMap((text) => parseDecimal(text) ?? [])])].sort(
    (a, b) => a - b,
  );
  const cells: Cell[] = [];
  if (type === 'any' || type === 'number' || type === 'integer') {
    cells.push(...numberPoints(numbers, type === 'integer').map(exact));
  }
  if (type === 'any' || type === 'boolean') cells.push(exact(true), exact(false));
  if (type === 'date' || type === 'instant') cells.push(...timeCells(texts, type), ...(areTimes(texts) ? [] : [loose]));
  if (type === 'any' || type === 'text') cells.push(...textCells(texts, ownNumbers));
  if (type === 'any') cells.push({ value: [], isOpen: true, isLoose: false }, exact({}));
  return cells;
}

function numberPoints(numbers: readonly number[], isWhole: boolean): number[] {
  const points: number[] = [];
  for (const [at, number] of numbers.entries()) {
    const step = Math.max(1, Math.abs(number));
    const next = numbers[at + 1];
    if (isWhole) points.push(Math.floor(number) - 1, Math.floor(number), Math.ceil(number), Math.ceil(number) + 1);
    else {
      if (at === 0) points.push(number - step);
      points.push(number, next === undefined ? number + step : number + (next - number) / 2);
    }
  }
  return points.length === 0 ? [0] : [...new Set(points)];
}

function textCells(texts: readonly string[], numbers: readonly number[]): Cell[] {
  // Other spellings of a time equal it, and contain other parts.
  const known = texts.map(
    (value): Cell => ({ value, isOpen: isTime(value), isLoose: isTime(value) && !areTimes(texts) }),
  );
  if (numbers.length > 0 && texts.length > 0) return [...known, loose];
  if (numbers.length > 0) {
    const points = numberPoints(
      [...numbers].sort((a, b) => a - b),
      false,
    );
    return [...points.map((point) => open(String(point))), open('text')];
  }
  if (texts.some(isTime)) return [...known, ...timeCells(texts, 'instant'), loose];
  return [...known, ...between(texts).map(open)];
}

const open = (value: Json): Cell => ({ value, isOpen: true, isLoose: false });
const loose: Cell = { value: 'text', isOpen: true, isLoose: true };

/** One text below the first, between each two and above the last. */
function between(texts: readonly string[]): string[] {
  const [first] = texts;
  const found = first === '' ? [] : [''];
  for (const [at, text] of texts.entries()) {
    const next = texts[at + 1];
    const readable = `${text}-other`;
    found.push(next === undefined || compareText(readable, next) < 0 ? readable : `${text}\u0000`);
  }
  return found;
}

const isTime = (text: string): boolean => parseInstant(text) !== null;
const areTimes = (texts: readonly string[]): boolean => texts.every(isTime);

function timeCells(texts: readonly string[], type: 'date' | 'instant'): Cell[] {
  const times = [...new Set(texts.flatMap((text) => parseInstant(text) ?? []))].sort((a, b) => a - b);
  const step = type === 'date' ? dayMs : 1;
  const whole = (at: number): number => Math.floor(at / step) * step;
  const points = times.flatMap((time, at) => {
    const next = times[at + 1];
    const inside = next === undefined ? time + dayMs : time + (next - time) / 2;
    return [whole(time) - step, whole(time), whole(time) + step, whole(inside)];
  });
  const spread = points.length === 0 ? [Date.UTC(2026, 0, 1)] : [points[0]! - 365 * dayMs, ...points];
  const written = spread.flatMap((at) => {
    const date = new Date(at);
    if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) return [];
    return [type === 'date' ? date.toISOString().slice(0, 10) : date.toISOString()];
  });
  // Texts that aren't times are compared with the spelling of a time.
  return [...new Set(written)].map((value) => ({ value, isOpen: true, isLoose: !areTimes(texts) }));
}

/** Ages in days on both sides of each number of days that a comparison names; null is a value that's no date. */
export function agePoints(leaves: readonly Leaf[], type: ValueType): readonly (number | null)[] {
  const bounds = leaves.flatMap(({ facet, comparison, days }) => {
    if (facet !== 'age' && facet !== 'days') return [];
    if (days !== null) return [days.minimum, days.maximum].filter(Number.isFinite);
    return typeof comparison?.value === 'number' ? [comparison.value] : [];
  });
  const near = bounds.flatMap((bound) => [
    Math.floor(bound) - 1,
    Math.floor(bound),
    bound,
    bound + 0.5,
    Math.ceil(bound),
    Math.ceil(bound) + 1,
  ]);
  const points = [...new Set([-1, 0, 0.5, ...near])].sort((a, b) => a - b);
  if (type === 'none') return [];
  return type === 'date' || type === 'instant' ? points : [...points, null];
}
