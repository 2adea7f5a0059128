import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

const payload = Type.Object({ runId: Type.String({ format: 'uuid' }) }, { additionalProperties: false });

/** Decides for the next customers of a run. */
export const campaignChunkJob = job({ name: 'campaign.chunk', payload });

/** Writes the file of a run again without customers that were erased, or removes it with the run. */
export const campaignFileJob = job({ name: 'campaign.file', payload });

/** Puts the next part of a run behind everything that waits, so that tenants take turns. */
export const enqueueRun = (tx: Tx, runId: string): Promise<void> =>
  enqueueJob(tx, campaignChunkJob, { runId }, { key: `campaign.chunk:${runId}` });

export const enqueueFile = (tx: Tx, runId: string): Promise<void> =>
  enqueueJob(tx, campaignFileJob, { runId }, { key: `campaign.file:${runId}` });
