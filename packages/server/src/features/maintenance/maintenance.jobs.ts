import Type from 'typebox';
import { handleInstallationJob, installationJob, type JobHandler } from '../../jobs/index.ts';
import { type AnchorPorts, anchorChains } from './anchors.service.ts';
import { createRounds } from './every-tenant.ts';

/** Notes the ends of all audit chains outside the database, daily. */
export const anchorAuditJob = installationJob({
  name: 'audit.anchor',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '50 4 * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export function maintenanceJobs(ports: AnchorPorts): JobHandler[] {
  const failures: unknown[] = [];
  const rounds = createRounds(ports.database, 'audit-anchor', (error) => failures.push(error));
  return [
    handleInstallationJob(anchorAuditJob, async () => {
      await anchorChains(ports, rounds, Infinity);
      // Tried again for all: what is anchored already is not anchored twice.
      const [first] = failures.splice(0);
      if (first !== undefined) throw first;
    }),
  ];
}
