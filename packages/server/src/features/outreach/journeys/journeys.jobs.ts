import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type AdvancePorts, advance } from './advance.service.ts';
import { expireEnrollments } from './enrollment-figures.store.ts';

/** Takes the steps of an enrollment until it waits or ends. */
const advanceJob = job({
  name: 'journey.advance',
  payload: Type.Object({ enrollmentId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes enrollments that the tenant keeps no longer (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'journeys.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '52 4 * * *', payload: {}, upkeep: true },
});

/** Puts an enrollment's next step into the queue of the transaction, once. */
export const enqueueAdvance = (tx: Tx, enrollmentId: string): Promise<void> =>
  enqueueJob(tx, advanceJob, { enrollmentId }, { key: `journey.advance:${enrollmentId}` });

/** Deletes one slice of ended enrollments. */
export const retainEnrollments = (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireEnrollments(tx, days));

/** Returns this feature's jobs with their handlers. */
export function journeyJobs(ports: AdvancePorts & { readonly database: Database }): JobHandler[] {
  const actor = systemActor('journey');
  return [
    handleJob(advanceJob, ({ enrollmentId }, { tenantId, signal }) =>
      advance(ports, (work) => ports.database.withTenant(tenantId, actor, work), enrollmentId, signal),
    ),
    handleInSlices(retainJob, ports.database, async (tx) => (await retainEnrollments(tx)).more),
  ];
}
