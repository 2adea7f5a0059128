import { anyNumberField, textField, wordField } from '../compile/config-fields.ts';
import type { ConfigReader } from '../compile/config-problems.ts';
import { readPath } from '../compile/paths.ts';
import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Json, JsonObject, SnapshotMetric } from '../plan/snapshot.ts';

/** How a metric's value is compared with a threshold. */
export const metricOperators = ['gt', 'gte', 'lt', 'lte', 'eq'] as const;
export type MetricOperator = (typeof metricOperators)[number];

/** Keys of a policy's or rule's config that compare a behavioral metric (docs/design/api-catalogue.md 8.3, 9). */
export const metricFields = {
  metricId: textField('Metric to compare.'),
  operator: wordField(metricOperators, 'How to compare the metric with the threshold.', 'gte'),
  threshold: anyNumberField('Threshold for the metric. Default 0.'),
};

/** Values count as equal within this. */
const tolerance = 1e-9;

/** Reads the keys. Their problems are those of the reader. */
export function readComparison(reader: ConfigReader) {
  const metricId = reader.text('metricId');
  if (metricId === '') reader.refuse('metricId', 'must not be empty');
  if (metricId === undefined && !reader.problems.some(({ path }) => path === '/metricId')) {
    reader.refuse('metricId', 'is required');
  }
  return {
    metricId: (metricId ?? '').toLowerCase(),
    operator: reader.word('operator', metricOperators) ?? 'gte',
    threshold: reader.number('threshold', metricFields.threshold) ?? 0,
  };
}

/** A comparison bound to a plan. */
export interface MetricComparison {
  /** True when the value depends on the candidate. */
  readonly perCandidate: boolean;
  /** True when it depends on the candidate's creative. */
  readonly needsCreative: boolean;
  /** The customer's value for the candidate's own dimensions; null when missing. A candidate may be null unless `perCandidate`. */
  valueOf(scope: FormulaScope, candidate: Candidate | null): number | null;
  holds(value: number): boolean;
  /** Name of the metric, or its id when it doesn't exist. */
  readonly name: string;
  readonly operator: MetricOperator;
  readonly threshold: number;
  /** Details of a block or a failure. */
  detail(value: number | null): JsonObject;
}

/** Binds a comparison. The plan then reads the customer's metrics. */
export function compileComparison(
  { metricId, operator, threshold }: ReturnType<typeof readComparison>,
  builder: Builder,
): MetricComparison {
  const metric = builder.snapshot.metrics?.find(({ id }) => id === metricId);
  const name = metric?.name ?? metricId;
  const path = ['customer', 'metrics', metric?.key ?? ''];
  if (metric !== undefined) builder.readPaths([path]);
  const groupBy = metric?.groupBy ?? [];
  const valueIfMissing = metric?.zeroIfMissing === true ? 0 : null;
  return {
    perCandidate: groupBy.length > 0,
    needsCreative: groupBy.some((dimension) => dimension === 'channelId' || dimension === 'creativeId'),
    valueOf(scope, candidate) {
      if (metric === undefined) return null;
      const value = readPath(scope, path);
      if (groupBy.length > 0) return groupValue(value, metric, candidate) ?? valueIfMissing;
      return typeof value === 'number' ? value : valueIfMissing;
    },
    holds: (value) => compareMetric(value, operator, threshold),
    name,
    operator,
    threshold,
    detail: (actual) => ({ metricId, metricName: name, operator, threshold, actual }),
  };
}

/** True when the value satisfies the comparison. */
export function compareMetric(value: number, operator: MetricOperator, threshold: number): boolean {
  switch (operator) {
    case 'gt':
      return value > threshold;
    case 'gte':
      return value >= threshold;
    case 'lt':
      return value < threshold;
    case 'lte':
      return value <= threshold;
    case 'eq':
      return Math.abs(value - threshold) <= tolerance;
  }
}

/**
 * The value of the candidate's dimensions, among rows `[dimension, ..., value]`. A candidate has no outcome: for metrics by
 * outcome, counts and sums of all outcomes add up, and other values are missing. Null: no row matches.
 */
function groupValue(
  rows: Json,
  { groupBy, zeroIfMissing }: SnapshotMetric,
  candidate: Candidate | null,
): number | null {
  if (!Array.isArray(rows) || candidate === null) return null;
  const wanted = groupBy.map((dimension) => dimensionOf(candidate, dimension));
  const matching = rows.filter(
    (row): row is readonly Json[] => Array.isArray(row) && wanted.every((id, at) => id === undefined || row[at] === id),
  );
  if (matching.length === 0 || (matching.length > 1 && !zeroIfMissing)) return null;
  return matching.reduce((sum, row) => sum + Number(row[groupBy.length] ?? 0), 0);
}

/** Undefined: candidates don't have it. */
function dimensionOf(
  { offer, creative }: Candidate,
  dimension: SnapshotMetric['groupBy'][number],
): string | null | undefined {
  switch (dimension) {
    case 'offerId':
      return offer.id;
    case 'creativeId':
      return creative?.id ?? null;
    case 'channelId':
      return creative?.row.channelId ?? null;
    case 'outcomeType':
      return undefined;
  }
}
