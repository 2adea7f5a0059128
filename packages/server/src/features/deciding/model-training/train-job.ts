import Type from 'typebox';
import { job } from '../../../jobs/index.ts';

/** Trains a model (docs/design/api-decisioning.md 15). The row says on what. */
export const trainModelJob = job({
  name: 'model.train',
  payload: Type.Object({ trainingId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});
