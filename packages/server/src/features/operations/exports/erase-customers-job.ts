import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/**
 * Removes erased customers from export files (docs/design/api-access.md 16). Reads who they are from the database:
 * payloads contain no names.
 */
export const eraseCustomersJob = job({
  name: 'customer.erase',
  payload: Type.Object({}, { additionalProperties: false }),
});

export const enqueueErasing = (tx: Tx): Promise<void> =>
  enqueueJob(tx, eraseCustomersJob, {}, { key: 'customer.erase' });
