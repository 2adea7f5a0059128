import Type from 'typebox';
import { handleInSlices, handleInstallationJob, installationJob, type JobHandler, job } from '../../jobs/index.ts';
import { retentionOf } from '../retention/index.ts';
import { expireEvents } from './alerts.store.ts';
import { type TickPorts, tick } from './tick.service.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Looks at all alert rules. One try: the next tick comes in a minute. */
export const tickJob = installationJob({
  name: 'tick',
  payload: nothing,
  attempts: 1,
  schedule: { cron: '* * * * *', payload: {} },
});

/** Deletes events that the tenant keeps no longer (docs/design/api-access.md 14, class metrics). */
export const retainEventsJob = job({
  name: 'alerts.retain',
  payload: nothing,
  schedule: { cron: '55 4 * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export const alertJobs = (ports: TickPorts): JobHandler[] => [
  handleInstallationJob(tickJob, async () => {
    const now = await ports.database.withSystem('tick', async (tx) => tx.now);
    await tick(ports, now);
  }),
  handleInSlices(retainEventsJob, ports.database, async (tx) => {
    const { days, legalHold } = await retentionOf(tx, 'metrics');
    return !legalHold && expireEvents(tx, days);
  }),
];
