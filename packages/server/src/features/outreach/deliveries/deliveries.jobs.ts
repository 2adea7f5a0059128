import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { handleInSlices, handleJob, installationJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { expireDeliveries } from './deliveries.store.ts';
import { expireEarlyEvents } from './early.store.ts';
import { type SendDeps, sendDelivery } from './send.service.ts';
import { sendJob } from './send-job.ts';

/** Deletes deliveries that the tenant no longer keeps (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'deliveries.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '53 4 * * *', payload: {}, upkeep: true },
});

/** Deletes events whose message stayed unknown. */
const expireEarlyJob = installationJob({
  name: 'deliveries.expire-early',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '*/10 * * * *', payload: {}, upkeep: true },
});

/** Deletes one slice of expired deliveries. */
export const retainDeliveries = (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireDeliveries(tx, days));

/** Returns this feature's jobs with their handlers. */
export const deliveryJobs = (ports: SendDeps): JobHandler[] => [
  handleJob(sendJob, ({ deliveryId }, run) => sendDelivery(ports, deliveryId, run, sendJob.attempts)),
  handleInSlices(expireEarlyJob, ports.database, async (tx) => (await expireEarlyEvents(tx)).more),
  handleInSlices(retainJob, ports.database, async (tx) => (await retainDeliveries(tx)).more),
];
