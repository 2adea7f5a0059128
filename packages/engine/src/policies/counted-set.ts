import { NONE } from '../compile/plan.ts';
import type { Candidate } from '../run.ts';
import { channelsOf, creativesOf, type LaneView } from './lane-view.ts';

/** What `config.per` narrows a counted set to: the candidate's own offer, creative, channel or category. */
export const perWords = ['scope', 'offer', 'creative', 'channel', 'category'] as const;
export type Per = (typeof perWords)[number];

/** Which candidates in scope a policy could block in this decision: none, all, or those of these offers. */
export type Reach = 'none' | 'all' | readonly number[];

/** Number of the part of a candidate that a counted set is narrowed to. */
export function bucketOf(per: Per, candidate: Candidate): number {
  switch (per) {
    case 'scope':
      return 0;
    case 'offer':
      return candidate.ordinal;
    case 'creative':
      return candidate.creative === null ? NONE : candidate.creative.ordinal;
    case 'channel':
      return candidate.creative === null ? NONE : candidate.creative.channel;
    case 'category':
      return candidate.offer.category;
  }
}

export function bucketOfLane(per: Per, lanes: LaneView, lane: number): number {
  switch (per) {
    case 'scope':
      return 0;
    case 'offer':
      return lanes.offer[lane]!;
    case 'creative':
      return creativesOf(lanes)[lane]!;
    case 'channel':
      return channelsOf(lanes)[lane]!;
    case 'category':
      return lanes.category[lane]!;
  }
}
