import type { ReactNode } from 'react';
import { chartTexts as t } from '../../messages/charts.ts';
import type { Tone } from '../badge.tsx';
import type { Drill } from '../drill.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import { TimelinePicture } from './timeline-picture.tsx';

export interface TimelineEvent {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** End of a period: a window, a pause. */
  readonly until?: number | undefined;
  /** What happened: "shown Gold Birthday Drink". */
  readonly name: string;
  readonly tone: Tone;
  /** Draws a period as a bracket: something is counted in it, but doesn't last all of it. */
  readonly bracket?: boolean;
  /** Drawn as a ring: not settled yet. */
  readonly open?: boolean;
  readonly drill: Drill;
}

export interface TimelineProps {
  readonly title: string;
  readonly summary: string;
  readonly lanes: readonly { readonly name: string; readonly events: readonly TimelineEvent[] }[];
  readonly from: number;
  readonly to: number;
  /** Marks the current time. */
  readonly now?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

/** Events over time in lanes: dots for moments, rings for open ones, bars for periods. */
export function Timeline({ title, summary, lanes, from, to, now, empty, foot }: TimelineProps) {
  const format = useFormat();
  const { timeZone } = format.locale;
  const when = ({ at, until }: TimelineEvent) =>
    until === undefined ? format.moment(at) : t.between(format.moment(at), format.moment(until));
  const table = {
    head: [t.time, t.lane, t.what],
    fileHead: [t.from, t.until, t.lane, t.what],
    rows: lanes
      .flatMap((lane) => lane.events.map((event) => ({ lane: lane.name, event })))
      .sort((a, b) => b.event.at - a.event.at)
      .map(({ lane, event }) => ({
        key: event.key,
        cells: [when(event), lane, event.name],
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
      {(width) => <TimelinePicture {...{ lanes, from, to, now, when, width }} name={`${title}. ${summary}`} />}
    </ChartFrame>
  );
}
