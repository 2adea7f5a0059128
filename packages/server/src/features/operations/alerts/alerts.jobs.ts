import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { handleInSlices, handleInstallationJob, installationJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../retention/index.ts';
import { expireEvents } from './alerts.store.ts';
import { type TickPorts, tick } from './tick.service.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Checks all alert rules. One attempt, because the next tick comes in a minute. */
const tickJob = installationJob({
  name: 'tick',
  payload: nothing,
  attempts: 1,
  schedule: { cron: '* * * * *', payload: {} },
});

/** Deletes events that the tenant no longer keeps (docs/design/api-access.md 14, class metrics). */
const retainEventsJob = job({
  name: 'alerts.retain',
  payload: nothing,
  schedule: { cron: '55 4 * * *', payload: {}, upkeep: true },
});

/** Deletes one batch of expired events. */
export const retainEvents = (tx: Tx) => removeByAge(tx, 'metrics', (days) => expireEvents(tx, days));

/** Returns the handlers of this feature's jobs. */
export const alertJobs = (ports: TickPorts): JobHandler[] => [
  handleInstallationJob(tickJob, async () => {
    const now = await ports.database.withSystem('tick', async (tx) => tx.now);
    await tick(ports, now);
  }),
  handleInSlices(retainEventsJob, ports.database, async (tx) => (await retainEvents(tx)).more),
];
