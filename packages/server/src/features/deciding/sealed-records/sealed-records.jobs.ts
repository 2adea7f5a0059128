import Type from 'typebox';
import { type Database, dropEmptyMonths, type Tx } from '../../../db/index.ts';
import type { Retainer } from '../../../feature.ts';
import { handleInSlices, handleInstallationJob, installationJob, type JobHandler, job } from '../../../jobs/index.ts';
import { expireModelStates } from '../../catalogue/models/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { expireEvidence } from '../evidence/index.ts';
import { expireCounts } from '../objectives/index.ts';
import { expirePieces, expirePlans, retirePlans } from '../plans/index.ts';
import { expireRecords, oldestRecordAt } from './record-expiry.store.ts';
import { ensureRecordPartitions } from './sealed-records.store.ts';

const nothing = Type.Object({}, { additionalProperties: false });

/** Makes the partitions of the months ahead. */
const partitionRecordsJob = installationJob({
  name: 'sealed-records.partition',
  payload: nothing,
  schedule: { cron: '27 */6 * * *', payload: {}, upkeep: true },
});

/**
 * Deletes the tenant's expired data (docs/design/api-access.md 14): records, then the plans, pieces, read sets and
 * evidence that no record refers to now.
 */
const retainRecordsJob = job({
  name: 'sealed-records.retain',
  payload: nothing,
  schedule: { cron: '40 4 * * *', payload: {}, upkeep: true },
});

/** Drops months whose records have all expired. */
const dropRecordMonthsJob = installationJob({
  name: 'sealed-records.drop-months',
  payload: nothing,
  schedule: { cron: '55 5 * * *', payload: {}, upkeep: true },
});

/** What this feature deletes by age, and counts. */
export const retainers = [
  {
    dataClass: 'decisions',
    counted: 'decisions',
    remove: (tx: Tx) => removeByAge(tx, 'decisions', (days) => expireRecords(tx, days)),
  },
] as const satisfies readonly Retainer[];
const [records] = retainers;

/** Returns plans that are in use outside of records. */
export type PlansInUse = (tx: Tx) => Promise<readonly Buffer[]>;

export interface SealedRecordJobPorts {
  readonly database: Database;
  readonly plansInUse: PlansInUse;
}

/** Returns this feature's jobs with their handlers. */
export function sealedRecordJobs({ database, plansInUse }: SealedRecordJobPorts): readonly JobHandler[] {
  return [
    handleInstallationJob(partitionRecordsJob, () => database.withSystem('partitions', ensureRecordPartitions)),
    handleInSlices(retainRecordsJob, database, ...retainingSteps(plansInUse)),
    handleInstallationJob(dropRecordMonthsJob, async () => {
      await database.withSystem('partitions', (tx) => dropEmptyMonths(tx, 'arbiter.decisions'));
    }),
  ];
}

/** In this order: what a record names is deleted after it. */
export const retainingSteps = (plansInUse: PlansInUse): readonly ((tx: Tx) => Promise<boolean>)[] => [
  async (tx) => (await records.remove(tx)).more,
  retirePlans,
  async (tx) => expirePlans(tx, await oldestRecordAt(tx), await plansInUse(tx)),
  expirePieces,
  async (tx) => expireEvidence(tx, await oldestRecordAt(tx)),
  async (tx) => expireModelStates(tx, await oldestRecordAt(tx)),
  async (tx) => expireCounts(tx, await oldestRecordAt(tx)),
];
