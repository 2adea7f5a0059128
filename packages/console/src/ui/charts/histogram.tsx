import { scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import type { Drill } from '../drill.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import { Mark, Picture, seriesColour } from './mark.tsx';
import { valueScale } from './scales.ts';

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly drill: Drill;
}

export interface HistogramProps {
  readonly title: string;
  readonly summary: string;
  /** Side by side, in order; their widths may differ. */
  readonly bins: readonly Bin[];
  /** What the values are: "Score". */
  readonly of: string;
  readonly write: (value: number) => string;
  readonly height?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

const pad = { top: 8, bottom: 22, start: 44, end: 8 };

/** How many values lie where. */
export function Histogram({ title, summary, bins, of, write, height = 160, empty, foot }: HistogramProps) {
  const format = useFormat();
  const name = (bin: Bin) => `${write(bin.from)} to ${write(bin.to)}`;
  const table = {
    head: [of, 'Count'],
    rows: bins.map((bin) => ({
      key: String(bin.from),
      cells: [name(bin), format.number(bin.count)],
      drill: bin.drill,
    })),
  };
  return (
    <ChartFrame title={title} summary={summary} table={table} empty={empty} foot={foot}>
      {(width) => {
        const [from = 0, to = 1] = [bins[0]?.from, bins.at(-1)?.to];
        const x = scaleLinear()
          .domain([from, to])
          .range([pad.start, width - pad.end]);
        const y = valueScale(
          bins.map(({ count }) => count),
          [height - pad.bottom, pad.top],
          3,
        );
        return (
          <Picture width={width} height={height} name={`${title}. ${summary}`}>
            <g aria-hidden>
              {y.ticks.map((tick) => (
                <g key={tick}>
                  <line
                    x1={pad.start}
                    x2={width - pad.end}
                    y1={y.scale(tick)}
                    y2={y.scale(tick)}
                    className="stroke-line"
                  />
                  <text x={pad.start - 6} y={y.scale(tick)} dy="0.32em" textAnchor="end" className="fill-faint">
                    {format.short(tick)}
                  </text>
                </g>
              ))}
              {x.ticks(Math.max(2, Math.floor(width / 80))).map((tick) => (
                <text key={tick} x={x(tick)} y={height - 6} textAnchor="middle" className="fill-faint">
                  {write(tick)}
                </text>
              ))}
            </g>
            {bins.map((bin, at) => (
              <Mark
                key={bin.from}
                first={at === 0}
                drill={bin.drill}
                name={`${name(bin)}: ${format.number(bin.count)}`}
              >
                <rect
                  x={x(bin.from)}
                  y={pad.top}
                  width={x(bin.to) - x(bin.from)}
                  height={height - pad.top - pad.bottom}
                  className="fill-transparent group-hover/mark:fill-hover"
                />
                <rect
                  data-mark
                  x={x(bin.from) + 0.5}
                  y={y.scale(bin.count)}
                  width={Math.max(1, x(bin.to) - x(bin.from) - 1)}
                  height={y.scale(0) - y.scale(bin.count)}
                  fill={seriesColour(0)}
                />
              </Mark>
            ))}
          </Picture>
        );
      }}
    </ChartFrame>
  );
}
