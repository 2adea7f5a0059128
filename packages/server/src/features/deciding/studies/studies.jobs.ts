import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import { handleInSlices, handleJob, type JobHandler, job, Postponed } from '../../../jobs/index.ts';
import { failStudy, type RunStudyPorts, runStudy } from './run-study.ts';
import { expireStudies, nextQueued } from './studies.store.ts';
import { enqueueStudy, runStudyJob } from './study-job.ts';

/** Deletes expired studies, and starts the next one in case a process was lost between two studies. */
const expireStudiesJob = job({
  name: 'studies.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '55 4 * * *', payload: {}, upkeep: true },
});

/** The attempt whose error ends a study, about four minutes after its first one. */
const lastAttempt = 6;

export interface StudyJobPorts extends RunStudyPorts {
  readonly database: Database;
}

export function studyJobs(ports: StudyJobPorts): JobHandler[] {
  const giveUp = ({ studyId }: { readonly studyId: string }, tenantId: string): Promise<void> =>
    failStudy(ports, tenantId, studyId, 'internal');
  return [
    handleJob(
      runStudyJob,
      async (payload, { tenantId, attempt, signal }) => {
        try {
          await runStudy(ports, tenantId, payload.studyId, signal);
        } catch (error) {
          if (attempt >= lastAttempt && !signal.aborted && !(error instanceof Postponed)) {
            await giveUp(payload, tenantId);
          }
          throw error;
        }
      },
      giveUp,
    ),
    handleInSlices(expireStudiesJob, ports.database, expireStudies, wakeQueue),
  ];
}

async function wakeQueue(tx: Tx): Promise<boolean> {
  for (const lane of ['records', 'check'] as const) {
    const next = await nextQueued(tx, lane);
    if (next !== null) await enqueueStudy(tx, next);
  }
  return false;
}
