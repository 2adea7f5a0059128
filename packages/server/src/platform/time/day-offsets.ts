import { inTurns } from '../turns.ts';
import { zoneOffsetsSince } from './zones.ts';

/**
 * Turns instants into a zone's calendar days by addition: `days = floor((instant + offset) / day)`, with the offset of
 * the last `from` at or before the instant. For databases, which must not interpret zones themselves
 * (docs/design/quality.md F15).
 */
export interface DayOffsets {
  /** Epoch ms; the first is -Infinity. */
  readonly from: readonly number[];
  /** Seconds to add. */
  readonly seconds: readonly number[];
}

const dayMs = 86_400_000;
/** The oldest event that may be reported is of 1970. */
const firstYear = 1970;
const known = new Map<string, Promise<DayOffsets>>();
const maxZones = 1_000;

/**
 * Returns a zone's day offsets for instants from 1970 to 2044; days match `zoneClock`. Computed once per process, in
 * turns, because it takes tens of milliseconds. Rejects with RangeError when the zone doesn't exist.
 */
export function dayOffsets(zone: string): Promise<DayOffsets> {
  let found = known.get(zone);
  if (found === undefined) {
    if (known.size >= maxZones) known.clear();
    found = inTurns(zoneOffsetsSince(zone, firstYear)).then(toDayOffsets);
    known.set(zone, found);
    found.catch(() => known.delete(zone));
  }
  return found;
}

/**
 * A day begins at its first midnight. Where the clock goes back over midnight after midnight has passed, the date would
 * fall back too: so the old offset holds on until midnight comes the second time.
 */
function toDayOffsets(offsets: readonly (readonly [from: number, offsetMs: number])[]): DayOffsets {
  const from: number[] = [];
  const seconds: number[] = [];
  const add = (at: number, offsetMs: number): void => {
    from.push(at);
    seconds.push(offsetMs / 1000);
  };
  let before: number | null = null;
  for (const [at, after] of offsets) {
    if (before === null) add(Number.NEGATIVE_INFINITY, after);
    else {
      const midnight = Math.floor((at + before - 1) / dayMs) * dayMs;
      add(at + after < midnight ? midnight - after : at, after);
    }
    before = after;
  }
  return { from, seconds };
}
