import { scaleLinear } from 'd3-scale';

/** A value axis from 0 to a round number at or above the greatest value; never of height 0. */
export function valueScale(values: readonly number[], range: readonly [from: number, to: number], ticks = 4) {
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const scale = scaleLinear()
    .domain([least, most === least ? least + 1 : most])
    .range([...range])
    .nice(ticks);
  return { scale, ticks: scale.ticks(ticks) };
}

const steps = [
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  180,
  360,
  720,
  1440,
  2880,
  7 * 1440,
  14 * 1440,
  30 * 1440,
  91 * 1440,
  365 * 1440,
].map((minutes) => minutes * 60_000);

/** Minutes that the clocks of a zone are ahead of UTC at an instant. */
export function zoneOffset(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return Math.round((local - Math.floor(at / 60_000) * 60_000) / 60_000);
}

/**
 * Instants to write below a time axis, at most `most` of them, on round hours or midnights of the zone. In milliseconds.
 */
export function timeTicks(from: number, to: number, most: number, timeZone: string): readonly number[] {
  const step = steps.find((size) => (to - from) / size <= most) ?? steps.at(-1)!;
  const ticks: number[] = [];
  let local = Math.ceil((from + zoneOffset(from, timeZone) * 60_000) / step) * step;
  for (; ticks.length <= most; local += step) {
    // The offset is that of the tick itself: on the day of a change of the clock it is another than at the start.
    const guess = local - zoneOffset(local, timeZone) * 60_000;
    const at = local - zoneOffset(guess, timeZone) * 60_000;
    if (at > to) break;
    if (at >= from) ticks.push(at);
  }
  return ticks;
}

/** Runs of points that follow one another without a gap: a missing value ends a line, it is never bridged. */
export function unbroken<Point extends { readonly value: number | null }>(
  points: readonly Point[],
): readonly Point[][] {
  const runs: Point[][] = [];
  let open = false;
  for (const point of points) {
    if (point.value === null) {
      open = false;
      continue;
    }
    if (!open) runs.push([]);
    open = true;
    runs.at(-1)?.push(point);
  }
  return runs;
}

/** The first rows, and one more for all others together. */
export function withOthers<Row extends { readonly value: number }>(
  rows: readonly Row[],
  most: number,
  others: (rest: readonly Row[]) => Row,
): readonly Row[] {
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), others(rows.slice(most - 1))];
}
