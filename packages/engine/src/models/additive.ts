import { sigmoid } from '../arithmetic/sigmoid.ts';
import type { Contribution, ModelProgram } from '../plan/models.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type Predictor, type PredictorValue, readPredictors, valueFor } from './predictor-values.ts';

/** What a predictor's value adds to the log-odds; null: nothing is known about it. */
export type PartOf = (value: PredictorValue) => number | null;

/** A state, read once for all decisions that use it. */
export interface AdditiveState {
  /** Log-odds before any predictor. */
  readonly base: number;
  /** By predictor, in order; null: the state doesn't know it. */
  readonly parts: readonly (PartOf | null)[];
  readonly confidence: number | null;
}

/** Returns the program of a model whose log-odds are a sum over its predictors, in order. */
export function additiveProgram(
  predictors: readonly Json[],
  open: (state: JsonObject, predictors: readonly Predictor[]) => AdditiveState,
): ModelProgram {
  const read = readPredictors(predictors);
  const readsOffer = read.map(({ feature }) => feature.paths.some(([root]) => root === 'offer'));
  const variesByOffer = readsOffer.includes(true);
  const opened = new WeakMap<JsonObject, AdditiveState>();
  const stateOf = (state: JsonObject): AdditiveState => {
    let known = opened.get(state);
    if (known === undefined) {
      known = open(state, read);
      opened.set(state, known);
    }
    return known;
  };
  return {
    paths: read.flatMap(({ feature }) => feature.paths),
    isRandom: false,
    begin(state, scope) {
      const known = state === null ? null : stateOf(state);
      const parts = new Float64Array(read.length);
      let sharedRaw = Number.NaN;
      let isRead = false;
      const partAt = (at: number): number => {
        const partOf = known?.parts[at] ?? null;
        if (partOf === null) return 0;
        const { type, feature } = read[at]!;
        return partOf(valueFor(type, feature.read(scope))) ?? 0;
      };
      const raw = (): number => {
        if (known === null) return Number.NaN;
        if (isRead && !variesByOffer) return sharedRaw;
        let sum = known.base;
        for (let at = 0; at < parts.length; at++) {
          if (!isRead || readsOffer[at] === true) parts[at] = partAt(at);
          sum += parts[at]!;
        }
        isRead = true;
        sharedRaw = sum;
        return sum;
      };
      const score = (): number => sigmoid(raw());
      return {
        score,
        raw,
        greedy: score,
        confidence: known?.confidence ?? null,
        uniformChance: null,
        isUniform: false,
        explain: () =>
          read.flatMap(({ name, type, feature }, at): Contribution[] => {
            const value = valueFor(type, feature.read(scope));
            const part = known?.parts[at]?.(value) ?? null;
            return value === null || part === null ? [] : [{ feature: name, value, contribution: part }];
          }),
      };
    },
  };
}
