import type { Condition } from '@arbiter/engine';
import { conditionSql, type SqlColumn, type SqlLiterals } from '../../catalogue/condition-sql/index.ts';
import { isMetricColumn, type MetricColumn, metricColumns } from './columns.rules.ts';
import type { SqlFilter } from './sql-filter-tree.rules.ts';

/** SQL of each column of an event. */
export type ColumnSql = (column: MetricColumn) => string;

/** Returns a metric's condition as SQL that is true for the events that it accepts. */
export function eventConditionSql(condition: Condition, columnSql: ColumnSql, literals: SqlLiterals): string {
  return conditionSql(condition, {
    literals,
    now: () => `date_trunc(${literals.add('milliseconds', 'text')}, now())`,
    fieldOf(field) {
      if (!isMetricColumn(field)) throw new Error(`field ${field} of a stored metric doesn't exist`);
      const column: SqlColumn = { sql: columnSql(field), dataType: metricColumns[field], precision: null };
      return { column, relation: null };
    },
    related: (alias) => {
      throw new Error(`a metric has no join ${alias}`);
    },
  });
}

/** Builds a filter's SQL from its tree. No text of the caller reaches it but as a typed parameter. */
export function sqlFilterSql(filter: SqlFilter, columnSql: ColumnSql, literals: SqlLiterals): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.parts.map((part) => sqlFilterSql(part, columnSql, literals)).join(` ${filter.kind} `)})`;
    case 'not':
      return `(not ${sqlFilterSql(filter.part, columnSql, literals)})`;
    case 'null':
      return `(${columnSql(filter.column)} is ${filter.isNull ? '' : 'not '}null)`;
    default:
      return leafFilterSql(filter, columnSql, literals);
  }
}

function leafFilterSql(
  filter: Extract<SqlFilter, { readonly kind: 'compare' | 'between' | 'in' | 'like' }>,
  columnSql: ColumnSql,
  literals: SqlLiterals,
): string {
  const type = metricColumns[filter.column];
  const add = (value: string): string =>
    type === 'text' ? `${literals.add(value, 'text')} collate "C"` : literals.add(value, type);
  const own = type === 'text' ? `${columnSql(filter.column)} collate "C"` : columnSql(filter.column);
  switch (filter.kind) {
    case 'compare':
      return `(${own} ${filter.sign} ${add(filter.value)})`;
    case 'like':
      return `(${own} ${filter.isNot ? 'not ' : ''}like ${add(filter.value)})`;
    case 'in':
      return `(${own} ${filter.isNot ? 'not ' : ''}in (${filter.values.map(add).join(', ')}))`;
    case 'between': {
      const [low = '', high = ''] = filter.values;
      return `(${own} ${filter.isNot ? 'not ' : ''}between ${add(low)} and ${add(high)})`;
    }
  }
}

/** The columns that a filter reads. */
export function columnsOfFilter(filter: SqlFilter): MetricColumn[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(columnsOfFilter);
    case 'not':
      return columnsOfFilter(filter.part);
    default:
      return [filter.column];
  }
}
