import type { AlertMetric, AlertOperator, MetricFacts, NotificationSeverity } from '@arbiter/contract';

type Facts = Omit<MetricFacts, 'metric'>;

const ofHistory = { filters: ['offerId', 'channelId'], needsTraces: false } satisfies Partial<Facts>;
const ofDecisions = { filters: ['decisionFlowKey'], needsTraces: false } satisfies Partial<Facts>;
const ofNow = { filters: [], samples: null, needsTraces: false } satisfies Partial<Facts>;

/** The table of docs/design/api-access.md 10. None of them reads traces: what fails or is not traced counts too. */
export const metricFacts: Readonly<Record<AlertMetric, Facts>> = {
  acceptance_rate: {
    ...ofHistory,
    description: 'Positive outcomes / impressions.',
    unit: 'share',
    samples: 'impressions',
  },
  ctr: {
    ...ofHistory,
    description: 'Click or conversion rate: (clicks + conversions) / impressions. Reports count clicks only.',
    unit: 'share',
    samples: 'impressions',
  },
  conversion_rate: { ...ofHistory, description: 'Conversions / impressions.', unit: 'share', samples: 'impressions' },
  revenue: { ...ofHistory, description: 'Total conversionValue.', unit: 'value', samples: null },
  decision_count: {
    ...ofDecisions,
    description: 'Decisions, except those of the current minute.',
    unit: 'count',
    samples: null,
  },
  error_rate: {
    ...ofDecisions,
    description: 'Failed recommend calls / all recommend calls.',
    unit: 'share',
    samples: 'calls',
  },
  selection_frequency: {
    ...ofDecisions,
    description: 'Decisions with at least one item / decisions.',
    unit: 'share',
    samples: 'decisions',
  },
  latency_p99: {
    ...ofDecisions,
    description: '99th percentile of decision time.',
    unit: 'ms',
    samples: 'decisions',
  },
  degraded_scoring_rate: {
    ...ofDecisions,
    description: 'Decisions made without a model / decisions.',
    unit: 'share',
    samples: 'decisions',
  },
  cap_block_rate: {
    ...ofDecisions,
    description: 'Candidates dropped by contact policies / candidates.',
    unit: 'share',
    samples: 'candidates',
  },
  dlq_depth: { ...ofNow, description: 'Current dead letters of the tenant.', unit: 'count' },
  outbox_lag_seconds: {
    ...ofNow,
    description: "Age of the oldest event that hasn't been delivered yet.",
    unit: 'seconds',
  },
};

/** A figure over a window. `samples` null: the metric has no denominator. */
export interface Measured {
  readonly value: number | null;
  readonly samples: number | null;
}

/** A share; null without a denominator. */
export const share = (part: number, whole: number): Measured => ({
  value: whole > 0 ? part / whole : null,
  samples: whole,
});

/** Returns a figure's value; null for a denominator below `minSamples`. */
export const usable = ({ value, samples }: Measured, minSamples: number): number | null =>
  samples !== null && samples < minSamples ? null : value;

/** True when the value is beyond the threshold. */
export function breaches(value: number, operator: AlertOperator, threshold: number): boolean {
  switch (operator) {
    case 'gt':
      return value > threshold;
    case 'lt':
      return value < threshold;
    case 'gte':
      return value >= threshold;
    case 'lte':
      return value <= threshold;
    case 'eq':
      return value === threshold;
  }
}

/** Half of the threshold, of 1 when that is 0. */
const grave = 0.5;

/**
 * Returns the severity of a breach: critical if it is at least half of the threshold, or at least twice as far from it
 * as the previous window (docs/design/api-access.md 10).
 */
export function severityOf(
  value: number,
  baseline: number | null,
  operator: AlertOperator,
  threshold: number,
): NotificationSeverity {
  if (operator === 'eq') return 'info';
  const distance = Math.abs(value - threshold);
  const isFar = distance >= grave * (threshold === 0 ? 1 : Math.abs(threshold));
  const isSudden = baseline !== null && distance >= 2 * Math.abs(baseline - threshold);
  return isFar || isSudden ? 'critical' : 'warning';
}

const operatorWords: Readonly<Record<AlertOperator, string>> = {
  gt: 'above',
  lt: 'below',
  gte: 'at or above',
  lte: 'at or below',
  eq: 'equal to',
};

/** Describes what happened. */
export function alertText(
  {
    metric,
    operator,
    threshold,
    windowMinutes,
  }: {
    readonly metric: AlertMetric;
    readonly operator: AlertOperator;
    readonly threshold: number;
    readonly windowMinutes: number;
  },
  value: number,
): string {
  const over =
    metricFacts[metric].samples === null && metricFacts[metric].filters.length === 0
      ? ''
      : ` over ${windowMinutes} minutes`;
  return `${metric} is ${shownNumber(value)}${over}: ${operatorWords[operator]} ${shownNumber(threshold)}.`;
}

/** Rounds to at most six significant digits. */
export const shownNumber = (value: number): string => String(Number(value.toPrecision(6)));
