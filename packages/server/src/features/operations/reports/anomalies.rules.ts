/** Values of one metric of one object, day by day, the oldest first. */
export interface MetricSeries {
  readonly metric: string;
  readonly object: string;
  readonly values: readonly number[];
}

export interface Anomaly {
  readonly metric: string;
  readonly object: string;
  readonly now: number;
  readonly baseline: number;
  readonly z: number;
  readonly severity: 'info' | 'warning' | 'critical';
}

/** Days of the baseline that must be there before anything is called unusual. */
const fewestDays = 7;
/** Threshold for unusual values, in standard errors. */
const least = 2;
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/**
 * Returns anomalies: the mean of the last `days` values compared with the `baselineDays` before, in standard
 * errors of such a mean. Null for a series that's too short, never changed before, or is within the usual range.
 */
export function anomalyOf(
  { metric, object, values }: MetricSeries,
  days: number,
  baselineDays: number,
): Anomaly | null {
  const late = values.slice(-days);
  const early = values.slice(Math.max(0, values.length - days - baselineDays), values.length - days);
  if (late.length < days || early.length < fewestDays) return null;
  const baseline = mean(early);
  const variance = early.reduce((sum, value) => sum + (value - baseline) ** 2, 0) / (early.length - 1);
  if (variance === 0) return null;
  const now = mean(late);
  const z = (now - baseline) / Math.sqrt(variance / days);
  if (Math.abs(z) < least) return null;
  const far = Math.abs(z);
  const severity = far >= 4 ? 'critical' : far >= 3 ? 'warning' : 'info';
  return { metric, object, now: rounded(now), baseline: rounded(baseline), z: Math.round(z * 100) / 100, severity };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
