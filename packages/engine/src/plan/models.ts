import type { FormulaScope } from './formula.ts';
import type { Json, JsonObject } from './snapshot.ts';

/** A model, ready to score. */
export interface ModelProgram {
  /** Paths that it reads, as `['attributes', 'age']`. */
  readonly paths: readonly (readonly string[])[];
  /** True: the score of an offer is drawn. */
  readonly isRandom: boolean;
  /** Where its scores come from, if another server gives them; absent: it works them out itself. */
  readonly endpoint?: EndpointProgram;
  /** Starts one decision. `next` returns random numbers; `state` is what the model learned. */
  begin(state: JsonObject | null, scope: FormulaScope, next: () => number): Scorer;
}

/** How another server is called for scores. Its response replaces a state: scores by offer. */
export interface EndpointProgram {
  readonly url: string;
  readonly timeoutMs: number;
  readonly mapping: EndpointMapping;
  /** Returns what the predictors read, without those of offers. */
  attributes(scope: FormulaScope): JsonObject;
  /** Returns what the predictors read of `scope.offer`. */
  offerAttributes(scope: FormulaScope): JsonObject;
}

/** Where a response has the scores. */
export interface EndpointMapping {
  /** Names from the root; empty: the root itself. */
  readonly scoresPath: readonly string[];
  readonly offerIdField: string;
  readonly scoreField: string;
}

/** Scores the offers of one decision. */
export interface Scorer {
  /**
   * Returns the score of the offer in `scope.offer`; NaN when the state isn't usable for it. `next` returns the offer's
   * random draws.
   */
  score(offerId: string, next: () => number): number;
  /** Points, log-odds or mean reward. */
  raw(offerId: string): number;
  /** How certain the score is, from 0 to 1; null or absent: the model can't tell. */
  readonly confidence?: number | null;
  /** Returns the parts of the score, for models that can tell. */
  explain(): readonly Contribution[];
  /** Chance that this decision scores by a uniform order of all offers; null: the chance has another form. */
  readonly uniformChance: number | null;
  /** True: the scores of this decision are such an order. */
  readonly isUniform: boolean;
  /** Score that it has when nothing is drawn. */
  greedy(offerId: string): number;
}

export interface Contribution {
  readonly feature: string;
  readonly value: Json;
  readonly contribution: number;
}

/** A model that a plan's decisions can score with. */
export interface PlanModel {
  /** Its position among the plan's models. */
  readonly number: number;
  readonly id: string;
  readonly key: string;
  readonly type: string;
  /** True: it learns from the outcomes of its decisions. */
  readonly learns: boolean;
  /** True: decisions need its state, learned, trained or imported. */
  readonly hasState: boolean;
  readonly program: ModelProgram;
  /** Its state while the input has none; null: it has no state. */
  readonly emptyState: JsonObject | null;
}

export interface PlanModels {
  readonly list: readonly PlanModel[];
  /** Returns the position of the model that a flow or rule names by key or family; -1: no usable one. */
  numberOf(name: string | null): number;
  /** Returns the position of the model with this key, whatever flows mean by it; -1: no usable one. */
  numberOfKey(key: string): number;
  /** Positions of those that decide something; the others are scored for traces alone. Filled while the plan is compiled. */
  readonly asked: Set<number>;
  /** Positions of those that decide what may be shown at all. Likewise. */
  readonly gates: Set<number>;
}

/** A model in one decision. */
export interface ModelRun {
  readonly model: PlanModel;
  readonly state: JsonObject | null;
  readonly scorer: Scorer;
  /** By offer number, valid where `known` has this decision's number. */
  readonly scores: Float64Array;
  readonly known: Float64Array;
  /** True: it gave a score that was no number from 0 to 1. */
  failed: boolean;
  /** True: some candidate got its propensity from it. */
  used: boolean;
}
