import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/** Takes erased customers out of export files (docs/design/api-access.md 16). It reads who that is: names are no payload. */
export const eraseCustomersJob = job({
  name: 'customer.erase',
  payload: Type.Object({}, { additionalProperties: false }),
});

export const enqueueErasing = (tx: Tx): Promise<void> =>
  enqueueJob(tx, eraseCustomersJob, {}, { key: 'customer.erase' });
