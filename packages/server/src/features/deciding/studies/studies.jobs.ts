import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { endAndContinue, type RunStudyPorts, runStudy } from './run-study.ts';
import { expireStudies, nextQueued } from './studies.store.ts';
import { enqueueStudy, runStudyJob } from './study-job.ts';

/** Deletes expired studies, and starts the next one in case a process was lost between two studies. */
const expireStudiesJob = job({
  name: 'studies.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '55 4 * * *', payload: {}, upkeep: true },
});

export interface StudyJobPorts extends RunStudyPorts {
  readonly database: Database;
}

export const studyJobs = (ports: StudyJobPorts): JobHandler[] => [
  handleJob(
    runStudyJob,
    ({ studyId }, { tenantId, signal }) => runStudy(ports, tenantId, studyId, signal),
    ({ studyId }, tenantId) =>
      ports.database.withTenant(tenantId, systemActor('study'), async (tx) => {
        await endAndContinue(tx, studyId, { status: 'failed', error: 'internal' });
      }),
  ),
  handleInSlices(expireStudiesJob, ports.database, expireStudies, wakeQueue),
];

async function wakeQueue(tx: Tx): Promise<boolean> {
  const next = await nextQueued(tx);
  if (next !== null) await enqueueStudy(tx, next);
  return false;
}
