import { readNumber } from '../../config-values.ts';
import { forestFields, forestParamProblems, usualForest } from '../gradient-boosted.ts';
import { trainForest } from './train-forest.ts';
import type { Trainer } from './trainer.ts';

export const boostedTrainer: Trainer = {
  leastRows: 100,
  fields: forestFields,
  check: forestParamProblems,
  train(set, params, seed, onProgress) {
    const param = (key: keyof typeof usualForest): number => readNumber(params[key], usualForest[key]);
    return trainForest(
      set,
      {
        trees: param('trees'),
        maxDepth: param('maxDepth'),
        learningRate: param('learningRate'),
        minLeaf: param('minLeaf'),
        l2: param('l2'),
        bins: param('bins'),
        subsample: param('subsample'),
      },
      seed,
      onProgress,
    );
  },
};
