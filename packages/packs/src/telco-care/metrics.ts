import type { BehavioralMetricCreate } from '@arbiter/contract';

/** What policies and rules know of a subscriber's history. */
export const telcoMetrics: readonly BehavioralMetricCreate[] = [
  {
    name: 'contacts_30d',
    description: 'Contacts of the last 30 days.',
    aggregateFunction: 'count',
    sourceField: 'impressions',
    windowDays: 30,
  },
  {
    name: 'dismissals_90d',
    description: 'Negative answers of the last 90 days.',
    aggregateFunction: 'count',
    sourceField: 'negative',
    windowDays: 90,
  },
  {
    name: 'value_180d',
    description: 'Conversion value of the last 180 days.',
    aggregateFunction: 'sum',
    sourceField: 'totalValue',
    windowDays: 180,
  },
];
