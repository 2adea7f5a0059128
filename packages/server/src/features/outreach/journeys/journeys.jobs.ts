import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { type AdvancePorts, advance } from './advance.service.ts';
import { advanceJob } from './advance-job.ts';
import { expireEnrollments } from './enrollment-figures.store.ts';

/** Deletes enrollments that the tenant no longer keeps (docs/design/api-access.md 14, class interactions). */
const retainJob = job({
  name: 'journeys.retain',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '52 4 * * *', payload: {}, upkeep: true },
});

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
