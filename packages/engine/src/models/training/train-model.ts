import { emptyScope } from '../../formula/scope.ts';
import { isObject } from '../../json-object.ts';
import type { Json, JsonObject, SnapshotModel } from '../../plan/snapshot.ts';
import { h32 } from '../../random/hash.ts';
import { modelKinds } from '../model-kinds.ts';
import { distributionOf } from './drift.ts';
import { type ModelMetrics, metricsOf } from './metrics.ts';
import { modelTrainer } from './trainers.ts';
import type { TrainingRow, TrainingRows } from './training-rows.ts';

/** Share of the rows, the latest, that a model is measured on and doesn't see. */
const heldOutShare = 0.2;
/** Minimum rows of each class, without which classes can't be distinguished. */
const minOfClass = 10;

export type TrainedModel =
  | { readonly kind: 'insufficient_data' }
  | {
      readonly kind: 'trained';
      readonly state: JsonObject;
      /** Of the held-out rows. */
      readonly metrics: ModelMetrics;
      /** Rows that it was trained on. */
      readonly samples: number;
      /** How values were distributed in them, for drift. */
      readonly distribution: JsonObject;
    };

export interface TrainingTask {
  readonly model: Pick<SnapshotModel, 'modelType' | 'config'>;
  /** Oldest first. */
  readonly rows: TrainingRows;
  /** Goes before the model's config. */
  readonly params: JsonObject;
  /** 32 hex digits. */
  readonly seed: string;
}

/** Returns the seed of a training: the same for the same version of a model (docs/design/api-decisioning.md 15). */
export const trainingSeed = (key: string, version: number): string =>
  h32(`${key}:${version}`).toString(16).padStart(32, '0');

/**
 * Trains on the earlier rows and measures on the later ones. Throws for a type that isn't trained. `onProgress` stops the
 * training by throwing.
 */
export function trainModel(
  { model, rows: set, params, seed }: TrainingTask,
  onProgress: (share: number) => void,
): TrainedModel {
  const trainer = modelTrainer(model.modelType);
  if (trainer === null) throw new Error(`a ${model.modelType} isn't trained`);
  const positives = set.rows.filter(({ label }) => label === 1).length;
  const negatives = set.rows.length - positives;
  const first = set.rows.length - Math.floor(set.rows.length * heldOutShare);
  const seen = { ...set, rows: set.rows.slice(0, first) };
  const classes = new Set(seen.rows.map(({ label }) => label));
  if (set.rows.length < trainer.minRows || Math.min(positives, negatives) < minOfClass || classes.size < 2) {
    return { kind: 'insufficient_data' };
  }
  const given = Object.entries(params).filter(([, value]) => value !== null);
  const state = trainer.train(seen, { ...model.config, ...Object.fromEntries(given) }, seed, onProgress);
  return {
    kind: 'trained',
    state,
    metrics: metricsOf(
      scoreRows(model, state, { ...set, rows: set.rows.slice(first) }).map(({ score, label }) => ({
        score: score ?? 0.5,
        label,
      })),
    ),
    samples: seen.rows.length,
    distribution: distributionOf(seen),
  };
}

/** Returns the scores of rows by a state, with their labels, as decisions would score them; null: no usable score. */
export function scoreRows(
  { modelType, config }: Pick<SnapshotModel, 'modelType' | 'config'>,
  state: JsonObject,
  { features, rows, categorical }: TrainingRows,
): { readonly score: number | null; readonly label: 0 | 1 }[] {
  const kind = modelKinds.get(modelType);
  if (kind === undefined) throw new Error(`a model of type ${modelType} can't score`);
  const predictors = features.map((name, at): Json => {
    const type = categorical.has(name) ? { type: 'categorical' } : {};
    return { name, source: `attributes.f${at}`, ...type };
  });
  const program = kind.compile({ config, predictors });
  const scope = emptyScope();
  return rows.map((row) => {
    scope.attributes = attributesOf(row);
    const score = program.begin(state, scope, noDraws).score('', noDraws);
    return { score: score >= 0 && score <= 1 ? score : null, label: row.label };
  });
}

const attributesOf = ({ values }: TrainingRow): JsonObject =>
  Object.fromEntries(values.flatMap((value, at) => (isObject(value) || value === null ? [] : [[`f${at}`, value]])));

const noDraws = (): number => {
  throw new Error('a trained model draws nothing');
};
