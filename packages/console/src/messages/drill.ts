/** Why a number cannot be opened. */
export const drillTexts = {
  older: (days: number) => `Older than the ${days} days that decisions are kept for`,
  aggregate: 'A total that is kept without the decisions behind it',
  sampled: (share: number) => `Counted over a sample of ${Math.round(share * 100)} % of the decisions`,
  tracesOff: 'Traces are switched off, so the decisions behind it cannot be listed',
  notDecisions: 'Not made of decisions',
} as const;
