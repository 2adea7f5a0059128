import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, job } from '../../../jobs/index.ts';

/** Works through a study. The row says what to do. A study outlives many restarts, each of which is a try. */
export const runStudyJob = job({
  name: 'study.run',
  payload: Type.Object({ studyId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
  attempts: 40,
});

export const enqueueStudy = (tx: Tx, studyId: string): Promise<void> =>
  enqueueJob(tx, runStudyJob, { studyId }, { key: `study.run:${studyId}` });
