import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import type { Retainer } from '../../../feature.ts';
import { handleInSlices, handleInstallationJob, installationJob, type JobHandler, job } from '../../../jobs/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { ensureInteractionPartitions } from './interactions.store.ts';
import { dropMonths, retainHistory, retainSummaries } from './old-history/retention.store.ts';
import { expireReservations, type SettlementNumbers } from './reservations.service.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Frees reservations that expired (docs/design/api-access.md 14). */
const expireReservationsJob = job({
  name: 'reservations.expire',
  payload: nothing,
  schedule: { cron: '* * * * *', payload: {}, upkeep: true },
});

/** Makes the partitions of the months ahead. */
const partitionInteractionsJob = installationJob({
  name: 'interactions.partition',
  payload: nothing,
  schedule: { cron: '23 */6 * * *', payload: {}, upkeep: true },
});

/** Removes expired rows from the tenant's history (docs/design/api-access.md 14). */
const retainInteractionsJob = job({
  name: 'interactions.retain',
  payload: nothing,
  schedule: { cron: '30 4 * * *', payload: {}, upkeep: true },
});

/** Deletes sums of days that the tenant no longer keeps (docs/design/api-access.md 14). */
const retainSummariesJob = job({
  name: 'summaries.retain',
  payload: nothing,
  schedule: { cron: '10 5 * * *', payload: {}, upkeep: true },
});

/** Drops months of history in which no tenant has a row left. */
const dropMonthsJob = installationJob({
  name: 'interactions.drop-months',
  payload: nothing,
  schedule: { cron: '50 5 * * *', payload: {}, upkeep: true },
});

/** Reservations live a day at most (docs/design/api-access.md 6, reservationTtlSeconds). */
const oldestReservationMs = 2 * 86_400_000;

/** What this feature deletes by age. */
export const retainers = [
  {
    dataClass: 'interactions',
    counted: 'history',
    remove: (tx: Tx) =>
      removeByAge(tx, 'interactions', async (days) => retainHistory(tx, days, (await readSettings(tx)).timezone)),
  },
  {
    dataClass: 'summaries',
    counted: 'summaries',
    remove: (tx: Tx) => removeByAge(tx, 'summaries', (days) => retainSummaries(tx, days)),
  },
] as const satisfies readonly Retainer[];
const [history, sums] = retainers;

/** Returns this feature's jobs with their handlers. */
export function interactionJobs(database: Database, settlementNumbers: SettlementNumbers): readonly JobHandler[] {
  return [
    handleInSlices(expireReservationsJob, database, (tx) =>
      expireReservations(tx, settlementNumbers, oldestReservationMs),
    ),
    handleInstallationJob(partitionInteractionsJob, () =>
      database.withSystem('partitions', ensureInteractionPartitions),
    ),
    handleInSlices(retainInteractionsJob, database, async (tx) => (await history.remove(tx)).more),
    handleInSlices(retainSummariesJob, database, async (tx) => (await sums.remove(tx)).more),
    handleInstallationJob(dropMonthsJob, () => database.withSystem('partitions', dropMonths)),
  ];
}
