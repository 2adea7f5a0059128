import { scaleTime } from 'd3-scale';
import type { ReactNode } from 'react';
import { chartTexts as t } from '../../messages/charts.ts';
import type { Tone } from '../badge.tsx';
import type { Drill } from '../drill.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import { Mark, Picture } from './mark.tsx';
import { isMidnight, timeTicks } from './scales.ts';

export interface TimelineEvent {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** End of what lasts: a window, a pause. */
  readonly until?: number | undefined;
  /** What happened: "shown Gold Birthday Drink". */
  readonly name: string;
  readonly tone: Tone;
  /** What lasts is drawn as a bracket: a time in which something is counted, not one in which something happens. */
  readonly bracket?: boolean;
  /** Drawn as a ring: it is not settled yet. */
  readonly open?: boolean;
  readonly drill: Drill;
}

export interface TimelineProps {
  readonly title: string;
  readonly summary: string;
  readonly lanes: readonly { readonly name: string; readonly events: readonly TimelineEvent[] }[];
  readonly from: number;
  readonly to: number;
  /** Draws where now is. */
  readonly now?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

const laneHeight = 32;
const colour = (tone: Tone) => (tone === 'neutral' ? 'var(--soft)' : `var(--${tone})`);

/** What happened when, lane by lane: dots for moments, rings for what is open, bars for what lasts. */
export function Timeline({ title, summary, lanes, from, to, now, empty, foot }: TimelineProps) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const named = (event: TimelineEvent) =>
    `${event.until === undefined ? format.moment(event.at) : t.between(format.moment(event.at), format.moment(event.until))}, ${event.name}`;
  const table = {
    head: [t.time, t.lane, t.what],
    fileHead: [t.from, t.until, t.lane, t.what],
    rows: lanes
      .flatMap((lane) => lane.events.map((event) => ({ lane: lane.name, event })))
      .sort((a, b) => b.event.at - a.event.at)
      .map(({ lane, event }) => ({
        key: event.key,
        cells: [
          event.until === undefined
            ? format.moment(event.at)
            : t.between(format.moment(event.at), format.moment(event.until)),
          lane,
          event.name,
        ],
        values: [
          new Date(event.at).toISOString(),
          event.until === undefined ? null : new Date(event.until).toISOString(),
          lane,
          event.name,
        ],
        drill: event.drill,
      })),
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
          <span>{t.times(timeZone)}</span>
        </>
      }
    >
      {(width) => {
        const names = Math.min(180, width * 0.3);
        const letters = Math.floor(names / 6.8);
        const height = lanes.length * laneHeight + 22;
        const x = scaleTime()
          .domain([from, to])
          .range([names, width - 8])
          .clamp(true);
        return (
          <Picture width={width} height={height} name={`${title}. ${summary}`}>
            <g aria-hidden>
              {timeTicks(from, to, Math.max(2, Math.floor((width - names) / 90)), timeZone).map((tick) => (
                <g key={tick}>
                  <line x1={x(tick)} x2={x(tick)} y1={0} y2={height - 20} className="stroke-line" />
                  <text x={x(tick)} y={height - 6} textAnchor="middle" className="fill-faint">
                    {isMidnight(tick, timeZone) ? format.day(tick) : format.hour(tick)}
                  </text>
                </g>
              ))}
              {now === undefined ? null : (
                <line x1={x(now)} x2={x(now)} y1={0} y2={height - 20} className="stroke-accent" strokeDasharray="3 3" />
              )}
            </g>
            {lanes.map((lane, row) => {
              const y = row * laneHeight + laneHeight / 2;
              return (
                <g key={lane.name}>
                  <g aria-hidden>
                    <text x={0} y={y} dy="0.32em" className="fill-soft">
                      {lane.name.length > letters ? `${lane.name.slice(0, letters - 1)}…` : lane.name}
                    </text>
                    <line x1={names} x2={width - 8} y1={y} y2={y} className="stroke-line" />
                  </g>
                  {lane.events.map((event, at) => (
                    <Mark
                      key={event.key}
                      first={at === 0 && lanes.slice(0, row).every(({ events }) => events.length === 0)}
                      drill={event.drill}
                      name={named(event)}
                    >
                      <rect x={x(event.at) - 12} y={y - 12} width={24} height={24} fill="transparent" />
                      {event.until === undefined ? (
                        <circle
                          data-mark
                          cx={x(event.at)}
                          cy={y}
                          r={5}
                          fill={event.open ? 'var(--surface)' : colour(event.tone)}
                          stroke={colour(event.tone)}
                          strokeWidth={2}
                        />
                      ) : event.bracket ? (
                        <path
                          data-mark
                          d={`M${x(event.at)},${y - 7}v14M${x(event.at)},${y}H${x(event.until)}M${x(event.until)},${y - 7}v14`}
                          fill="none"
                          stroke={colour(event.tone)}
                          strokeWidth={2}
                        />
                      ) : (
                        <rect
                          data-mark
                          x={x(event.at)}
                          y={y - 5}
                          width={Math.max(3, x(event.until) - x(event.at))}
                          height={10}
                          rx={2}
                          fill={colour(event.tone)}
                          opacity={0.75}
                        />
                      )}
                    </Mark>
                  ))}
                </g>
              );
            })}
          </Picture>
        );
      }}
    </ChartFrame>
  );
}
