import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/** Works on a run until it ends or its turn is over. */
export const pipelineRunJob = job({
  name: 'pipeline.run',
  payload: Type.Object({ runId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Puts a run behind everything that waits, so that tenants take turns. */
export const enqueueRun = (tx: Tx, runId: string): Promise<void> =>
  enqueueJob(tx, pipelineRunJob, { runId }, { key: `pipeline.run:${runId}` });
