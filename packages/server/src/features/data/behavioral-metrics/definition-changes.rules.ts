import type { MetricRow } from './metrics.store.ts';

/** What determines a metric's values. */
export const definingFields = [
  'aggregateFunction',
  'sourceField',
  'windowDays',
  'groupByDimensions',
  'filterConditions',
  'sqlFilter',
  'computeMode',
] as const;

/** True if the changes lead to other values. */
export const changesDefinition = (before: MetricRow, after: Partial<MetricRow>): boolean =>
  definingFields.some(
    (name) => after[name] !== undefined && JSON.stringify(after[name]) !== JSON.stringify(before[name]),
  );
