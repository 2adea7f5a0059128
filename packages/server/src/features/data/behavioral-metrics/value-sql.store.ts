import { defaultTenantSettings } from '@arbiter/contract';
import type { SqlLiterals } from '../../catalogue/condition-sql/index.ts';
import { settingSql } from '../../identity/settings/index.ts';

/**
 * SQL of a customer's current value of a metric without dimensions, null when missing. It reads the metric's mode, window and
 * status itself, so that views with it follow every change. One line, as views need it.
 */
export function metricValueSql(
  { tenantId, id: metricId }: { readonly tenantId: string; readonly id: string },
  customerSql: string,
  literals: SqlLiterals,
): string {
  const tenant = literals.add(tenantId, 'uuid');
  const id = literals.add(metricId, 'uuid');
  const whole = literals.add('{}', 'text[]');
  const setting = (name: 'timezone' | 'enableBehavioralMetrics') =>
    settingSql(tenant, literals.add(name, 'text'), literals.add(String(defaultTenantSettings[name]), 'text'));
  const of = (alias: string) =>
    `${alias}.tenant_id = ${tenant} and ${alias}.customer_id = ${customerSql} and ${alias}.metric_id = ${id} and ${alias}.dimensions = ${whole}`;
  const metric = (value: string, more = '') =>
    `(select ${value} from arbiter.behavioral_metrics m where m.tenant_id = ${tenant} and m.id = ${id}${more})`;
  // An uncorrelated sub-query runs once per statement: the first day of the window and the last.
  const today = `(select (now() at time zone ${setting('timezone')})::date)`;
  const firstDay = metric(`coalesce(${today} - (m.window_days - 1), ${literals.add('-infinity', 'text')}::date)`);
  const lastDay = metric(
    `case when m.window_days is null then ${literals.add('infinity', 'text')}::date else ${today} end`,
  );
  const batch = `(select v.value from arbiter.behavioral_metric_values v where ${of('v')})`;
  const realtime = `(select sum(d.value) from arbiter.behavioral_metric_days d where ${of('d')} and d.day >= ${firstDay} and d.day <= ${lastDay})`;
  const functions = `(${literals.add('count', 'text')}, ${literals.add('sum', 'text')})`;
  const missing = metric('0::numeric', ` and m.aggregate_function in ${functions}`);
  const isRead = metric('true', ` and m.status <> ${literals.add('archived', 'text')}`);
  // One of the two tables is empty.
  const current = `case when ${isRead} then coalesce(${batch}, ${realtime}) end`;
  return `(case when ${setting('enableBehavioralMetrics')} = ${literals.add('true', 'text')} then coalesce(${current}, ${missing}) end)`;
}
