import { scaleTime } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { ReactNode } from 'react';
import { chartTexts as t } from '../../messages/charts.ts';
import type { Drill } from '../drill.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import { Mark, Picture, seriesColour, seriesDash } from './mark.tsx';
import { apart, isMidnight, timeTicks, unbroken, valueScale } from './scales.ts';
import { dayOf } from './zone-days.ts';

export interface TimePoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null: not known then; the line has a gap. */
  readonly value: number | null;
  readonly drill: Drill;
}

/** Room for one line of a name, in pixels. */
const nameHeight = 14;

export interface Series {
  readonly name: string;
  readonly points: readonly TimePoint[];
}

export interface LineChartProps {
  readonly title: string;
  /** One sentence from the data. */
  readonly summary: string;
  /** At most eight. */
  readonly series: readonly Series[];
  /** Writes a value with its unit: "6 ms". */
  readonly write: (value: number) => string;
  /** Each point is a whole day of the tenant's zone, at its beginning: no time of day is written. */
  readonly daily?: boolean;
  /** Fills what is below the line; for one series. */
  readonly filled?: boolean;
  readonly height?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

const pad = { top: 12, bottom: 22, start: 44, end: 12 };

/** Values over time: from zero, on the clock of the tenant, names at the ends of the lines, gaps where nothing is known. */
export function LineChart(props: LineChartProps) {
  const { title, summary, series, write, daily = false, filled = false, height = 200, empty, foot } = props;
  const format = useFormat();
  const { timeZone } = format.locale;
  const when = (at: number) => (daily ? format.date(at) : format.moment(at));
  const points = series.flatMap((one) => one.points);
  const times = [...new Set(points.map(({ at }) => at))].sort((a, b) => a - b);
  const table = {
    head: [daily ? t.day : t.time, ...series.map(({ name }) => name)],
    rows: times.map((at) => {
      const values = series.map((one) => one.points.find((point) => point.at === at));
      return {
        key: String(at),
        cells: [when(at), ...values.map((point) => (point?.value == null ? '–' : write(point.value)))],
        values: [
          daily ? dayOf(at, timeZone) : new Date(at).toISOString(),
          ...values.map((point) => point?.value ?? null),
        ],
        drill: values.find((point) => point && 'to' in point.drill)?.drill ?? points[0]?.drill ?? { reason: 'unknown' },
      };
    }),
  };
  return (
    <ChartFrame
      title={title}
      summary={summary}
      table={table}
      empty={empty}
      foot={
        <>
          {foot}
          <span>{daily ? t.days(timeZone) : t.times(timeZone)}</span>
        </>
      }
    >
      {(width) => {
        const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
        const named = series.length > 1;
        const end = named ? Math.min(140, width * 0.3) : pad.end;
        const y = valueScale(values, [height - pad.bottom, pad.top]);
        const [from = 0, to = 1] = [times[0], times.at(-1)];
        const x = scaleTime()
          .domain([from, to === from ? from + 1 : to])
          .range([pad.start, width - end]);
        const drawLine = line<TimePoint>()
          .x(({ at }) => x(at))
          .y(({ value }) => y.scale(value ?? 0));
        const drawArea = area<TimePoint>()
          .x(({ at }) => x(at))
          .y0(y.scale(0))
          .y1(({ value }) => y.scale(value ?? 0));
        const each = (x(to) - x(from)) / Math.max(1, times.length - 1);
        const lasts = series.map((one) => one.points.findLast(({ value }) => value !== null));
        const namesAt = apart(
          lasts.map((last) => y.scale(last?.value ?? 0)),
          nameHeight,
        );
        return (
          <Picture width={width} height={height} name={`${title}. ${summary}`}>
            <g aria-hidden>
              {y.ticks.map((tick) => (
                <g key={tick}>
                  <line x1={pad.start} x2={width - end} y1={y.scale(tick)} y2={y.scale(tick)} className="stroke-line" />
                  <text x={pad.start - 6} y={y.scale(tick)} dy="0.32em" textAnchor="end" className="fill-faint">
                    {format.short(tick)}
                  </text>
                </g>
              ))}
              {timeTicks(from, to, Math.max(2, Math.floor((width - pad.start - end) / 90)), timeZone).map((tick) => (
                <text key={tick} x={x(tick)} y={height - 6} textAnchor="middle" className="fill-faint">
                  {isMidnight(tick, timeZone) ? format.day(tick) : format.hour(tick)}
                </text>
              ))}
            </g>
            {series.map((one, at) => {
              const last = lasts[at];
              return (
                <g key={one.name}>
                  {unbroken(one.points).map((run) => (
                    <g key={run[0]?.at} aria-hidden data-mark>
                      {filled ? <path d={drawArea(run) ?? ''} fill={seriesColour(at)} opacity={0.16} /> : null}
                      {run.length === 1 ? (
                        <circle cx={x(run[0]!.at)} cy={y.scale(run[0]!.value ?? 0)} r={2.5} fill={seriesColour(at)} />
                      ) : (
                        <path
                          d={drawLine(run) ?? ''}
                          fill="none"
                          stroke={seriesColour(at)}
                          strokeWidth={1.75}
                          strokeDasharray={seriesDash(at)}
                          strokeLinejoin="round"
                        />
                      )}
                    </g>
                  ))}
                  {named && last ? (
                    <text aria-hidden x={x(last.at) + 8} y={namesAt[at]} dy="0.32em" className="fill-soft font-medium">
                      {one.name}
                    </text>
                  ) : null}
                  {one.points.map((point, index) =>
                    point.value === null ? null : (
                      <Mark
                        key={point.at}
                        first={at === 0 && index === one.points.findIndex(({ value }) => value !== null)}
                        drill={point.drill}
                        name={`${when(point.at)}${named ? `, ${one.name}` : ''}: ${write(point.value)}`}
                      >
                        <rect
                          x={x(point.at) - each / 2}
                          width={Math.max(each, 4)}
                          y={named ? y.scale(point.value) - 12 : pad.top}
                          height={named ? 24 : height - pad.top - pad.bottom}
                          fill="transparent"
                        />
                        <circle
                          cx={x(point.at)}
                          cy={y.scale(point.value)}
                          r={4}
                          fill={seriesColour(at)}
                          className="opacity-0 group-hover/mark:opacity-100 group-focus-visible/mark:opacity-100"
                        />
                      </Mark>
                    ),
                  )}
                </g>
              );
            })}
          </Picture>
        );
      }}
    </ChartFrame>
  );
}

/** One value over time, filled down to zero. */
export function AreaChart({ name, points, ...rest }: Omit<LineChartProps, 'series' | 'filled'> & Series) {
  return <LineChart {...rest} series={[{ name, points }]} filled />;
}
