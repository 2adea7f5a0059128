export const dayMs = 86_400_000;

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The logistic function: maps every number to a probability between 0 and 1. */
export const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** Returns the UTC day, such as `2026-11-20`, this many days before an instant. */
export const daysBefore = (instant: Date, days: number): string =>
  new Date(instant.getTime() - days * dayMs).toISOString().slice(0, 10);
