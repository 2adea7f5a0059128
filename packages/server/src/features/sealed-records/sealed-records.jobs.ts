import Type from 'typebox';
import type { Database } from '../../db/index.ts';
import { handleInstallationJob, installationJob, type JobHandler } from '../../jobs/index.ts';
import { ensureRecordPartitions } from './sealed-records.store.ts';

/** Makes the partitions of the months ahead (part 1, 4.12). */
export const partitionRecordsJob = installationJob({
  name: 'sealed-records.partition',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '27 */6 * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export function sealedRecordJobs(database: Database): readonly JobHandler[] {
  return [handleInstallationJob(partitionRecordsJob, () => database.withSystem('partitions', ensureRecordPartitions))];
}
