import { line } from 'd3-shape';
import { unbroken, valueScale } from './scales.ts';

export interface SparklineProps {
  /** In order of time; null: not known then. */
  readonly values: readonly (number | null)[];
  /** What it shows, in a sentence: it has no table, so it stands beside the number that it goes with. */
  readonly summary: string;
  readonly width?: number;
  readonly height?: number;
}

/** The course of a value, as small as a word. */
export function Sparkline({ values, summary, width = 80, height = 20 }: SparklineProps) {
  const points = values.map((value, at) => ({ value, at }));
  const known = values.filter((value) => value !== null);
  const { scale } = valueScale(known, [height - 2, 2]);
  const x = (at: number) => 2 + (at * (width - 4)) / Math.max(1, values.length - 1);
  const draw = line<{ at: number; value: number | null }>()
    .x(({ at }) => x(at))
    .y(({ value }) => scale(value ?? 0));
  const last = points.findLast(({ value }) => value !== null);
  return (
    <svg role="img" aria-label={summary} width={width} height={height} className="inline-block align-middle" data-mark>
      {unbroken(points).map((run) => (
        <path key={run[0]?.at} d={draw(run) ?? ''} fill="none" stroke="var(--chart-1)" strokeWidth={1.5} />
      ))}
      {last ? <circle cx={x(last.at)} cy={scale(last.value ?? 0)} r={2} fill="var(--chart-1)" /> : null}
    </svg>
  );
}
