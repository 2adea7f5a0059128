import { scaleTime } from 'd3-scale';
import type { Tone } from '../badge.tsx';
import { useFormat } from '../provider.tsx';
import { Mark, Picture } from './mark.tsx';
import { isMidnight, timeTicks } from './scales.ts';
import type { TimelineEvent, TimelineProps } from './timeline-event.ts';

/** Heights of a lane and of the time axis, and the space at the end, in px. */
const laneHeight = 32;
const axisHeight = 22;
const endSpace = 8;
/** Average width of a letter, in px. */
const letterWidth = 6.8;

export interface TimelinePictureProps extends Pick<TimelineProps, 'lanes' | 'from' | 'to'> {
  readonly name: string;
  readonly now: number | undefined;
  readonly when: (event: TimelineEvent) => string;
  readonly width: number;
}

/** The drawing of a timeline. */
export function TimelinePicture({ name, lanes, from, to, now, when, width }: TimelinePictureProps) {
  const start = Math.min(180, width * 0.3);
  const letters = Math.floor(start / letterWidth);
  const height = lanes.length * laneHeight + axisHeight;
  const x = scaleTime()
    .domain([from, to])
    .range([start, width - endSpace])
    .clamp(true);
  return (
    <Picture width={width} height={height} name={name}>
      <TimeAxis {...{ from, to, now, x, start, width, height }} />
      {lanes.map((lane, row) => {
        const y = row * laneHeight + laneHeight / 2;
        return (
          <g key={lane.name}>
            <g aria-hidden>
              <text x={0} y={y} dy="0.32em" className="fill-soft">
                {lane.name.length > letters ? `${lane.name.slice(0, letters - 1)}…` : lane.name}
              </text>
              <line x1={start} x2={width - endSpace} y1={y} y2={y} className="stroke-line" />
            </g>
            {lane.events.map((event, at) => (
              <Mark
                key={event.key}
                first={at === 0 && lanes.slice(0, row).every(({ events }) => events.length === 0)}
                drill={event.drill}
                name={`${when(event)}, ${event.name}`}
              >
                <rect x={x(event.at) - 12} y={y - 12} width={24} height={24} fill="transparent" />
                <EventShape event={event} x={x} y={y} />
              </Mark>
            ))}
          </g>
        );
      })}
    </Picture>
  );
}

type TimeScale = (at: number) => number;

interface TimeAxisProps extends Pick<TimelinePictureProps, 'from' | 'to' | 'now' | 'width'> {
  readonly x: TimeScale;
  readonly start: number;
  readonly height: number;
}

function TimeAxis({ from, to, now, x, start, width, height }: TimeAxisProps) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const bottom = height - axisHeight + 2;
  return (
    <g aria-hidden>
      {timeTicks(from, to, Math.max(2, Math.floor((width - start) / 90)), timeZone).map((tick) => (
        <g key={tick}>
          <line x1={x(tick)} x2={x(tick)} y1={0} y2={bottom} className="stroke-line" />
          <text x={x(tick)} y={height - 6} textAnchor="middle" className="fill-faint">
            {isMidnight(tick, timeZone) ? format.day(tick) : format.hour(tick)}
          </text>
        </g>
      ))}
      {now === undefined ? null : (
        <line x1={x(now)} x2={x(now)} y1={0} y2={bottom} className="stroke-accent" strokeDasharray="3 3" />
      )}
    </g>
  );
}

const colorOf = (tone: Tone) => (tone === 'neutral' ? 'var(--soft)' : `var(--${tone})`);

interface EventShapeProps {
  readonly event: TimelineEvent;
  readonly x: TimeScale;
  readonly y: number;
}

/** A dot or ring, a bracket, or a bar. */
function EventShape({ event: { at, until, tone, bracket, open }, x, y }: EventShapeProps) {
  const color = colorOf(tone);
  if (until === undefined) {
    const fill = open ? 'var(--surface)' : color;
    return <circle data-mark cx={x(at)} cy={y} r={5} fill={fill} stroke={color} strokeWidth={2} />;
  }
  if (bracket) {
    const path = `M${x(at)},${y - 7}v14M${x(at)},${y}H${x(until)}M${x(until)},${y - 7}v14`;
    return <path data-mark d={path} fill="none" stroke={color} strokeWidth={2} />;
  }
  const width = Math.max(3, x(until) - x(at));
  return <rect data-mark x={x(at)} y={y - 5} width={width} height={10} rx={2} fill={color} opacity={0.75} />;
}
