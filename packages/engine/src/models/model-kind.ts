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
