import type { Candidate } from './candidate.ts';
import type { Wish } from './probe.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';
import type { Json } from './snapshot.ts';

/** Stages in order of evaluation; `ranking` rules are stored and not applied. */
export const ruleStages = ['eligibility', 'fit', 'match'] as const;

export type RuleStage = (typeof ruleStages)[number];

/** A rule bound to the plan. */
export interface CompiledRule {
  readonly id: string;
  readonly name: string;
  readonly ruleType: string;
  readonly stage: RuleStage;
  /** Factor of `fitMultiplier` when a match rule fails. */
  readonly penalty: number;
  readonly scope: Scope;
  readonly behaviour: RuleBehaviour;
}

export interface RuleBehaviour {
  /** True when the answer is the same for all candidates of a decision: it's asked once, with null. */
  readonly perCustomer: boolean;
  /** True when it reads what only a creative tells (its channel). */
  readonly needsCreative: boolean;
  /** True when it uses the flow's expectation of an offer, which may depend on the channel. */
  readonly readsScoring?: boolean;
  /** Offers that fail in every decision; the others pass in every decision. Null: it depends on the decision. */
  readonly failingOffers: readonly number[] | null;
  passes(run: Run, candidate: Candidate | null): boolean;
  /** Text and detail fields of a failed rule. */
  explain(run: Run, candidate: Candidate): RuleVerdict;
  /** Returns what would satisfy the failed rule; absent: there's nothing to suggest. */
  wishes?(run: Run, candidate: Candidate): readonly Wish[];
  /** True: it does not depend on the clock, so that waiting does not help. */
  readonly timeless?: boolean;
}

export interface RuleVerdict {
  readonly reason: string;
  readonly detail: Json;
}
