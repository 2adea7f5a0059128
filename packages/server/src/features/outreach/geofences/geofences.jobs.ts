import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type DispatchPorts, dispatchFiring } from './actions.service.ts';
import { expireTracked } from './geofences.store.ts';

/** Runs the action of a firing. */
const dispatchJob = job({
  name: 'geofence.dispatch',
  payload: Type.Object({ eventId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes firings and sightings that the tenant no longer keeps (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'geofences.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '53 4 * * *', payload: {}, upkeep: true },
});

/** Puts the action of a firing into the queue of the transaction. */
export const enqueueDispatch = (tx: Tx, eventId: string): Promise<void> =>
  enqueueJob(tx, dispatchJob, { eventId }, { key: `geofence.dispatch:${eventId}` });

/** Deletes one slice. */
export const retainTracked = (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireTracked(tx, days));

/** Returns this feature's jobs with their handlers. */
export function geofenceJobs(ports: DispatchPorts & { readonly database: Database }): JobHandler[] {
  const actor = systemActor('geofence');
  return [
    handleJob(dispatchJob, ({ eventId }, { tenantId }) =>
      dispatchFiring(ports, (work) => ports.database.withTenant(tenantId, actor, work), eventId),
    ),
    handleInSlices(retainJob, ports.database, async (tx) => (await retainTracked(tx)).more),
  ];
}
