import { healthTexts as t } from '../../messages/health.ts';
import type { Drill } from '../../ui/drill.ts';
import { Metric } from '../../ui/metric.tsx';

export interface SpeedProps {
  /** Formats response times: the median, and the 95th and 99th percentile. */
  readonly median: string;
  readonly p95: string;
  readonly p99: string;
  readonly drill: Drill;
}

/** Response times. */
export function Speed({ median, p95, p99, drill }: SpeedProps) {
  return (
    <>
      <Metric size="small" label={t.median} value={median} drill={drill} />
      <Metric size="small" label={t.p95} value={p95} drill={drill} />
      <Metric size="small" label={t.p99} value={p99} drill={drill} />
    </>
  );
}
