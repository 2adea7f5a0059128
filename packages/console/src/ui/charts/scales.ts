import { scaleLinear } from 'd3-scale';
import { dayOf, instantOf, startOf, zoneOffset } from './zone-days.ts';

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

/**
 * Instants to write below a time axis, at most `most` of them, on round hours or midnights of the zone. In milliseconds.
 */
export function timeTicks(from: number, to: number, most: number, timeZone: string): readonly number[] {
  const step = steps.find((size) => (to - from) / size <= most) ?? steps.at(-1)!;
  const ticks: number[] = [];
  let local = Math.ceil((from + zoneOffset(from, timeZone) * 60_000) / step) * step;
  for (; ticks.length <= most; local += step) {
    const at = instantOf(local, timeZone);
    if (at > to) break;
    if (at >= from) ticks.push(at);
  }
  return ticks;
}

/** A tick at midnight of the zone names the day; one within a day names the hour. */
export function isMidnight(at: number, timeZone: string): boolean {
  return startOf(dayOf(at, timeZone), timeZone) === at;
}

/** Runs of points that follow one another without a gap: a missing value ends a line and is never bridged. */
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

/** Places (px from the top) at least `gap` apart, for names next to the ends of lines; those too close move up. */
export function apart(wanted: readonly number[], gap: number): readonly number[] {
  const placed = [...wanted];
  let lowest = Number.POSITIVE_INFINITY;
  for (const [at, place] of [...wanted.entries()].toSorted(([, one], [, other]) => other - one)) {
    placed[at] = Math.min(place, lowest);
    lowest = placed[at] - gap;
  }
  return placed;
}
