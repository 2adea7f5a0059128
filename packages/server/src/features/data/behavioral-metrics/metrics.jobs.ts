import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type ComputePorts, computeDue } from './compute.service.ts';
import { claimDue, noteFailed } from './metrics.store.ts';
import { expireValues } from './values.store.ts';

/** Computes one metric. */
const computeJob = job({
  name: 'metric.compute',
  payload: Type.Object({ metricId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Queues the metrics that are due, each as a job of its own (docs/design/api-access.md 15). */
const dueJob = job({
  name: 'metrics.compute',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '*/5 * * * *', payload: {} },
});

/** Deletes values that the tenant no longer keeps (docs/design/api-access.md 14, class metrics). */
const retainJob = job({
  name: 'behavioral-metrics.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '56 4 * * *', payload: {}, upkeep: true },
});

/** Queues a computation, once. */
const enqueueCompute = (tx: Tx, metricId: string): Promise<void> =>
  enqueueJob(tx, computeJob, { metricId }, { key: `metric.compute:${metricId}` });

/** Deletes one slice. */
export const retainValues = (tx: Tx) => removeByAge(tx, 'metrics', (days) => expireValues(tx, days));

/** Maximum time of computing one metric in the database, in ms. */
const longestComputeMs = 15 * 60_000;

/** Returns this feature's jobs with their handlers. */
export function metricJobs({ database, ...ports }: ComputePorts & { readonly database: Database }): JobHandler[] {
  const actor = systemActor('metrics-compute');
  return [
    handleJob(computeJob, async ({ metricId }, { tenantId }) => {
      try {
        const patient = { statementTimeoutMs: longestComputeMs };
        await computeDue((work) => database.withTenant(tenantId, actor, work, patient), ports, metricId);
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown error';
        await database.withTenant(tenantId, actor, (tx) => noteFailed(tx, metricId, reason.slice(0, 500)));
        throw error;
      }
    }),
    handleJob(dueJob, async (_payload, { tenantId }) => {
      await database.withTenant(tenantId, actor, async (tx) => {
        if (!(await readSettings(tx)).enableBehavioralMetrics) return;
        for (const id of await claimDue(tx)) await enqueueCompute(tx, id);
      });
    }),
    handleInSlices(retainJob, database, async (tx) => (await retainValues(tx)).more),
  ];
}
