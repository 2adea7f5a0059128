import type { Json } from '../../plan/snapshot.ts';

/** What a model is trained on. */
export interface TrainingRows {
  readonly features: readonly string[];
  /** Features whose numbers are names of categories; features with texts are categorical anyway. */
  readonly categorical: ReadonlySet<string>;
  readonly rows: readonly TrainingRow[];
}

export interface TrainingRow {
  /** In the order of the features; null: missing. */
  readonly values: readonly Json[];
  readonly label: 0 | 1;
  /** Above 0; how many rows it counts for. */
  readonly weight: number;
}
