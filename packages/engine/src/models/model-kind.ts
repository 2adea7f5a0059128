import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark } from '../compile/config-problems.ts';
import type { ModelProgram } from '../plan/models.ts';
import type { Json, JsonObject, SnapshotModel } from '../plan/snapshot.ts';

/** One type of model (docs/design/api-decisioning.md 15). Each has a file and a line in `model-kinds.ts`. */
export interface ModelKind extends ConfigShape {
  readonly type: string;
  /** True: it draws its scores. */
  readonly isBandit: boolean;
  /** Returns the problems that keep a config from being stored. */
  check(config: JsonObject): readonly ConfigProblem[];
  /** Returns what has no effect in a config that `check` accepts. */
  remarks(config: JsonObject): readonly ConfigRemark[];
  /** What it knows besides its config; null: nothing. */
  readonly state: StateRules | null;
  /** How single outcomes teach it, as they come in; null: they don't. */
  readonly learn: Learn | null;
  /** Called only with a config that `check` accepts. */
  compile(model: Pick<SnapshotModel, 'config' | 'predictors'>): ModelProgram;
}

/** The state of a model: plain JSON, which only its type reads. */
export interface StateRules {
  /** Returns the state of a model that knows nothing yet. */
  empty(config: JsonObject): JsonObject;
  /** Returns the problems that keep a state from being stored. Paths are relative to the state. */
  check(state: Json): readonly ConfigProblem[];
}

/** Returns the state after further outcomes, in order. Doesn't change the one it is given. */
export type Learn = (
  state: JsonObject,
  lessons: readonly Lesson[],
  model: Pick<SnapshotModel, 'config' | 'predictors'>,
) => JsonObject;

/** An outcome, as a model learns it. */
export interface Lesson {
  readonly offerId: string;
  readonly reward: 0 | 1;
  /** Above 0; how many outcomes this one counts for. */
  readonly weight: number;
  /** What the model's predictors read for the decision, by their names; empty for a bandit. */
  readonly features: JsonObject;
}
