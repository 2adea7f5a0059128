import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark, JsonObject } from '../compile/config-problems.ts';
import type { FormulaScope } from '../formula/scope.ts';
import type { Json, SnapshotModel } from '../snapshot.ts';

/** One type of model (docs/design/api-decisioning.md 15). Each has a file and a line in `model-kinds.ts`. */
export interface ModelKind extends ConfigShape {
  readonly type: string;
  /** True: it draws its scores. */
  readonly isBandit: boolean;
  /** Returns the problems that keep a config from being stored. */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns what has no effect in a config that `check` accepts. */
  remarks(config: JsonObject): readonly ConfigRemark[];
  /** How it learns; null: it doesn't. */
  readonly learning: Learning | null;
  /** Called only with a config that `check` accepts. */
  compile(model: Pick<SnapshotModel, 'config' | 'predictors'>): ModelProgram;
}

/** The state of a model that learns: plain JSON, which only these functions read. */
export interface Learning {
  /** Returns the state of a model that has learned nothing. */
  empty(config: JsonObject): JsonObject;
  /** Returns the problems that keep a state from being stored. Paths are relative to the state. */
  check(state: Json): readonly ConfigProblem[];
  /** The state after further outcomes, in their order. Does not change the one it is given. */
  learn(state: JsonObject, lessons: readonly Lesson[]): JsonObject;
}

/** An outcome, as a model learns it. */
export interface Lesson {
  readonly offerId: string;
  readonly reward: 0 | 1;
  /** Above 0; how many outcomes this one counts for. */
  readonly weight: number;
}

/** A model, ready to score. */
export interface ModelProgram {
  /** Paths that it reads, as `['attributes', 'age']`. */
  readonly paths: readonly (readonly string[])[];
  /** True: the score of an offer is drawn. */
  readonly isRandom: boolean;
  /** Starts one decision. `next` returns random numbers; `state` is what the model learned. */
  begin(state: JsonObject | null, scope: FormulaScope, next: () => number): Scorer;
}

/** Scores the offers of one decision. */
export interface Scorer {
  /**
   * Returns the score of the offer in `scope.offer`; NaN when the state isn't usable for it. `next` returns the offer's
   * random draws.
   */
  score(offerId: string, next: () => number): number;
  /** Points, or mean reward. */
  raw(offerId: string): number;
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
