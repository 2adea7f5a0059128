import { chartTexts as t } from '../../messages/charts.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import type { TimelineEvent, TimelineProps } from './timeline-event.ts';
import { TimelinePicture } from './timeline-picture.tsx';

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
