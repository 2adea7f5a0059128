import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { volumeJobs } from './volumes.jobs.ts';

export { figuresCents, impressionCents, outcomeCents, pricesOf } from './costs.rules.ts';
export { mergeChanges, type VolumeChange, type VolumeRef, volumeRef, volumesOf } from './volume-keys.ts';
export {
  type Booking,
  type Bookings,
  bookVolumes,
  readOfferVolumes,
  sweepReservations,
} from './volumes.service.ts';
export {
  announceBooking,
  announceWriting,
  dueReservation,
  type ExpiredReservation as DueReservation,
  insertReservations,
  insertVolumes,
  keepReservations,
  lockFilling,
  type NewReservation,
  raiseVolumes,
  readDue,
  readVolumes,
  type StoredVolume,
  selectReservedCents,
  selectVolumeRefs,
  storedVolume,
  type VolumeArrays,
  volumeArrays,
  volumeNames,
} from './volumes.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['volumes', 'volume_reservations'];

export const volumesFeature = feature({
  name: 'volumes',
  tables,
  resets: { empties: tables },
  jobs: ({ database }: { readonly database: Database }) => volumeJobs(database),
});
