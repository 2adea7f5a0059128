import type { BehavioralMetric } from '@arbiter/contract';
import type { Condition } from '@arbiter/engine';
import { newLiterals, type SqlLiterals } from '../../catalogue/condition-sql/index.ts';
import { isMetricColumn, type MetricColumn } from './columns.rules.ts';
import { type ColumnSql, columnsOfFilter, eventConditionSql, sqlFilterSql } from './event-sql.store.ts';
import type { SqlFilter } from './sql-filter-tree.rules.ts';

type Fields = Readonly<Record<BehavioralMetric['sourceField'], string>>;

/** Where events come from, as SQL of the feature that stores them. */
export interface EventSources {
  readonly history: {
    /** Relation and condition of the tenant ($1). */
    readonly from: string;
    readonly customerId: string;
    /** Time-ordered key: bounds what is read. */
    readonly rowId: string;
    readonly occurredAt: string;
    readonly day: string;
    readonly columns: Readonly<Record<MetricColumn, string>>;
    readonly fields: Fields;
  };
  /** Sums by day of events that retention removed. */
  readonly summaries: {
    readonly from: string;
    readonly customerId: string;
    readonly day: string;
    readonly columns: Readonly<Partial<Record<MetricColumn, string>>>;
    readonly fields: Fields;
  };
}

/** What of a metric determines its values. */
export type MetricDefinition = Pick<
  BehavioralMetric,
  'aggregateFunction' | 'sourceField' | 'windowDays' | 'groupByDimensions'
> & { readonly condition: Condition | null; readonly filter: SqlFilter | null };

/** The days of a metric: null bounds for all time. */
export interface MetricWindow {
  /** Instants, half-open. */
  readonly from: Date;
  readonly until: Date;
  /** Local days, both included. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** No row of history with a lower id is in the window. */
  readonly firstId: string;
}

export interface MetricQuery {
  readonly text: string;
  /** Values from the parameter after `metricDayParameters` on. */
  readonly values: readonly string[];
}

/** Customers of a rebuild's step: behind `after` up to `until`, by id; null: from the first, to the last. */
export interface CustomerRange {
  readonly after: string | null;
  readonly until: string | null;
}

export type RangeQuery = MetricQuery & {
  /** SQL that restricts a column to the customers of the query, starting with `and`. */
  readonly range: (customerId: string) => string;
};

/** Parameters before the literals: tenant and the two of the zone's days. */
export const firstLiteral = 4;
export const daysFrom = '$2';
export const daysSeconds = '$3';

/** True if sums by day say all that the metric asks of an event. */
function countsSummaries(metric: MetricDefinition, { columns }: EventSources['summaries']): boolean {
  const { aggregateFunction, sourceField, groupByDimensions } = metric;
  if (sourceField === 'totalValue' && aggregateFunction !== 'sum' && aggregateFunction !== 'ratio') return false;
  const named = [...groupByDimensions, ...(metric.filter === null ? [] : columnsOfFilter(metric.filter))];
  const all = [...named, ...(metric.condition === null ? [] : fieldsOf(metric.condition))];
  return all.every((name) => Object.hasOwn(columns, name));
}

const fieldsOf = (condition: Condition): string[] =>
  'operator' in condition ? [condition.field] : condition.conditions.flatMap(fieldsOf);

function filtersSql(metric: MetricDefinition, columnSql: ColumnSql, literals: SqlLiterals): string {
  const { condition, filter } = metric;
  return [
    ...(condition === null ? [] : [` and ${eventConditionSql(condition, columnSql, literals)}`]),
    ...(filter === null ? [] : [` and ${sqlFilterSql(filter, columnSql, literals)}`]),
  ].join('');
}

/** SQL of an event's group: its dimensions as text. */
const groupSql = (metric: MetricDefinition, columnSql: ColumnSql): string =>
  `array[${metric.groupByDimensions.map((name) => `${columnSql(name)}::text`).join(', ')}]::text[]`;

/** Returns SQL of the metric's events: customer, dimensions, day, the source field and impressions. */
function eventsSql(
  metric: MetricDefinition,
  { history, summaries }: EventSources,
  window: MetricWindow | null,
  literals: SqlLiterals,
  among: string | null,
  inRange: RangeQuery['range'] = () => '',
): string {
  const bound =
    window === null
      ? ''
      : ` and ${history.rowId} >= ${literals.add(window.firstId, 'uuid')}
          and ${history.occurredAt} >= ${literals.add(window.from.toISOString(), 'timestamptz')}
          and ${history.occurredAt} < ${literals.add(window.until.toISOString(), 'timestamptz')}`;
  const chosen = among === null ? '' : ` and ${history.rowId} = any(${among}::uuid[])`;
  const ofHistory: ColumnSql = (column) => history.columns[column];
  const select = (
    group: string,
    { customerId, day, fields }: Pick<EventSources['summaries'], 'customerId' | 'day' | 'fields'>,
  ) =>
    `select ${customerId} as customer_id, ${group} as dimensions, ${day} as day, ${fields[metric.sourceField]} as field,
       ${fields.impressions} as impressions`;
  const rows = `${select(groupSql(metric, ofHistory), history)} from ${history.from}${bound}${chosen}${inRange(history.customerId)}${filtersSql(metric, ofHistory, literals)}`;
  if (among !== null || !countsSummaries(metric, summaries)) return rows;
  const ofSums: ColumnSql = (column) => {
    const sql = isMetricColumn(column) ? summaries.columns[column] : undefined;
    if (sql === undefined) throw new Error(`sums by day have no ${column}`);
    return sql;
  };
  const days =
    window === null
      ? ''
      : ` and ${summaries.day} >= (${literals.add(window.firstDay, 'text')})::date
          and ${summaries.day} <= (${literals.add(window.lastDay, 'text')})::date`;
  return `${rows} union all ${select(groupSql(metric, ofSums), summaries)}
    from ${summaries.from}${days}${inRange(summaries.customerId)}${filtersSql(metric, ofSums, literals)}`;
}

/** Returns SQL that counts or sums the source field of events. */
function totalSql({ aggregateFunction, sourceField }: MetricDefinition): string {
  // Other fields are 0 or 1, or a number of such events.
  if (aggregateFunction === 'count' && sourceField === 'totalValue') return 'count(*) filter (where field <> 0)';
  return 'coalesce(sum(field), 0)';
}

/** Returns SQL of a metric's values: customer, dimensions and value. */
export function valuesQuery(metric: MetricDefinition, sources: EventSources, window: MetricWindow | null): MetricQuery {
  const literals = newLiterals('parameters', firstLiteral);
  const events = eventsSql(metric, sources, window, literals, null);
  const { aggregateFunction, sourceField } = metric;
  const group = 'group by customer_id, dimensions';
  const select = (value: string, from: string, having = ''): MetricQuery => ({
    text: `select customer_id, dimensions, (${value})::numeric as value from (${from}) e ${group} ${having}`,
    values: literals.values,
  });
  switch (aggregateFunction) {
    case 'count':
    case 'sum':
      return select(totalSql(metric), events);
    case 'ratio':
      return select('coalesce(sum(field), 0)::numeric / sum(impressions)', events, 'having sum(impressions) <> 0');
    default: {
      if (sourceField === 'totalValue') return select(`${aggregateFunction}(field)`, events, 'having count(field) > 0');
      const days = `select customer_id, dimensions, sum(field) as field from (${events}) d group by customer_id, dimensions, day`;
      return select(`${aggregateFunction}(field)`, days);
    }
  }
}

/** Returns SQL of a realtime metric's sums by day, for a range of customers. */
export function daysQuery(
  metric: MetricDefinition,
  sources: EventSources,
  window: MetricWindow | null,
  { after, until }: CustomerRange,
): RangeQuery {
  const literals = newLiterals('parameters', firstLiteral);
  const range = (customerId: string): string =>
    (after === null ? '' : ` and ${customerId} > ${literals.add(after, 'text')}`) +
    (until === null ? '' : ` and ${customerId} <= ${literals.add(until, 'text')}`);
  const events = eventsSql(metric, sources, window, literals, null, range);
  return { text: daysText(metric, events), values: literals.values, range };
}

const daysText = (metric: MetricDefinition, events: string): string =>
  `select customer_id, dimensions, day, (${totalSql(metric)})::numeric as value from (${events}) e
    group by customer_id, dimensions, day`;

/** Returns a statement that adds rows of history to a realtime metric. Its values follow the parameter with their ids. */
export function additionQuery(metric: MetricDefinition, metricId: string, sources: EventSources): MetricQuery {
  const literals = newLiterals('parameters', firstLiteral + 1);
  const events = eventsSql(metric, sources, null, literals, `$${firstLiteral}`);
  return {
    text: `insert into behavioral_metric_days as v (tenant_id, customer_id, metric_id, dimensions, day, value)
      select $1, customer_id, ${literals.add(metricId, 'uuid')}, dimensions, day, value
        from (${daysText(metric, events)}) added order by customer_id, dimensions, day
      on conflict (tenant_id, customer_id, metric_id, dimensions, day) do update set value = v.value + excluded.value`,
    values: literals.values,
  };
}
