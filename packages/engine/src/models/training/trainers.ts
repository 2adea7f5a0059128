import { bayesianTrainer } from './train-bayesian.ts';
import { boostedTrainer } from './train-boosted.ts';
import { logisticTrainer } from './train-logistic.ts';
import type { Trainer } from './trainer.ts';

const trainers: ReadonlyMap<string, Trainer> = new Map([
  ['bayesian', bayesianTrainer],
  ['logistic_regression', logisticTrainer],
  ['gradient_boosted', boostedTrainer],
]);

/** Returns how models of this type are trained; null when they aren't. */
export const modelTrainer = (type: string): Trainer | null => trainers.get(type) ?? null;
