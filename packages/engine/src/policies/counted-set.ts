import { wordField } from '../compile/config-fields.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { LaneView } from '../plan/lanes.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Reach } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import { channelsOf, creativesOf } from './lane-view.ts';

/** What `config.per` narrows a counted set to: the candidate's own offer, creative, channel or category. */
export const perWords = ['scope', 'offer', 'creative', 'channel', 'category'] as const;
export type Per = (typeof perWords)[number];

export const perField = wordField(
  perWords,
  'What to count together: everything in scope (`scope`), or each offer, creative, channel or category separately.',
  'scope',
);

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

/** Counts once per decision, on first use. The tally then has the sums. A count that throws has counted nothing. */
export function oncePerDecision(count: (run: Run) => Reach): (run: Run) => Reach {
  let counted = 0;
  let reach: Reach = 'none';
  return (run) => {
    if (counted === run.number) return reach;
    reach = count(run);
    counted = run.number;
    return reach;
  };
}

/** Returns the reach once blocking contacts were `found`: these offers, or all, when it isn't by offer (null). */
export function reachOfFound(found: boolean, offers: number[] | null): Reach {
  if (!found) return 'none';
  if (offers === null) return 'all';
  return offers.length > 1 ? offers.sort(ascending) : offers;
}

const ascending = (a: number, b: number): number => a - b;
