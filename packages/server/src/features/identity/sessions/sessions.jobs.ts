import Type from 'typebox';
import type { Database } from '../../../db/index.ts';
import { handleInstallationJob, installationJob, type JobHandler } from '../../../jobs/index.ts';
import { deleteOldLinks } from './links.store.ts';
import { deleteOldSessions } from './sessions.store.ts';

/** Deletes what can no longer be used to sign in. */
const sweepSessionsJob = installationJob({
  name: 'sessions.sweep',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '35 4 * * *', payload: {}, upkeep: true },
});

/** Kept this long after expiry, so that a late visitor reads that the link has expired, not that it's unknown. */
const keptMs = 30 * 24 * 3_600_000;

/** Returns this feature's jobs with their handlers. */
export function sessionJobs({ database }: { readonly database: Database }): readonly JobHandler[] {
  return [
    handleInstallationJob(sweepSessionsJob, async () => {
      await database.withSystem('sessions.sweep', async (tx) => {
        const before = new Date(tx.now.getTime() - keptMs);
        await deleteOldSessions(tx, before);
        await deleteOldLinks(tx, before);
      });
    }),
  ];
}
