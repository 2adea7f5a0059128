import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/** Works on a study. A process that dies uses up an attempt, and a study must survive many; errors end it sooner. */
export const runStudyJob = job({
  name: 'study.run',
  payload: Type.Object({ studyId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
  attempts: 40,
});

export const enqueueStudy = (tx: Tx, studyId: string): Promise<void> =>
  enqueueJob(tx, runStudyJob, { studyId }, { key: `study.run:${studyId}` });
