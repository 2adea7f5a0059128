import type { ReactNode } from 'react';
import type { CsvValue } from '../csv.ts';
import type { Drill } from '../drill.ts';
import { ChartFrame } from './frame.tsx';
import { Mark, Picture, seriesColor } from './mark.tsx';
import { valueScale } from './scales.ts';

export interface BarRow {
  readonly key: string;
  readonly label: string;
  /** Replaces the label in the file: the two bounds of a step. */
  readonly fileLabel?: readonly CsvValue[];
  readonly value: number;
  readonly drill: Drill;
  /** Interval of the value, where the server gives one. */
  readonly low?: number;
  readonly high?: number;
  /** Color by meaning instead of the first of the series. */
  readonly tone?: 'pass' | 'block' | 'warn' | 'info';
}

export interface BarChartProps {
  readonly title: string;
  readonly summary: string;
  /** In the order in which they are shown, greatest first. */
  readonly rows: readonly BarRow[];
  /** The unit, as in the table's header. */
  readonly measure: string;
  readonly of: string;
  /** Head of the file, where its columns are others. */
  readonly fileHead?: readonly string[];
  readonly write: (value: number) => string;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

const line = 30;

/** Horizontal bars from zero, with names and values next to them. */
export function BarChart({ title, summary, rows, measure, of, fileHead, write, empty, foot }: BarChartProps) {
  const table = {
    head: [of, measure],
    ...(fileHead === undefined ? {} : { fileHead }),
    rows: rows.map(({ key, label, fileLabel, value, drill }) => ({
      key,
      cells: [label, write(value)],
      values: [...(fileLabel ?? [label]), value],
      drill,
    })),
  };
  return (
    <ChartFrame title={title} summary={summary} table={table} empty={empty} foot={foot}>
      {(width) => {
        const names = Math.min(200, width * 0.38);
        const figures = 72;
        const { scale } = valueScale(
          rows.flatMap(({ value, high }) => [value, high ?? value]),
          [names, width - figures],
        );
        const letters = Math.floor(names / 7.2);
        return (
          <Picture width={width} height={rows.length * line} name={`${title}. ${summary}`}>
            {rows.map(({ key, label, value, drill, low, high, tone }, at) => (
              <Mark key={key} first={at === 0} drill={drill} name={`${label}: ${write(value)}`}>
                <rect
                  x={0}
                  y={at * line}
                  width={width}
                  height={line}
                  className="fill-transparent group-hover/mark:fill-hover"
                  rx={4}
                />
                <rect
                  data-mark
                  x={scale(Math.min(0, value))}
                  y={at * line + 8}
                  width={Math.max(value === 0 ? 0 : 2, Math.abs(scale(value) - scale(0)))}
                  height={line - 16}
                  rx={2}
                  fill={tone ? `var(--${tone})` : seriesColor(0)}
                />
                {low !== undefined && high !== undefined ? (
                  <path
                    d={`M${scale(low)},${at * line + line / 2}H${scale(high)}M${scale(low)},${at * line + 10}v10M${scale(high)},${at * line + 10}v10`}
                    className="fill-none stroke-ink"
                  />
                ) : null}
              </Mark>
            ))}
            <g aria-hidden className="pointer-events-none">
              {rows.map(({ key, label, value, high }, at) => (
                <g key={key}>
                  {/* Wide letters need more room than the average letter: the inner picture cuts them off. */}
                  <svg x={0} y={at * line} width={names - 6} height={line} aria-hidden>
                    <text x={4} y={line / 2} dy="0.32em" className="fill-ink">
                      {label.length > letters ? `${label.slice(0, letters - 1)}…` : label}
                    </text>
                  </svg>
                  <text
                    x={scale(Math.max(0, high ?? value)) + 6}
                    y={at * line + line / 2}
                    dy="0.32em"
                    className="fill-soft"
                  >
                    {write(value)}
                  </text>
                </g>
              ))}
            </g>
          </Picture>
        );
      }}
    </ChartFrame>
  );
}
