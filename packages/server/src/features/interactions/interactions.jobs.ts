import Type from 'typebox';
import type { Database } from '../../db/index.ts';
import { handleInSlices, handleInstallationJob, installationJob, type JobHandler, job } from '../../jobs/index.ts';
import { ensureInteractionPartitions } from './interactions.store.ts';
import { expireReservations, type SettlementNumbers } from './reservations.service.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Frees reservations that ran out (docs/design/api-access.md 14). */
export const expireReservationsJob = job({
  name: 'reservations.expire',
  payload: nothing,
  schedule: { cron: '* * * * *', payload: {}, upkeep: true },
});

/** Makes the partitions of the months ahead (part 1, 4.12). */
export const partitionInteractionsJob = installationJob({
  name: 'interactions.partition',
  payload: nothing,
  schedule: { cron: '23 */6 * * *', payload: {}, upkeep: true },
});

/** Reservations live a day at most (docs/design/api-access.md 6, reservationTtlSeconds). */
const oldestReservationMs = 2 * 86_400_000;

/** How this feature's jobs are done. */
export function interactionJobs(database: Database, settlementNumbers: SettlementNumbers): readonly JobHandler[] {
  return [
    handleInSlices(expireReservationsJob, database, (tx) =>
      expireReservations(tx, settlementNumbers, oldestReservationMs),
    ),
    handleInstallationJob(partitionInteractionsJob, () =>
      database.withSystem('partitions', ensureInteractionPartitions),
    ),
  ];
}
