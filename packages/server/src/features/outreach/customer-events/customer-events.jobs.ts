import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { expireCauses } from './customer-events.store.ts';
import {
  type EventListeners,
  type EventPlace,
  type FollowPorts,
  followEvent,
  followStream,
  isHeard,
} from './follow.service.ts';

/**
 * Hands new events of the stream to triggers and journeys. Enqueued when something was published; the schedule finds
 * what a process that ended did not enqueue.
 */
const followJob = job({
  name: 'events.follow',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '* * * * *', payload: {}, upkeep: true },
});

/** Retries an event on its own, after a listener failed on it. */
const retryJob = job({
  name: 'events.retry',
  payload: Type.Object({ row: Type.Integer(), event: Type.Integer() }, { additionalProperties: false }),
});

/** Deletes what triggers caused, once the stream has forgotten it. */
const expireJob = job({
  name: 'events.expire-causes',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '54 4 * * *', payload: {}, upkeep: true },
});

/** The stream keeps events for 7 days. */
const causesMs = 8 * 86_400_000;

/** Enqueues the hand-over of new events, if anything of the tenant listens. */
export async function followSoon(database: Database, listeners: EventListeners, tenantId: string): Promise<void> {
  await database.withTenant(tenantId, systemActor('events'), async (tx) => {
    if (await isHeard(tx, listeners)) await enqueueJob(tx, followJob, {}, { key: followJob.name });
  });
}

export function customerEventJobs(ports: FollowPorts & { readonly database: Database }): JobHandler[] {
  const retry = (tx: Tx, place: EventPlace) =>
    enqueueJob(tx, retryJob, place, { key: `${retryJob.name} ${place.row}-${place.event}` });
  const expire = (tx: Tx) => expireCauses(tx, new Date(tx.now.getTime() - causesMs));
  return [
    handleInSlices(followJob, ports.database, (tx) => followStream(tx, ports, retry)),
    handleJob(retryJob, (place, { tenantId }) =>
      ports.database.withTenant(tenantId, systemActor('events'), (tx) => followEvent(tx, ports, place)),
    ),
    handleInSlices(expireJob, ports.database, async (tx) => (await expire(tx)).more),
  ];
}
