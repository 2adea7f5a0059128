import Type from 'typebox';
import type { Database } from '../../../db/index.ts';
import { handleInstallationJob, installationJob, type JobHandler } from '../../../jobs/index.ts';
import { deleteOldLinks } from './links.store.ts';
import { deleteOldSessions } from './sessions.store.ts';

/** Takes away what nobody can sign in with any more. */
const sweepSessionsJob = installationJob({
  name: 'sessions.sweep',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '35 4 * * *', payload: {}, upkeep: true },
});

/** Kept so long after their end: who follows a link too late is told that it is too old, not that it is unknown. */
const keptMs = 30 * 24 * 3_600_000;

/** How this feature's jobs are done. */
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
