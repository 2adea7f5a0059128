import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type ExecutePorts, executeRun, giveUp } from './execute.service.ts';
import { deleteRows } from './results.store.ts';
import { rewriteFile } from './run-file.service.ts';
import { campaignChunkJob, campaignFileJob, enqueueFile } from './run-jobs.ts';
import { expireRuns } from './runs.store.ts';

/** Deletes runs that the tenant no longer keeps (docs/design/api-access.md 14). */
const retainRunsJob = job({
  name: 'campaigns.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '56 4 * * *', payload: {}, upkeep: true },
});

/** Deletes one slice of expired runs. Their files follow. */
export const retainRuns = (tx: Tx) =>
  removeByAge(tx, 'decisions', async (days) => {
    const { ids, more } = await expireRuns(tx, days);
    await deleteRows(tx, ids);
    for (const id of ids) await enqueueFile(tx, id);
    return { rows: ids.length, more };
  });

/** Returns this feature's jobs with their handlers. */
export const campaignJobs = (ports: ExecutePorts): JobHandler[] => [
  handleJob(
    campaignChunkJob,
    ({ runId }, { tenantId, signal, attempt }) => executeRun(ports, tenantId, runId, { signal, isRetry: attempt > 1 }),
    ({ runId }, tenantId) => giveUp(ports, tenantId, runId),
  ),
  handleJob(campaignFileJob, ({ runId }, { tenantId }) => rewriteFile(ports, tenantId, runId)),
  handleInSlices(retainRunsJob, ports.database, async (tx) => (await retainRuns(tx)).more),
];
