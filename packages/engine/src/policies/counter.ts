import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { LaneView } from '../plan/lanes.ts';
import type { Limit } from '../plan/offer.ts';
import type { Reach } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import type { Assignment } from '../plan/scope.ts';
import { bucketOf, bucketOfLane, oncePerDecision, type Per, reachOfFound } from './counted-set.ts';
import { addTally, tallyOf, tallyReaches } from './tally.ts';

/** What a policy counts, and the limits on it. */
export interface Counting<L extends Limit> {
  /** Each counts on its own: contacts that it `counts`, for candidates that it `matches`. */
  readonly assignments: readonly Assignment[];
  /** What an assignment's contacts are grouped by. */
  readonly per: Per;
  readonly limits: readonly L[];
  /** Which contacts count, besides the assignment's own filter; null: all. */
  readonly countsLane: ((lanes: LaneView, lane: number) => boolean) | null;
  /** Which items of the answer in progress count; null: all. */
  readonly countsItem: ((run: Run, candidate: Candidate) => boolean) | null;
}

/** Counts the contacts of one policy, once for each decision, and the items that are taken into the answer. */
export interface Counter<L extends Limit> {
  reachOf(run: Run): Reach;
  /** Whether some limit has nothing left for the candidate. */
  isFull(run: Run, candidate: Candidate): boolean;
  /** The first limit with nothing left for the candidate, or null. */
  full(run: Run, candidate: Candidate): FullLimit<L> | null;
  /** Counts an item of the answer; true when a limit is used up now. */
  take(run: Run, candidate: Candidate): boolean;
}

export interface FullLimit<L extends Limit> {
  readonly limit: L;
  /** Contacts in its window. */
  readonly actual: number;
  /** Kind of the assignment. */
  readonly word: string;
}

/** A counting in the plan's numbers. */
interface CompiledCounting<L extends Limit> extends Omit<Counting<L>, 'limits'> {
  readonly limits: readonly CompiledLimit<L>[];
  /** First of its rows of the tally: one per limit of each assignment, because each counts on its own. */
  readonly firstRow: number;
  /** True: some limit admits no contact at all. */
  readonly closed: boolean;
}

interface CompiledLimit<L extends Limit> {
  /** Position in `plan.windows`. */
  readonly window: number;
  readonly max: number;
  readonly limit: L;
}

/** A counter for one policy of one plan: the loop that all caps share (docs/design/api-catalogue.md 8.1 to 8.3). */
export function createCounter<L extends Limit>(counting: Counting<L>, builder: Builder): Counter<L> {
  const { assignments, per, countsItem } = counting;
  const limits = counting.limits.map((limit) => ({ window: builder.window(limit.spec), max: limit.max, limit }));
  const firstRow = builder.rows(assignments.length * limits.length);
  const compiled = { ...counting, limits, firstRow, closed: limits.some(({ max }) => max === 0) };
  // All contacts of the customer plus a full answer stay below each limit. It can't block anything, so don't count.
  let far = false;
  const reachOf = oncePerDecision((run) => {
    far = isFar(run, limits);
    return far ? 'none' : countContacts(run, compiled);
  });
  return {
    reachOf,
    isFull(run, candidate) {
      reachOf(run);
      if (far) return false;
      const { tally } = run.scratch;
      for (let a = 0; a < assignments.length; a++) {
        if (!assignments[a]!.matches(candidate)) continue;
        const bucket = bucketOf(per, candidate);
        for (let l = 0; l < limits.length; l++) {
          if (tallyReaches(tally, firstRow + a * limits.length + l, bucket, limits[l]!.max)) return true;
        }
      }
      return false;
    },
    full(run, candidate) {
      reachOf(run);
      if (far) return null;
      for (let a = 0; a < assignments.length; a++) {
        const { matches, word } = assignments[a]!;
        if (!matches(candidate)) continue;
        for (let l = 0; l < limits.length; l++) {
          const { limit, max } = limits[l]!;
          const actual = tallyOf(run.scratch.tally, firstRow + a * limits.length + l, bucketOf(per, candidate));
          if (actual >= max) return { limit, actual, word };
        }
      }
      return null;
    },
    take(run, candidate) {
      // An offer is in an answer once, unless several placements may show it.
      if (per === 'offer' && run.target.slots === null) return false;
      if (limits.length === 0 || (countsItem !== null && !countsItem(run, candidate))) return false;
      reachOf(run);
      if (far) return false;
      const { tally } = run.scratch;
      let full = false;
      for (let a = 0; a < assignments.length; a++) {
        if (!assignments[a]!.matches(candidate)) continue;
        const bucket = bucketOf(per, candidate);
        for (let l = 0; l < limits.length; l++) {
          if (addTally(tally, firstRow + a * limits.length + l, bucket, 1, limits[l]!.max)) full = true;
        }
      }
      return full;
    },
  };
}

function isFar<L extends Limit>({ lanes, maxItems }: Run, limits: readonly CompiledLimit<L>[]): boolean {
  for (let l = 0; l < limits.length; l++) {
    const { window, max } = limits[l]!;
    if (lanes.totals[window]! + maxItems >= max) return false;
  }
  return true;
}

/** Adds the customer's contacts to the tally. Returns which candidates could be blocked by them. */
function countContacts<L extends Limit>(run: Run, counting: CompiledCounting<L>): Reach {
  const { assignments, limits, per, countsLane, firstRow, closed } = counting;
  const { lanes } = run;
  const { tally } = run.scratch;
  let found = false;
  let offers: number[] | null = null;
  for (let lane = 0; lane < lanes.size; lane++) {
    if (countsLane !== null && !countsLane(lanes, lane)) continue;
    for (let a = 0; a < assignments.length; a++) {
      if (!assignments[a]!.counts(lanes, lane)) continue;
      for (let l = 0; l < limits.length; l++) {
        const { window, max } = limits[l]!;
        const contacts = lanes.counts[window * lanes.size + lane]!;
        if (contacts === 0) continue;
        const row = firstRow + a * limits.length + l;
        if (!addTally(tally, row, bucketOfLane(per, lanes, lane), contacts, max)) continue;
        found = true;
        if (per !== 'offer') continue;
        offers ??= [];
        offers.push(lanes.offer[lane]!);
      }
    }
  }
  return closed ? 'all' : reachOfFound(found, offers);
}
