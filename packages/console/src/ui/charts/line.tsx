import type { ReactNode } from 'react';
import { chartTexts as t } from '../../messages/charts.ts';
import { useFormat } from '../provider.tsx';
import { ChartFrame } from './frame.tsx';
import { LinePicture } from './line-picture.tsx';
import type { Series } from './series.ts';
import { dayOf } from './zone-days.ts';

export interface LineChartProps {
  readonly title: string;
  /** One sentence from the data. */
  readonly summary: string;
  /** At most eight. */
  readonly series: readonly Series[];
  /** Formats a value with its unit: "6 ms". */
  readonly write: (value: number) => string;
  /** Each point is a day in the tenant's time zone, at its start; times of day are hidden. */
  readonly daily?: boolean;
  /** Fills the area below the line; for one series. */
  readonly filled?: boolean;
  readonly height?: number;
  readonly empty?: string | undefined;
  readonly foot?: ReactNode;
}

/** Values over time, from zero, in the tenant's time zone. Lines have their names at the end, and gaps for unknown values. */
export function LineChart(props: LineChartProps) {
  const { title, summary, series, write, daily = false, filled = false, height = 200, empty, foot } = props;
  const format = useFormat();
  const { timeZone } = format.locale;
  const when = (at: number) => (daily ? format.date(at) : format.moment(at));
  const first = series.find(({ points }) => points.length > 0)?.points[0];
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b);
  const table = {
    head: [daily ? t.day : t.time, ...series.map(({ name }) => name)],
    rows: times.map((at) => {
      const values = series.map(({ points }) => points.find((point) => point.at === at));
      return {
        key: String(at),
        cells: [when(at), ...values.map((point) => (point?.value == null ? '–' : write(point.value)))],
        values: [
          daily ? dayOf(at, timeZone) : new Date(at).toISOString(),
          ...values.map((point) => point?.value ?? null),
        ],
        drill: values.find((point) => point && 'to' in point.drill)?.drill ?? first?.drill ?? { reason: 'unknown' },
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
      {(width) => (
        <LinePicture {...{ series, times, filled, when, write, width, height }} name={`${title}. ${summary}`} />
      )}
    </ChartFrame>
  );
}

/** One value over time, filled down to zero. */
export function AreaChart({ name, points, ...rest }: Omit<LineChartProps, 'series' | 'filled'> & Series) {
  return <LineChart {...rest} series={[{ name, points }]} filled />;
}
