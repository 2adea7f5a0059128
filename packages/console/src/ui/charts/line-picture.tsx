import { scaleTime } from 'd3-scale';
import { area, line } from 'd3-shape';
import { useFormat } from '../provider.tsx';
import { Mark, Picture, seriesColor, seriesDash } from './mark.tsx';
import { apart, isMidnight, timeTicks, unbroken, valueScale } from './scales.ts';
import type { Series, TimePoint } from './series.ts';

export interface LinePictureProps {
  readonly name: string;
  readonly series: readonly Series[];
  /** The instants of all points, in order. */
  readonly times: readonly number[];
  readonly filled: boolean;
  readonly when: (at: number) => string;
  readonly write: (value: number) => string;
  readonly width: number;
  readonly height: number;
}

/** Scales and edges of the drawing, in px. */
interface LinePlot {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly valueTicks: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
  /** Distance between two points. */
  readonly step: number;
}

/** Margins around the lines, in px. */
const pad = { top: 12, bottom: 22, start: 44, end: 12 };
/** Height of a name, in px. */
const nameHeight = 14;

function plotOf({ series, times, width, height }: LinePictureProps): LinePlot {
  const values = series.flatMap(({ points }) => points.flatMap(({ value }) => (value === null ? [] : [value])));
  const end = width - (series.length > 1 ? Math.min(140, width * 0.3) : pad.end);
  const bottom = height - pad.bottom;
  const { scale, ticks } = valueScale(values, [bottom, pad.top]);
  const [from = 0, to = 1] = [times[0], times.at(-1)];
  const x = scaleTime()
    .domain([from, to === from ? from + 1 : to])
    .range([pad.start, end]);
  const step = (x(to) - x(from)) / Math.max(1, times.length - 1);
  return { x, y: scale, valueTicks: ticks, from, to, start: pad.start, end, top: pad.top, bottom, height, step };
}

/** The drawing of a line chart: axes, lines, and a mark for each point. */
export function LinePicture(props: LinePictureProps) {
  const { name, series, filled, when, write, width, height } = props;
  const plot = plotOf(props);
  const isNamed = series.length > 1;
  const lasts = series.map(({ points }) => points.findLast(({ value }) => value !== null));
  const namesAt = apart(
    lasts.map((last) => plot.y(last?.value ?? 0)),
    nameHeight,
  );
  return (
    <Picture width={width} height={height} name={name}>
      <Axes plot={plot} />
      {series.map((one, at) => {
        const last = lasts[at];
        return (
          <g key={one.name}>
            <Line plot={plot} points={one.points} at={at} filled={filled} />
            {isNamed && last ? (
              <text aria-hidden x={plot.x(last.at) + 8} y={namesAt[at]} dy="0.32em" className="fill-soft font-medium">
                {one.name}
              </text>
            ) : null}
            <Points {...{ plot, at, when, write, isNamed }} series={one} />
          </g>
        );
      })}
    </Picture>
  );
}

function Axes({ plot }: { readonly plot: LinePlot }) {
  const { x, y, valueTicks, from, to, start, end, height } = plot;
  const format = useFormat();
  const { timeZone } = format.locale;
  const maxTimes = Math.max(2, Math.floor((end - start) / 90));
  return (
    <g aria-hidden>
      {valueTicks.map((tick) => (
        <g key={tick}>
          <line x1={start} x2={end} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={start - 6} y={y(tick)} dy="0.32em" textAnchor="end" className="fill-faint">
            {format.short(tick)}
          </text>
        </g>
      ))}
      {timeTicks(from, to, maxTimes, timeZone).map((tick) => (
        <text key={tick} x={x(tick)} y={height - 6} textAnchor="middle" className="fill-faint">
          {isMidnight(tick, timeZone) ? format.day(tick) : format.hour(tick)}
        </text>
      ))}
    </g>
  );
}

interface SeriesLineProps {
  readonly plot: LinePlot;
  readonly points: readonly TimePoint[];
  /** Number of the series, from 0. */
  readonly at: number;
  readonly filled: boolean;
}

/** The line of a series, in pieces between gaps. */
function Line({ plot: { x, y }, points, at, filled }: SeriesLineProps) {
  const linePath = line<TimePoint>()
    .x((point) => x(point.at))
    .y(({ value }) => y(value ?? 0));
  const areaPath = area<TimePoint>()
    .x((point) => x(point.at))
    .y0(y(0))
    .y1(({ value }) => y(value ?? 0));
  return unbroken(points).map((run) => (
    <g key={run[0]?.at} aria-hidden data-mark>
      {filled ? <path d={areaPath(run) ?? ''} fill={seriesColor(at)} opacity={0.16} /> : null}
      {run.length === 1 ? (
        <circle cx={x(run[0]!.at)} cy={y(run[0]!.value ?? 0)} r={2.5} fill={seriesColor(at)} />
      ) : (
        <path
          d={linePath(run) ?? ''}
          fill="none"
          stroke={seriesColor(at)}
          strokeWidth={1.75}
          strokeDasharray={seriesDash(at)}
          strokeLinejoin="round"
        />
      )}
    </g>
  ));
}

interface PointsProps extends Pick<LinePictureProps, 'when' | 'write'> {
  readonly plot: LinePlot;
  readonly series: Series;
  readonly at: number;
  readonly isNamed: boolean;
}

/** A mark for each value of a series. */
function Points({ plot, series: { name, points }, at, isNamed, when, write }: PointsProps) {
  const first = points.findIndex(({ value }) => value !== null);
  return points.map((point, index) => {
    if (point.value === null) return null;
    const [cx, cy] = [plot.x(point.at), plot.y(point.value)];
    return (
      <Mark
        key={point.at}
        first={at === 0 && index === first}
        drill={point.drill}
        name={`${when(point.at)}${isNamed ? `, ${name}` : ''}: ${write(point.value)}`}
      >
        <rect
          x={cx - plot.step / 2}
          width={Math.max(plot.step, 4)}
          y={isNamed ? cy - 12 : plot.top}
          height={isNamed ? 24 : plot.bottom - plot.top}
          fill="transparent"
        />
        <circle
          cx={cx}
          cy={cy}
          r={4}
          fill={seriesColor(at)}
          className="opacity-0 group-hover/mark:opacity-100 group-focus-visible/mark:opacity-100"
        />
      </Mark>
    );
  });
}
