import type { ErrorEntry } from '@arbiter/contract';
import { type Condition, didYouMean, listWords, parseCondition } from '@arbiter/engine';
import type { FieldMetric, FieldMetrics } from '../../data/behavioral-metrics/index.ts';
import { misfit } from '../condition-sql/index.ts';
import { type ConditionColumn, type ConditionSchema, columnOf } from './condition-schemas.ts';
import { type ConditionJoin, noColumn } from './joins.rules.ts';

/** A field of a filter: a column of the base (`join` null) or of joined rows, or a metric of the customer. */
export interface ConditionField {
  readonly column: ConditionColumn;
  readonly join: ConditionJoin | null;
  readonly metric: FieldMetric | null;
}

/** Where the fields of a segment's filters are. */
export interface FieldSources {
  readonly base: ConditionSchema;
  readonly joins: readonly ConditionJoin[];
  readonly metrics: FieldMetrics;
}

const metricPrefix = 'metric.';

/** True if a condition names a metric, or something that looks like one. */
export const namesMetric = (condition: unknown): boolean =>
  JSON.stringify(condition ?? null).includes(`"${metricPrefix}`);

/** Returns a filter's name of a metric. */
export const metricField = (key: string): string => `${metricPrefix}${key}`;

/** `customer.age` is `age`, as in every other condition (docs/design/api-catalogue.md 1.3). */
const baseAlias = 'customer';

/** Returns where a field is, or its problem. Column names match exactly, including case. */
export function fieldOf(sources: FieldSources, field: string): ConditionField | string {
  const { base, joins } = sources;
  const dot = field.indexOf('.');
  if (dot === -1) return fieldOfBase(base, field);
  const [alias, name] = [field.slice(0, dot), field.slice(dot + 1)];
  const join = joins.find((each) => each.alias === alias);
  if (join === undefined) {
    if (alias === baseAlias) return fieldOfBase(base, name);
    if (field.startsWith(metricPrefix)) return fieldOfMetric(sources, name);
    const known = joins.map((each) => each.alias);
    return known.length === 0
      ? 'refers to a join, but there are no joins'
      : `must start with one of ${listWords(known)}`;
  }
  const column = columnOf(join.schema, name);
  return column === null ? noColumn(join.schema, name) : { column, join, metric: null };
}

function fieldOfBase(base: ConditionSchema, name: string): ConditionField | string {
  const column = columnOf(base, name);
  return column === null ? noColumn(base, name) : { column, join: null, metric: null };
}

function fieldOfMetric({ metrics }: FieldSources, key: string): ConditionField | string {
  const metric = metrics.get(key);
  if (metric === undefined) return `must name an existing behavioral metric${didYouMean(key, [...metrics.keys()])}`;
  return { column: { name: key, dataType: 'numeric', precision: null }, join: null, metric };
}

/** The filters in stored form, or everything that is wrong with them (docs/design/api-catalogue.md 1.3, 11). */
export function readFilters(
  filters: unknown,
  sources: FieldSources,
): { readonly stored: Condition } | { readonly problems: readonly ErrorEntry[] } {
  const parsed = parseCondition(filters, {
    checkField(field) {
      const found = fieldOf(sources, field);
      if (typeof found === 'string') return found;
      return found.metric?.isGrouped === true ? 'must name a behavioral metric without groupByDimensions' : null;
    },
    checkLeaf(leaf) {
      const found = fieldOf(sources, leaf.field);
      return typeof found === 'string' ? null : misfit(found.column.dataType, leaf);
    },
  });
  if (parsed.ok) return { stored: parsed.stored };
  return { problems: parsed.problems.map(({ path, message }) => ({ path: `/filters${path}`, message })) };
}

/** Every field that a condition names. */
export function fieldsOf(condition: Condition): string[] {
  return 'operator' in condition ? [condition.field] : condition.conditions.flatMap(fieldsOf);
}

/** IDs of the metrics that a condition names. */
export function metricsIn(sources: FieldSources, condition: Condition): string[] {
  const ids = fieldsOf(condition).flatMap((field) => {
    const found = fieldOf(sources, field);
    return typeof found === 'string' || found.metric === null ? [] : [found.metric.id];
  });
  return [...new Set(ids)];
}
