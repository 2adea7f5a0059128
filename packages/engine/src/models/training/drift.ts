import { ln } from '../../arithmetic/ln.ts';
import { isObject } from '../../json-object.ts';
import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { chiSquareP } from '../../statistics/chi-square.ts';
import { type Bins, binCount, binOf, numbers, own } from '../bins.ts';
import type { PredictorValue } from '../predictor-values.ts';
import { columnsOf } from './columns.ts';
import { quantileEdges } from './quantile-edges.ts';
import type { TrainingRows } from './training-rows.ts';

const bins = 10;
/** The most frequent categories; the others share a bin. */
const maxOwnBins = 50;
/** Added to each count, so that an empty bin has a finite logarithm. */
const smoothing = 0.5;

/** How a predictor's values differ between a model's training and today. */
export interface PredictorDrift {
  readonly predictor: string;
  /** Population stability index: 0 for equal shares; above 0.25 is a large shift. */
  readonly psi: number;
  /** Pearson's chi-square of both samples over the same bins, and the chance of such a difference without drift. */
  readonly chiSquare: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
  readonly trainingRows: number;
  readonly recentRows: number;
}

/**
 * Returns how often each predictor's values occur in these rows, by bins: counts alone, no values of a row but the
 * categories. Missing values, and categories beyond the most frequent, have bins of their own.
 */
export function distributionOf(set: TrainingRows): JsonObject {
  return Object.fromEntries(
    columnsOf(set).map(({ name, isNumeric, values }) => {
      const own: Bins = isNumeric
        ? {
            kind: 'edges',
            edges: quantileEdges(
              values.filter((value) => typeof value === 'number'),
              bins,
            ),
          }
        : { kind: 'categories', categories: commonest(values) };
      const shape = own.kind === 'edges' ? { edges: own.edges } : { categories: own.categories };
      return [name, { ...shape, counts: countsOf(own, values) }] as const;
    }),
  );
}

function commonest(values: readonly PredictorValue[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  const byCount = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return byCount.slice(0, maxOwnBins).map(([value]) => value);
}

/** Per bin, then other values, then missing ones. */
function countsOf(shape: Bins, values: Iterable<PredictorValue>): number[] {
  const size = binCount(shape);
  const counts = new Array<number>(size + 2).fill(0);
  const places = shape.kind === 'categories' ? new Map(shape.categories.map((value, at) => [value, at])) : null;
  for (const value of values) {
    const bin = places === null ? binOf(shape, value) : (places.get(String(value)) ?? -1);
    const place = value === null ? size + 1 : bin >= 0 ? bin : size;
    counts[place]! += 1;
  }
  return counts;
}

/** Rows to compare with a training. Undefined: a value that wasn't recorded, which says nothing. */
export interface ComparedRows extends Pick<TrainingRows, 'features'> {
  readonly rows: readonly { readonly values: readonly (Json | undefined)[] }[];
}

/**
 * Compares rows with the distribution of a training. Predictors that the training doesn't know, or that no row recorded, are
 * left out.
 */
export function driftOf(distribution: JsonObject, set: ComparedRows): PredictorDrift[] {
  return set.features.flatMap((predictor, at): PredictorDrift[] => {
    const known = own(distribution, predictor);
    const shape = shapeOf(known);
    const before = numbers(own(known, 'counts'));
    if (shape === null || before === null) return [];
    const isNumeric = shape.kind === 'edges';
    const recorded = set.rows.filter(({ values: row }) => row[at] !== undefined);
    if (recorded.length === 0) return [];
    const values = recorded.map(({ values: row }) => valueIn(row[at], isNumeric));
    return [{ predictor, ...compare(before, countsOf(shape, values)) }];
  });
}

function valueIn(value: Json | undefined, isNumeric: boolean): PredictorValue {
  if (typeof value === 'boolean') return isNumeric ? Number(value) : String(value);
  if (typeof value === 'number') return isNumeric ? value : String(value);
  return typeof value === 'string' ? value : null;
}

function shapeOf(known: Json | undefined): Bins | null {
  if (!isObject(known)) return null;
  const edges = numbers(own(known, 'edges'));
  if (edges !== null) return { kind: 'edges', edges };
  const categories = own(known, 'categories');
  return Array.isArray(categories) ? { kind: 'categories', categories: categories.map(String) } : null;
}

function compare(before: readonly number[], after: readonly number[]): Omit<PredictorDrift, 'predictor'> {
  const used = before.map((count, at) => [count, after[at] ?? 0] as const).filter(([a, b]) => a + b > 0);
  const total = (list: readonly number[]): number => list.reduce((sum, count) => sum + count, 0);
  const [trainingRows, recentRows] = [total(before), total(after)];
  let psi = 0;
  let chiSquare = 0;
  for (const [a, b] of used) {
    const p = (a + smoothing) / (trainingRows + smoothing * used.length);
    const q = (b + smoothing) / (recentRows + smoothing * used.length);
    psi += (q - p) * ln(q / p);
    const share = (a + b) / (trainingRows + recentRows);
    for (const [seen, expected] of [
      [a, share * trainingRows],
      [b, share * recentRows],
    ] as const) {
      if (expected > 0) chiSquare += ((seen - expected) * (seen - expected)) / expected;
    }
  }
  const degreesOfFreedom = Math.max(0, used.length - 1);
  return {
    psi,
    chiSquare,
    degreesOfFreedom,
    pValue: degreesOfFreedom === 0 ? 1 : chiSquareP(chiSquare, degreesOfFreedom),
    trainingRows,
    recentRows,
  };
}
