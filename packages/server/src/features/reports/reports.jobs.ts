import Type from 'typebox';
import type { Database, Tx } from '../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../jobs/index.ts';
import { removeByAge } from '../retention/index.ts';
import { type BackgroundPorts, writeRun } from './background.service.ts';
import { expireRuns } from './runs.store.ts';

/** Writes a run that a schedule has started. */
export const reportRunJob = job({
  name: 'report.run',
  payload: Type.Object({ runId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes runs that the tenant keeps no longer (docs/design/api-access.md 14, class metrics). */
export const retainRunsJob = job({
  name: 'reports.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '58 4 * * *', payload: {}, upkeep: true },
});

/** Puts the job of a run into the queue of the transaction. */
export const enqueueRun = (tx: Tx, runId: string): Promise<void> => enqueueJob(tx, reportRunJob, { runId });

/** One slice of runs that are kept no longer. */
export const retainRuns = (tx: Tx) => removeByAge(tx, 'metrics', (days) => expireRuns(tx, days));

/** How this feature's jobs are done. */
export const reportJobs = (ports: BackgroundPorts & { readonly database: Database }): JobHandler[] => [
  handleJob(reportRunJob, ({ runId }, { tenantId }) => writeRun(ports, tenantId, runId)),
  handleInSlices(retainRunsJob, ports.database, async (tx) => (await retainRuns(tx)).more),
];
