import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/** Takes the steps of an enrollment until it waits or ends. */
export const advanceJob = job({
  name: 'journey.advance',
  payload: Type.Object({ enrollmentId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Puts an enrollment's next step into the queue of the transaction, once. */
export const enqueueAdvance = (tx: Tx, enrollmentId: string): Promise<void> =>
  enqueueJob(tx, advanceJob, { enrollmentId }, { key: `journey.advance:${enrollmentId}` });
