import type { DecisionTrace, DroppedRow } from './decision.ts';
import type { Json } from './snapshot.ts';

export type StageRow = DecisionTrace['pipeline'][number];

/** Collects the trace of one decision (docs/design/api-decisioning.md 11). */
export interface TraceBuilder {
  stage(row: StageRow): void;
  drop(row: DroppedRow): void;
  /** The offer is a candidate by another list than the one that refused it; a trace that is whole then forgets the refusal. */
  cameBack(offerId: string): void;
  qualification(row: QualificationRow): void;
  policy(row: PolicyRow): void;
  suppression(row: SuppressionRow): void;
  /** Best first. */
  scored(row: ScoredRow): void;
  /** Records the policies whose blocks an override lifted for an offer. */
  liftedFrom(offerId: string, overrideId: string): readonly string[];
  /** `winners`: offers of the answer, whose rows come first. */
  build(winners: ReadonlySet<string>): DecisionTrace;
}

export interface QualificationRow {
  readonly offerId: string;
  readonly passed: boolean;
  readonly reason: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly ruleType: string | null;
  readonly stage: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly penalty: number | null;
  readonly detail: Json;
}

export interface PolicyRow {
  readonly offerId: string;
  readonly blocked: boolean;
  readonly reason: string | null;
  readonly policyId: string;
  readonly policyName: string;
  readonly ruleType: string;
  readonly status: 'passed' | 'blocked' | 'skipped' | 'overridden';
  readonly overriddenBy: string | null;
  readonly detail: Json;
}

export interface SuppressionRow {
  readonly offerId: string;
  readonly blocked: boolean;
  readonly scope: string;
  readonly reason: string;
  readonly policyId: string | null;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** A scored candidate's part of a trace; unrounded. */
export interface ScoredRow {
  readonly offerId: string;
  readonly score: number;
  /** Name of the score method that gave the score. */
  readonly method: string;
  /** Exponents of the method `formula`; null where another method scored. */
  readonly exponents: {
    readonly propensity: number;
    readonly relevance: number;
    readonly impact: number;
    readonly emphasis: number;
  } | null;
  /** Weight of the chosen creative, 100 without one: a factor of `priority_weighted`. */
  readonly creativeWeight: number;
  readonly priority: number;
  readonly components: {
    readonly propensity: number;
    readonly relevance: number;
    readonly impact: number;
    readonly emphasis: number;
    readonly fitMultiplier: number;
  };
  readonly modelKey: string | null;
  readonly modelType: string | null;
  readonly propensitySource: string;
  readonly positives: number;
  readonly negatives: number;
  /** By key of the shadow model. */
  readonly shadowScores: Readonly<Record<string, number>>;
  /** The features that matter most to the model, with what they add to its raw score. */
  readonly contributions: readonly { readonly feature: string; readonly value: number }[];
}
