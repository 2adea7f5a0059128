import type { EmptyReason } from './empty-reason.ts';
import type { Json } from './snapshot.ts';

/**
 * What `decide` returns: the answer, its proof and its effects as data. Numbers are unrounded
 * (docs/design/api-decisioning.md 1).
 */
export interface Decision {
  readonly items: readonly DecisionItem[];
  /** Per requested placement, for `placements` or response format `grouped`; indexes point into `items`. */
  readonly placementResults:
    | readonly {
        readonly placementId: string;
        readonly placementName: string;
        readonly channelId: string;
        readonly items: readonly number[];
        /** Why it has no item: `placement_inactive`, `placement_targeting`, or the stage that removed its last candidate. */
        readonly emptyReason: string | null;
      }[]
    | null;
  readonly properties: Readonly<Record<string, Json>>;
  /** Why there is no item: `no_channel`, `no_placement`, `placement_inactive`, or the stage that removed the last candidate. */
  readonly emptyReason: EmptyReason | null;
  readonly controlGroup: boolean;
  readonly degradedScoring: boolean;
  /** Product over the slots, those too that coupling or a quota emptied again. */
  readonly slateProbability: number;
  /** True when exploration drew a slot; no part of the record, which holds it by item. */
  readonly explored: boolean;
  /** Lowest probability of a slot. Not part of the record. */
  readonly minProbability: number;
  /**
   * Without mandatory items, in the order in which they were drawn, when chance took part and coupling or a quota took some of
   * them back: `slateProbability` is the product of theirs. Else null, and no part of the record.
   */
  readonly draws: readonly DrawnItem[] | null;
  readonly assignment: DecisionAssignment;
  readonly summary: DecisionSummary;
  /** Items that a quota took from the answer. */
  readonly withheldByQuota: number;
  /** The flows that were called and ran, each once, in order; null, and no part of the record, when the plan has no call. */
  readonly subFlows: readonly RanFlow[] | null;
  /** Candidates that policies removed, by rule type; null for none. For metrics: no part of the record. */
  readonly policyBlocks: Readonly<Record<string, number>> | null;
  /** Times that a policy could not be evaluated, and blocked. For metrics: no part of the record. */
  readonly policyErrors: number;
  /** Models that were asked, without shadow models; null: the plan has none. Not part of the record. */
  readonly models: readonly AskedModel[] | null;
  /** Which of champion and challengers scored; null: the flow has none. Not part of the record; replay recovers it. */
  readonly variant: ModelVariant | null;
  /** Experiments that the customer takes part in with this decision; null: none. Not part of the record's result. */
  readonly experiments: readonly ExperimentUse[] | null;
  /** Response node: `standard`, `minimal` or `grouped`, and the item fields to keep (empty = all). */
  readonly responseFormat: 'standard' | 'minimal' | 'grouped';
  readonly includeFields: readonly string[];
  /** Only when asked for. */
  readonly trace: DecisionTrace | null;
}

export interface DecisionItem {
  readonly rank: number;
  readonly placementRank: number | null;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  /** `reserve`: the channel is explicit; `impress`: implicit, or no channel (docs/design/api-decisioning.md 4). */
  readonly effect: 'impress' | 'reserve';
  readonly mandatory: boolean;
  readonly priority: number;
  readonly score: number;
  readonly scoreComponents: ScoreComponents;
  readonly modelKey: string | null;
  readonly modelType: string | null;
  readonly propensitySource: PropensitySource;
  readonly selection: {
    readonly probability: number;
    readonly estimated: boolean;
    readonly explored: boolean;
    readonly method: string;
    /** Repetitions that an estimated probability was counted in; absent: it is exact. */
    readonly draws?: number;
  };
  readonly content: Readonly<Record<string, Json>>;
  readonly personalization: Readonly<Record<string, Json>>;
}

export interface RanFlow {
  readonly key: string;
  readonly version: number | null;
}

export interface AskedModel {
  readonly id: string;
  readonly key: string;
  readonly learns: boolean;
  /** True: it gave a score that was no number from 0 to 1. */
  readonly failed: boolean;
}

export interface ModelVariant {
  /** Key of the experiment; null: champion and challengers of the flow share the customers on their own. */
  readonly experimentKey: string | null;
  /** `__champion__`, `__holdout__`, or the key by which the flow or the experiment names the challenger. */
  readonly variant: string;
  readonly modelKey: string | null;
  /** True: the customer's challenger couldn't be asked, so the champion was. */
  readonly fallback: boolean;
}

/** An experiment and the customer's variant in it: what is stored when it is new. */
export interface ExperimentUse {
  readonly id: string;
  readonly key: string;
  /** `__champion__`, `__holdout__` or the key of the challenger. */
  readonly variant: string;
  /** Share of customers that got the variant when the customer was assigned, 0 to 1. */
  readonly share: number;
}

export interface DrawnItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly probability: number;
  readonly estimated: boolean;
  readonly explored: boolean;
  readonly draws?: number;
}

/**
 * A called flow whose champion and challengers share the customers, and whose score node scored this customer's answer.
 */
export interface CalledVariant {
  readonly flowKey: string;
  readonly nodeId: string | null;
  /** `__champion__`, `__holdout__`, or the key by which the flow or the experiment names the challenger. */
  readonly variant: string;
  /** Share of customers that get this variant. */
  readonly share: number;
  /** Absent: the flow's own champion and challengers. */
  readonly experimentKey?: string;
}

/** Random assignments besides the ranking (docs/design/api-decisioning.md 10, 11). */
export interface DecisionAssignment {
  /** Per item: the share its creative has among the usable ones of its offer; 1 without choice. */
  readonly creative: readonly number[];
  /** Share of customers with this variant of the experiment, or of champion and challengers; null without them. */
  readonly experiment: number | null;
  /** Share of customers on this side of the tenant's holdout; null without one. */
  readonly holdout: number | null;
  /** The same of called flows that scored, in order; absent: none of them has challengers. */
  readonly called?: readonly CalledVariant[];
}

export interface ScoreComponents {
  readonly propensity: number;
  readonly relevance: number;
  readonly impact: number;
  readonly emphasis: number;
  readonly fitMultiplier: number;
}

export type PropensitySource = 'request' | 'model' | 'offer' | 'offer_blend' | 'category' | 'global' | 'default';

/** Summary of a trace without durations (docs/design/api-decisioning.md 11). */
export interface DecisionSummary {
  readonly candidateCount: number;
  readonly mandatoryCount: number;
  readonly afterCreatives: number;
  readonly afterQualification: number;
  readonly afterSuppression: number;
  readonly afterContactPolicy: number;
  readonly afterScoring: number;
  readonly finalCount: number;
  readonly computeErrors: number;
  readonly channelCoupling: readonly CouplingRow[];
  readonly slateProbability: number;
  readonly droppedByReason: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

/** Coupling of the requested placements of one channel. */
export interface CouplingRow {
  readonly channelId: string;
  /** `atomic`, or that placements are independent. */
  readonly mode: string;
  /** Where the mode is set. */
  readonly source: 'flow' | 'channel';
  /** True: placements were emptied. */
  readonly cascaded: boolean;
  readonly emptyPlacements: readonly string[];
  readonly suppressedPlacements: readonly string[];
}

/** Trace body of P2 2 and docs/design/api-decisioning.md 11, as far as the engine knows it. */
export interface DecisionTrace {
  readonly pipeline: readonly {
    readonly stage: string;
    readonly nodeId: string | null;
    readonly candidates: number;
    readonly passed: number;
    readonly topScore: number | null;
    readonly method: string | null;
    readonly dropped: Readonly<Record<string, number>>;
    readonly warnings: readonly string[];
    /** True: a conditional passed over the node. */
    readonly skipped?: true;
  }[];
  readonly scoringResults: readonly Json[];
  readonly qualificationResults: readonly Json[];
  readonly contactPolicyResults: readonly Json[];
  readonly suppressionResults: readonly Json[];
  readonly dropped: readonly DroppedRow[];
}

export interface DroppedRow {
  readonly offerId: string;
  readonly offerName: string;
  readonly stage: string;
  readonly nodeId: string | null;
  readonly reason: string;
  readonly ruleId: string | null;
  readonly policyId: string | null;
  readonly detail: Json;
}
