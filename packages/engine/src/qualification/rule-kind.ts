import type { Builder } from '../compile/builder.ts';
import type { PlanOffer } from '../compile/catalogue.ts';
import { type ConfigShape, wordField } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark, JsonObject } from '../compile/config-problems.ts';
import type { Scope } from '../compile/scopes.ts';
import { LIST_OPERATORS } from '../conditions/operator.ts';
import type { Candidate, Run } from '../run.ts';
import type { Json, SnapshotRule } from '../snapshot.ts';
import type { Wish } from '../why-not/edits.ts';

/** Stages in order of evaluation; `ranking` rules are stored and not applied. */
export const ruleStages = ['eligibility', 'fit', 'match'] as const;
export type RuleStage = (typeof ruleStages)[number];

/** One of the qualification rule types (docs/design/api-catalogue.md 9). */
export interface RuleKind extends ConfigShape {
  readonly ruleType: string;
  readonly defaultStage: RuleStage;
  /** Returns the problems that keep a config from being stored. The caller checks references. */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns what has no effect besides unknown keys. */
  readonly remarks?: (config: JsonObject) => readonly ConfigRemark[];
  /** Called only with a config that `check` accepts. */
  compile(rule: SnapshotRule, builder: Builder, offers: readonly PlanOffer[]): RuleBehaviour;
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

export const missingWords = ['fail', 'pass'] as const;

export const missingField = wordField(missingWords, 'What to do when the value is missing.', 'fail');

export const operatorField = wordField([...LIST_OPERATORS], 'How to compare the attribute with the value.');
