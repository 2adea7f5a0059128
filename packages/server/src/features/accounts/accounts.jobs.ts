import Type from 'typebox';
import type { Database } from '../../db/index.ts';
import { handleInstallationJob, installationJob, type JobHandler } from '../../jobs/index.ts';
import { deleteOldClaims } from './registration.store.ts';

export interface AccountJobPorts {
  readonly database: Database;
}

/** Takes away what registrations at the same time told each other. */
export const sweepClaimsJob = installationJob({
  name: 'accounts.sweep-claims',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 4 * * *', payload: {}, upkeep: true },
});

const keptMs = 24 * 3_600_000;

/** How this feature's jobs are done. */
export function accountJobs({ database }: AccountJobPorts): readonly JobHandler[] {
  return [
    handleInstallationJob(sweepClaimsJob, () =>
      database.withSystem('accounts.sweep-claims', (tx) => deleteOldClaims(tx, new Date(tx.now.getTime() - keptMs))),
    ),
  ];
}
