import type { Alert, AlertMetric, AlertOperator } from '@arbiter/contract/operations/alerts';

/** Number formatters for the tenant's locale. */
interface Format {
  number(value: number): string;
  percent(share: number): string;
  money(value: number): string;
  /** Takes milliseconds. */
  duration(milliseconds: number): string;
}

/** Labels of the metrics that alert rules watch. */
const metricWords: Readonly<Record<AlertMetric, string>> = {
  acceptance_rate: 'Acceptance rate',
  ctr: 'Click-through rate',
  conversion_rate: 'Conversion rate',
  revenue: 'Revenue',
  decision_count: 'Decisions',
  error_rate: 'Error rate',
  selection_frequency: 'Share of decisions',
  latency_p99: 'p99 response time',
  degraded_scoring_rate: 'Degraded scoring',
  cap_block_rate: 'Cap block rate',
  dlq_depth: 'Dead letters',
  outbox_lag_seconds: 'Event delay',
};

const metricWord = (metric: string): string =>
  Object.hasOwn(metricWords, metric) ? metricWords[metric as AlertMetric] : metric;

const signs: Readonly<Record<AlertOperator, string>> = { gt: '>', lt: '<', gte: '≥', lte: '≤', eq: '=' };

const shares: readonly AlertMetric[] = [
  'acceptance_rate',
  'ctr',
  'conversion_rate',
  'error_rate',
  'selection_frequency',
  'degraded_scoring_rate',
  'cap_block_rate',
];

function written(metric: AlertMetric, value: number, format: Format): string {
  if (shares.includes(metric)) return format.percent(value);
  if (metric === 'latency_p99') return format.duration(value);
  if (metric === 'outbox_lag_seconds') return format.duration(value * 1_000);
  return metric === 'revenue' ? format.money(value) : format.number(value);
}

type Rule = Pick<Alert, 'metric' | 'operator' | 'threshold' | 'windowMinutes' | 'lastValue'>;

/** The condition of a rule: "Error rate > 5 % over 15 min". */
export function alertCondition({ metric, operator, threshold, windowMinutes }: Rule, format: Format): string {
  return `${metricWord(metric)} ${signs[operator]} ${written(metric, threshold, format)} over ${format.duration(windowMinutes * 60_000)}`;
}

/** The condition with the value of the last check. */
export function alertValue(rule: Rule, format: Format): string {
  const condition = alertCondition(rule, format);
  return rule.lastValue === null
    ? condition
    : `${condition}; last value ${written(rule.metric, rule.lastValue, format)}`;
}
