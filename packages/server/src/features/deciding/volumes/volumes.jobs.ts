import Type from 'typebox';
import type { Database } from '../../../db/index.ts';
import { handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { sweepReservations } from './volumes.service.ts';
import { announceBooking } from './volumes.store.ts';

/** Takes reservations that expired off the counters over all customers. */
const sweepVolumesJob = job({
  name: 'volumes.sweep',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '* * * * *', payload: {}, upkeep: true },
});

/** How this feature's jobs are done. */
export const volumeJobs = (database: Database): readonly JobHandler[] => [
  handleInSlices(sweepVolumesJob, database, async (tx) => {
    await announceBooking(tx);
    return sweepReservations(tx, (await readSettings(tx)).timezone);
  }),
];
