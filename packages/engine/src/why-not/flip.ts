import type { DecisionInput } from '../plan/input.ts';
import type { Probe } from '../plan/probe.ts';
import type { Edit } from './edits.ts';

export type FlipKind = 'attribute' | 'time' | 'priority' | 'score';

/** A smallest change that puts the offer into the answer. Verified by another decision before it's reported. */
export interface Flip {
  readonly kind: FlipKind;
  readonly changes: readonly Edit[];
  /** Epoch ms of a `time` flip; null for the others. */
  readonly at: number | null;
  /** Rank that the offer then has. */
  readonly resultRank: number;
}

/** Decides, and returns the offer's rank in the answer, null when it isn't in it. */
export interface Attempt {
  /** Null: the search is over. */
  run(
    input: DecisionInput,
    change?: Partial<Pick<Probe, 'priority' | 'score'>>,
  ): { readonly rank: number | null } | null;
}
