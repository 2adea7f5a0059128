/** Why a number doesn't link to its decisions. */
export const drillTexts = {
  older: (days: number) => `Decisions are stored for ${days} days, and this is older`,
  aggregate: 'Only the total is stored',
  sampled: (share: number) => `Based on a sample of ${Math.round(share * 100)} % of decisions`,
  tracesOff: "Traces are turned off, so its decisions can't be listed",
  notDecisions: 'Not based on decisions',
} as const;
