import { round6 } from '@arbiter/engine';

/** A part of a whole in percent, two decimals; 0 of 0 is 0. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;

/** The ratio with two decimals; 0 without a divisor. */
export const mean = (sum: number, count: number): number => (count === 0 ? 0 : Math.round((sum * 100) / count) / 100);

/** How numbers lie, with interpolated quantiles; null without numbers. */
export function distribution(values: readonly number[]) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? 0;
    const above = sorted[Math.ceil(place)] ?? 0;
    return round6(below + (above - below) * (place - Math.floor(place)));
  };
  return {
    min: at(0),
    max: at(1),
    avg: round6(sorted.reduce((sum, value) => sum + value / sorted.length, 0)),
    median: at(0.5),
    p25: at(0.25),
    p75: at(0.75),
  };
}

/** Members of a segment among some customers. */
export interface SegmentMembers {
  readonly name: string;
  readonly members: ReadonlySet<string>;
}

/** The five segments with most members among `chosen`, then by name; those without any are left out. */
export function topSegments(
  segments: readonly SegmentMembers[],
  chosen: ReadonlySet<string>,
): { readonly segment: string; readonly affected: number; readonly total: number }[] {
  return segments
    .map(({ name, members }) => {
      let affected = 0;
      for (const customerId of members) if (chosen.has(customerId)) affected += 1;
      return { segment: name, affected, total: members.size };
    })
    .filter(({ affected }) => affected > 0)
    .sort((a, b) => b.affected - a.affected || (a.segment < b.segment ? -1 : 1))
    .slice(0, 5);
}
