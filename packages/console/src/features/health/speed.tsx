import { healthTexts as t } from '../../messages/health.ts';
import type { Drill } from '../../ui/drill.ts';
import { Metric } from '../../ui/metric.tsx';

export interface SpeedProps {
  /** How long answers took, written: half of them, 95 and 99 of 100 came within. */
  readonly median: string;
  readonly p95: string;
  readonly p99: string;
  readonly drill: Drill;
}

/** How fast answers came. */
export function Speed({ median, p95, p99, drill }: SpeedProps) {
  return (
    <>
      <Metric size="small" label={t.median} value={median} drill={drill} />
      <Metric size="small" label={t.p95} value={p95} drill={drill} />
      <Metric size="small" label={t.p99} value={p99} drill={drill} />
    </>
  );
}
