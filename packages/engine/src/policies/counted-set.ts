import { NONE } from '../compile/plan.ts';
import type { Scope } from '../compile/scopes.ts';
import type { Candidate } from '../run.ts';
import type { LaneView } from './lane-view.ts';

/** What `config.per` narrows a counted set to: the candidate's own offer, creative, channel or category. */
export const perWords = ['scope', 'offer', 'creative', 'channel', 'category'] as const;
export type Per = (typeof perWords)[number];

/**
 * What one policy found in a customer's contacts: per assignment, bucket -> numbers (counts per limit, or the latest
 * contact). Each assignment counts for itself (api-catalogue.md 8.1).
 */
export interface CountedSet {
  readonly buckets: readonly Map<number, number[]>[];
  readonly reach: Reach;
}

/** Which candidates in scope a policy could block in this decision: none, all, or those of these offers. */
export type Reach = 'none' | 'all' | readonly number[];

/**
 * Folds the lanes of each assignment into buckets. `matters`: false for lanes that add nothing; `add` takes one lane in
 * and says whether the bucket blocks now.
 */
export function foldLanes(
  lanes: LaneView,
  scope: Scope,
  per: Per,
  start: readonly number[],
  matters: (lane: number) => boolean,
  add: (numbers: number[], lane: number) => boolean,
): CountedSet {
  let clear = true;
  const offers = per === 'offer' ? new Set<number>() : null;
  const buckets = scope.assignments.map((assignment) => {
    const map = new Map<number, number[]>();
    const whole = per === 'scope' && lanes.size > 0 ? bucketIn(map, 0, start) : null;
    for (let lane = 0; lane < lanes.size; lane++) {
      if (!matters(lane) || !assignment.counts(lanes, lane)) continue;
      if (!add(whole ?? bucketIn(map, bucketOfLane(per, lanes, lane), start), lane)) continue;
      clear = false;
      offers?.add(lanes.offer[lane]!);
    }
    return map;
  });
  return { buckets, reach: clear ? 'none' : offers === null ? 'all' : [...offers] };
}

/** The numbers of a bucket, made from `start` when there are none yet. */
export function bucketIn(buckets: Map<number, number[]>, bucket: number, start: readonly number[]): number[] {
  let numbers = buckets.get(bucket);
  if (numbers === undefined) {
    numbers = start.slice();
    buckets.set(bucket, numbers);
  }
  return numbers;
}

/** Number of the part of a candidate that a counted set is narrowed to. */
export function bucketOf(per: Per, candidate: Candidate): number {
  switch (per) {
    case 'scope':
      return 0;
    case 'offer':
      return candidate.offer.ordinal;
    case 'creative':
      return candidate.creative === null ? NONE : candidate.creative.ordinal;
    case 'channel':
      return candidate.creative === null ? NONE : candidate.creative.channel;
    case 'category':
      return candidate.offer.category;
  }
}

function bucketOfLane(per: Per, lanes: LaneView, lane: number): number {
  switch (per) {
    case 'scope':
      return 0;
    case 'offer':
      return lanes.offer[lane]!;
    case 'creative':
      return lanes.creative[lane]!;
    case 'channel':
      return lanes.channel[lane]!;
    case 'category':
      return lanes.category[lane]!;
  }
}
