import type { ErrorEntry } from '@arbiter/contract';
import { type Condition, listWords, parseCondition } from '@arbiter/engine';
import { invalid, refuseProblems } from '../../../platform/app-error.ts';
import { misfit } from '../../catalogue/condition-sql/index.ts';
import { isMetricColumn, metricColumnNames, metricColumns } from './columns.rules.ts';
import type { MetricDefinition } from './compute-sql.store.ts';
import type { MetricRow } from './metrics.store.ts';
import { readSqlFilter, SqlFilterProblem } from './sql-filter.store.ts';

/** Returns the stored form of filter conditions; null if every event matches. Throws 400 outside the grammar. */
export function storedCondition(conditions: unknown): Condition | null {
  const parsed = parseCondition(conditions, {
    checkField: (field) => (isMetricColumn(field) ? null : `must be one of ${listWords(metricColumnNames)}`),
    checkLeaf: (leaf) => (isMetricColumn(leaf.field) ? misfit(metricColumns[leaf.field], leaf) : null),
  });
  if (!parsed.ok) {
    const problems: ErrorEntry[] = parsed.problems.map(({ path, message }) => ({
      path: `/filterConditions${path}`,
      message,
    }));
    refuseProblems(problems);
    return null;
  }
  const { stored } = parsed;
  return 'conditions' in stored && stored.conditions.length === 0 ? null : stored;
}

/** Throws 400 with the place in the text for a filter outside the grammar. */
export async function assertSqlFilter(text: string | null): Promise<void> {
  if (text === null) return;
  try {
    await readSqlFilter(text);
  } catch (error) {
    if (error instanceof SqlFilterProblem) throw invalid('/sqlFilter', error.message);
    throw error;
  }
}

/** What a stored metric computes. */
export async function definitionOf(
  row: Pick<
    MetricRow,
    'aggregateFunction' | 'sourceField' | 'windowDays' | 'groupByDimensions' | 'filterConditions' | 'sqlFilter'
  >,
): Promise<MetricDefinition> {
  return {
    aggregateFunction: row.aggregateFunction,
    sourceField: row.sourceField,
    windowDays: row.windowDays,
    groupByDimensions: [...row.groupByDimensions],
    condition: row.filterConditions === null ? null : storedCondition(row.filterConditions),
    filter: row.sqlFilter === null ? null : await readSqlFilter(row.sqlFilter),
  };
}
