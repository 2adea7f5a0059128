import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../retention/index.ts';
import { type BackgroundPorts, writeNextRun } from './background.service.ts';
import { expireRuns } from './runs.store.ts';

/**
 * Writes the next of the runs that schedules have started. Jobs of versions before named a run; now the one that waits longest is
 * next.
 */
const reportRunJob = job({
  name: 'report.run',
  payload: Type.Object({ runId: Type.Optional(Type.String({ format: 'uuid' })) }, { additionalProperties: false }),
});

/** Deletes runs that the tenant no longer keeps (docs/design/api-access.md 14, class metrics). */
const retainRunsJob = job({
  name: 'reports.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '58 4 * * *', payload: {}, upkeep: true },
});

/** Puts the job of the tenant's next run into the queue of the transaction; one of them waits at a time. */
export const enqueueRun = (tx: Tx): Promise<void> => enqueueJob(tx, reportRunJob, {}, { key: 'report.run' });

/** Deletes one slice of expired runs. */
export const retainRuns = (tx: Tx) => removeByAge(tx, 'metrics', (days) => expireRuns(tx, days));

/** Returns this feature's jobs with their handlers. */
export const reportJobs = (ports: BackgroundPorts & { readonly database: Database }): JobHandler[] => [
  handleJob(reportRunJob, (_payload, { tenantId, jobId }) => writeNextRun(ports, tenantId, jobId, enqueueRun)),
  handleInSlices(retainRunsJob, ports.database, async (tx) => (await retainRuns(tx)).more),
];
