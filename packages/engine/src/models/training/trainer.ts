import type { ConfigFields } from '../../compile/config-fields.ts';
import type { ConfigProblem } from '../../compile/config-problems.ts';
import type { JsonObject } from '../../plan/snapshot.ts';
import type { TrainingRows } from './training-rows.ts';

/** How models of one type are trained on rows (docs/design/api-decisioning.md 15, training). */
export interface Trainer {
  /** Fewer rows aren't enough. */
  readonly minRows: number;
  /** Parameters of a training; what a model's config sets is the default. */
  readonly fields: ConfigFields;
  /** Returns the problems of parameters. */
  check(params: JsonObject): readonly ConfigProblem[];
  /**
   * Returns the state of the trained model. The same rows, parameters and seed (32 hex digits) give the same state.
   * `onProgress` hears the finished part, 0 to 1; it stops the training by throwing.
   */
  train(rows: TrainingRows, params: JsonObject, seed: string, onProgress: (share: number) => void): JsonObject;
}
