import { type VolumeCounts, type VolumeLimit, volumeFull } from '@arbiter/engine';
import { type DueReservation, type storedVolume, volumesOf } from '../../volumes/index.ts';
import type { VolumeWatch, WatchedVolume } from './volume-watch.ts';

// How far volumes got, and what that means for their limits: arithmetic only.

/** An answer has at most this many items, so a volume with more left is not used up by one. */
const maxItems = 50;
/** Volumes with less than this part left are recorded all the same (docs/design/recording.md S8). */
const nearlyAll = 0.98;

const nothing: VolumeCounts = { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 };

/** The sum; `times` -1: the difference. */
export const plus = (a: VolumeCounts, b: VolumeCounts, times: number): VolumeCounts => ({
  impressions: a.impressions + times * b.impressions,
  spentCents: a.spentCents + times * b.spentCents,
  dayImpressions: a.dayImpressions + times * b.dayImpressions,
  daySpentCents: a.daySpentCents + times * b.daySpentCents,
});

/** The figures of a day that is over are 0. */
export function countsOf(stored: ReturnType<typeof storedVolume>, dayStart: number): VolumeCounts {
  const { impressions, spentCents } = stored;
  if (stored.dayAt < dayStart) return { impressions, spentCents, dayImpressions: 0, daySpentCents: 0 };
  return { impressions, spentCents, dayImpressions: stored.dayImpressions, daySpentCents: stored.daySpentCents };
}

/** Subtracts expired amounts that the rows still include. */
export function giveBack(
  counts: Map<string, VolumeCounts>,
  names: { has(name: string): boolean },
  due: readonly DueReservation[],
  now: number,
  dayStart: number,
): void {
  for (const row of due) {
    if (row.expiresAt > now) continue;
    const today = row.reservedAt >= dayStart;
    const reserved = {
      impressions: 1,
      spentCents: row.costCents,
      dayImpressions: today ? 1 : 0,
      daySpentCents: today ? row.costCents : 0,
    };
    for (const { name } of volumesOf(row)) {
      const before = names.has(name) ? counts.get(name) : undefined;
      if (before !== undefined) counts.set(name, plus(before, reserved, -1));
    }
  }
}

/** The volume of a category is the sum of its offers. */
export function sumUp(watch: VolumeWatch, counts: Map<string, VolumeCounts>): void {
  for (const [name, { parts }] of watch.byName) if (parts !== null) counts.set(name, sumOf(parts, counts));
}

const sumOf = (parts: readonly string[], counts: ReadonlyMap<string, VolumeCounts>): VolumeCounts =>
  parts.reduce((sum, part) => plus(sum, counts.get(part) ?? nothing, 1), nothing);

/** Returns what's left up to a limit, in impressions. */
export const leftOf = ({ measure, max, nextCents }: VolumeLimit, counts: VolumeCounts): number =>
  (max - counts[measure]) / Math.max(1, nextCents);

/** Whether some limit lets no further impression through. */
export const isFull = ({ volume }: WatchedVolume, counts: VolumeCounts): boolean =>
  volume.limits.some((limit) => volumeFull(limit, counts));

/** Whether the next answer could use it up, or there is next to nothing left. */
export const isNear = ({ volume }: WatchedVolume, counts: VolumeCounts): boolean =>
  volume.limits.some(
    (limit) =>
      limit.max !== Number.POSITIVE_INFINITY &&
      (volumeFull(limit, counts) ||
        counts[limit.measure] >= limit.max * nearlyAll ||
        leftOf(limit, counts) <= maxItems ||
        // A spend without a price of its own: an item may cost anything.
        (limit.nextCents === 0 && isSpend(limit))),
  );

const isSpend = ({ measure }: VolumeLimit): boolean => measure === 'spentCents' || measure === 'daySpentCents';

/** The limits that let a further impression through; none of a volume that is counted without a limit. */
export const openLimits = ({ volume }: WatchedVolume, counts: VolumeCounts): readonly VolumeLimit[] =>
  volume.limits.filter((limit) => limit.max !== Number.POSITIVE_INFINITY && !volumeFull(limit, counts));

/** Whether more was counted than one of these limits allows, once it was raised. */
export const isAbove = (
  { ref, parts }: WatchedVolume,
  limits: readonly VolumeLimit[],
  after: ReadonlyMap<string, VolumeCounts>,
): boolean => {
  const counts = parts === null ? after.get(ref.name) : sumOf(parts, after);
  return counts === undefined || limits.some(({ measure, max }) => counts[measure] > max);
};
