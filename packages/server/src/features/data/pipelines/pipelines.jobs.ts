import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { executeRun, giveUp } from './execute.service.ts';
import { pipelineRunJob } from './run-jobs.ts';
import { expireRuns } from './runs.store.ts';
import type { ExecutePorts } from './work.ts';

/** Deletes runs that the tenant no longer keeps (docs/design/api-access.md 14, class metrics, as runs of reports). */
const retainJob = job({
  name: 'pipelines.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '58 4 * * *', payload: {}, upkeep: true },
});

/** Deletes one slice of expired runs. */
export const retainRuns = (tx: Tx) => removeByAge(tx, 'metrics', (days) => expireRuns(tx, days));

/** Returns this feature's jobs with their handlers. */
export const pipelineJobs = (ports: ExecutePorts): JobHandler[] => [
  handleJob(
    pipelineRunJob,
    ({ runId }, { tenantId, signal, attempt }) =>
      executeRun(ports, tenantId, runId, {
        signal,
        isRetry: attempt > 1,
        isLastTry: attempt >= pipelineRunJob.attempts,
      }),
    ({ runId }, tenantId) => giveUp(ports, tenantId, runId),
  ),
  handleInSlices(retainJob, ports.database, async (tx) => (await retainRuns(tx)).more),
];
