import type { Alert, AlertMetric, AlertOperator } from '@arbiter/contract/alerts';

/** Writers of numbers, as the tenant has them. */
interface Format {
  number(value: number): string;
  percent(share: number): string;
  money(value: number): string;
  /** Takes milliseconds. */
  duration(milliseconds: number): string;
}

/** What alert rules watch, in words. */
const metricWords: Readonly<Record<AlertMetric, string>> = {
  acceptance_rate: 'Acceptance rate',
  ctr: 'Click or conversion rate',
  conversion_rate: 'Conversion rate',
  revenue: 'Revenue',
  decision_count: 'Decisions',
  error_rate: 'Error rate',
  selection_frequency: 'Share of decisions',
  latency_p99: 'Slowest hundredth of answers',
  degraded_scoring_rate: 'Degraded scoring',
  cap_block_rate: 'Blocked by caps',
  dlq_depth: 'Dead letters',
  outbox_lag_seconds: 'Delay of events',
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

/** What a rule waits for: "Error rate > 5 % over 15 min". */
export function alertCondition({ metric, operator, threshold, windowMinutes }: Rule, format: Format): string {
  return `${metricWord(metric)} ${signs[operator]} ${written(metric, threshold, format)} over ${format.duration(windowMinutes * 60_000)}`;
}

/** The condition with the value that the rule saw last. */
export function alertValue(rule: Rule, format: Format): string {
  const condition = alertCondition(rule, format);
  return rule.lastValue === null ? condition : `${condition}; it was ${written(rule.metric, rule.lastValue, format)}`;
}
