import { type HotRow, type HotStatement, textArray, uuidArray } from '../../../db/index.ts';
import type { DecisionMetric } from './metrics.store.ts';
import type { DayBounds } from './values.store.ts';

type Value = number | readonly (readonly (string | number | null)[])[];

/** A customer's values by key: a number, or for metrics with dimensions a list of rows `[dimension, ..., value]`. */
export type CustomerMetrics = Readonly<Record<string, Value>>;

/** The statements that read these customers' values, and what they say by customer. */
export interface CustomerValuesReads {
  readonly statements: readonly HotStatement[];
  parse(answers: readonly (readonly HotRow[])[]): ReadonlyMap<string, CustomerMetrics>;
}

/** Reads the values of customers. `boundsOf`: days that count for a realtime metric; null: all. */
export function readCustomerValues(
  tenantId: string,
  customerIds: readonly string[],
  metrics: readonly DecisionMetric[],
  boundsOf: (metric: DecisionMetric) => DayBounds | null,
): CustomerValuesReads {
  const batch = metrics.filter(({ computeMode }) => computeMode === 'batch');
  const realtime = metrics.filter(({ computeMode }) => computeMode === 'realtime');
  const ids = textArray(customerIds);
  const statements: HotStatement[] = [];
  if (batch.length > 0) {
    statements.push({
      name: 'behavioral-metrics.values',
      text: `select customer_id, metric_id::text as metric_id, to_json(dimensions)::text as dimensions, value::float8 as value
        from behavioral_metric_values
        where tenant_id = $1 and customer_id = any($2::text[]) and metric_id = any($3::uuid[])
        order by customer_id, metric_id, dimensions`,
      values: [tenantId, ids, uuidArray(batch.map(({ id }) => id))],
    });
  }
  if (realtime.length > 0) {
    const bounds = realtime.map(boundsOf);
    statements.push({
      name: 'behavioral-metrics.days',
      // `is true` keeps the planner from reading all customers' days of a metric, which looks cheap in a new table
      // (docs/adr/0102).
      text: `select d.customer_id, d.metric_id::text as metric_id, to_json(d.dimensions)::text as dimensions,
          sum(d.value)::float8 as value
        from unnest($3::uuid[], $4::text[], $5::text[]) as m (id, first_day, last_day)
        join behavioral_metric_days d on (d.metric_id = m.id) is true
        where d.tenant_id = $1 and d.customer_id = any($2::text[])
          and (m.first_day is null or d.day >= m.first_day::date) and (m.last_day is null or d.day <= m.last_day::date)
        group by d.customer_id, d.metric_id, d.dimensions order by d.customer_id, d.metric_id, d.dimensions`,
      values: [
        tenantId,
        ids,
        uuidArray(realtime.map(({ id }) => id)),
        textArray(bounds.map((days) => days?.firstDay ?? null)),
        textArray(bounds.map((days) => days?.lastDay ?? null)),
      ],
    });
  }
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  return { statements, parse: (answers) => parseValues(answers.flat(), byId) };
}

function parseValues(
  rows: readonly HotRow[],
  byId: ReadonlyMap<string, DecisionMetric>,
): ReadonlyMap<string, CustomerMetrics> {
  const found = new Map<string, Record<string, Value>>();
  for (const row of rows) {
    const metric = byId.get(String(row.metric_id));
    if (metric === undefined) continue;
    const customerId = String(row.customer_id);
    const own = found.get(customerId) ?? {};
    found.set(customerId, own);
    const value = Number(row.value);
    if (metric.groupByDimensions.length === 0) {
      own[metric.key] = value;
      continue;
    }
    const before = own[metric.key];
    const dimensions: (string | null)[] = JSON.parse(String(row.dimensions));
    own[metric.key] = [...(typeof before === 'object' ? before : []), [...dimensions, value]];
  }
  return found;
}
