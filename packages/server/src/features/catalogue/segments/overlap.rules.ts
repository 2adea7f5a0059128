import type { SegmentOverlap } from '@arbiter/contract';

interface NamedSegment {
  readonly id: string;
  readonly name: string;
}

/** Overlaps above this share of the smaller segment are warned of, in percent. */
const warnAbove = 30;

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;

/** Returns all pairs, and all together when there are more than two. */
function setsOf(count: number): number[][] {
  const all = Array.from({ length: count }, (_, at) => at);
  const pairs = all.flatMap((a) => all.slice(a + 1).map((b) => [a, b]));
  return count > 2 ? [...pairs, all] : pairs;
}

/** Figures of segments from how many customers belong to exactly which of them. `share`: the part that was checked. */
export function compareSegments(
  segments: readonly NamedSegment[],
  counts: ReadonlyMap<number, number>,
  share: number,
): Omit<SegmentOverlap, 'sampled'> {
  const counted = [...counts];
  const inAll = (members: readonly number[]): number => {
    const wanted = members.reduce((bits, at) => bits | (1 << at), 0);
    return counted.reduce((sum, [bits, count]) => ((bits & wanted) === wanted ? sum + count : sum), 0);
  };
  const scaled = (count: number): number => Math.round(count / share);
  const sizes = segments.map((_, at) => inAll([at]));
  const overlaps = setsOf(segments.length).map((members) => {
    const count = inAll(members);
    const smallest = Math.min(...members.map((at) => sizes[at] ?? 0));
    const percent = smallest === 0 ? 0 : twoDecimals((count / smallest) * 100);
    return { members, segments: members.map((at) => segments[at]?.id ?? ''), count: scaled(count), percent };
  });
  return {
    segments: segments.map(({ id, name }, at) => ({ id, name, size: scaled(sizes[at] ?? 0) })),
    overlaps: overlaps.map(({ members: _members, ...overlap }) => overlap),
    totalUniqueCustomers: scaled(counted.reduce((sum, [, count]) => sum + count, 0)),
    overlapWarnings: overlaps
      .filter(({ percent }) => percent > warnAbove)
      .map(({ members, segments: ids, percent }) => ({
        segments: ids,
        percent,
        message: `${members.map((at) => JSON.stringify(segments[at]?.name)).join(' and ')} share ${percent} % of the smallest segment`,
      })),
  };
}
