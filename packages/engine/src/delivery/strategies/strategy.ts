import type { Candidate } from '../../plan/candidate.ts';
import type { Run } from '../../plan/run.ts';

/** Config of a rank node with method `explore_exploit`, defaults filled in (docs/design/api-decisioning.md 8). */
export interface ExploreExploit {
  /** Chance of a place to explore, 0 to 1. */
  readonly explorationRate: number;
  /** Explore among offers with less evidence than `minEvidence` only. */
  readonly lowEvidence: boolean;
  readonly minEvidence: number;
  readonly temperature: number;
  readonly ucbC: number;
  /** Repetitions that estimate a probability, unless there are too many places (see `thompson`). */
  readonly draws: number;
  readonly poolSize: number;
  readonly fromRank: number;
}

/** A way to choose from the pool; one file and one line of `explore-exploit.ts` each. */
export interface ExploreStrategy {
  readonly name: string;
  /** True when it reads the evidence of the candidates themselves, whatever the score method does. */
  readsEvidence(settings: ExploreExploit): boolean;
  /** Starts one answer. */
  begin(run: Run, settings: ExploreExploit, list: RankedList): Chooser;
}

/** What's known of the list before the first place is filled. */
export interface RankedList {
  /** `rank:<nodeId>`: the stream that all places of the answer draw from, one after the other. */
  readonly next: () => number;
  readonly nodeId: string;
  /** Largest score of the list: what scores are measured against at every place. */
  readonly maxScore: number;
}

export interface Chooser {
  /** Position of its choice in the first `size` candidates of the pool, which are in tie-break order; at least 2. */
  choose(pool: readonly Candidate[], size: number, place: number): number;
  /** Chance that the latest `choose` had to come to this position. */
  chance(position: number): number;
  /** Repetitions that chances are estimated by; absent: they are exact. */
  readonly draws?: number;
}

/** Score as a share of the best one in the list; 0 when nothing has a score. */
export function shareOf({ scratch }: Run, { at }: Candidate, maxScore: number): number {
  return maxScore === 0 ? 0 : scratch.columns.score[at]! / maxScore;
}
