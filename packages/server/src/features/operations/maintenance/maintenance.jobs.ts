import Type from 'typebox';
import { handleInstallationJob, installationJob, type JobHandler } from '../../../jobs/index.ts';
import type { ReapOutbox } from '../stream/index.ts';
import { type AnchorPorts, anchorChains } from './anchors.service.ts';
import { createRounds } from './every-tenant.ts';

/** Notes the ends of all audit chains outside the database, daily. */
const anchorAuditJob = installationJob({
  name: 'audit.anchor',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '50 4 * * *', payload: {}, upkeep: true },
});

/** Publishes what got stuck in the outbox. One try: the next run comes in two minutes. */
const reapOutboxJob = installationJob({
  name: 'outbox.reap',
  payload: Type.Object({}, { additionalProperties: false }),
  attempts: 1,
  schedule: { cron: '*/2 * * * *', payload: {} },
});

/** What the jobs of this feature need from outside. */
export interface MaintenanceJobPorts extends AnchorPorts {
  readonly reapOutbox: ReapOutbox;
}

/** How this feature's jobs are done. */
export function maintenanceJobs(ports: MaintenanceJobPorts): JobHandler[] {
  const failures: unknown[] = [];
  const rounds = createRounds(ports.database, 'audit-anchor', (error) => failures.push(error));
  return [
    handleInstallationJob(anchorAuditJob, async () => {
      await anchorChains(ports, rounds, Infinity);
      // Retried for all: existing anchors aren't repeated.
      const [first] = failures.splice(0);
      if (first !== undefined) throw first;
    }),
    // What it cannot publish it tells the log.
    handleInstallationJob(reapOutboxJob, async () => void (await ports.reapOutbox(Infinity))),
  ];
}
