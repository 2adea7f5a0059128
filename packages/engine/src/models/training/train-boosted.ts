import { readNumber } from '../../config-values.ts';
import { defaultForest, forestFields, forestParamProblems } from '../gradient-boosted.ts';
import { trainForest } from './train-forest.ts';
import type { Trainer } from './trainer.ts';

export const boostedTrainer: Trainer = {
  minRows: 100,
  fields: forestFields,
  check: forestParamProblems,
  train(set, params, seed, onProgress) {
    const param = (key: keyof typeof defaultForest): number => readNumber(params[key], defaultForest[key]);
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
