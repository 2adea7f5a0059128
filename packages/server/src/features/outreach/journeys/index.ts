import { journeyEnrollmentOperations, journeyOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { Logger } from '../../../platform/logger.ts';
import { restorable } from '../../catalogue/catalogue-records/index.ts';
import { type AdvancePorts, resumeDueEnrollments } from './advance.service.ts';
import { enqueueAdvance } from './advance-job.ts';
import { createJourneyGraphs } from './definitions.ts';
import { eraseEnrollments } from './enrollment-figures.store.ts';
import { journeyStep } from './journeys.events.ts';
import { journeyJobs, retainEnrollments } from './journeys.jobs.ts';
import { type EnrollmentRoutePorts, enrollmentRoutes, journeyRoutes } from './journeys.routes.ts';
import { journeySpec } from './journeys.store.ts';

export { setAttributes } from './attributes.service.ts';
export { journeyDecider } from './decide.service.ts';
export { checkColumns, requireFlow } from './definition.service.ts';
export { enroll, onCustomerEvent } from './enrollments.service.ts';
export type { DecideForJourney } from './journey-ports.ts';
export { createJourney } from './journeys.service.ts';
export { journeysNaming, selectAwaited, selectWatchedSegments } from './journeys.store.ts';

/** Hands due enrollments of all tenants to jobs; part of the tick. */
export const resumeJourneys = (ports: { readonly database: Database; readonly logger: Logger }, now: Date) =>
  resumeDueEnrollments(ports, now, enqueueAdvance);

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['journeys', 'journey_enrollments', 'journey_steps'];

export const journeysFeature = feature({
  name: 'journeys',
  tables,
  events: [journeyStep],
  restores: [restorable(journeySpec)],
  resets: { empties: ['journey_steps', 'journey_enrollments', 'journeys'] },
  erases: [
    {
      tables: ['journey_enrollments'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ journeyEnrollments: await eraseEnrollments(tx, customerId) }),
    },
  ],
  retains: [{ dataClass: 'interactions', counted: 'history', remove: retainEnrollments }],
  operations: (ports: EnrollmentRoutePorts) => [
    ...handlerEntries(journeyOperations, journeyRoutes()),
    ...handlerEntries(journeyEnrollmentOperations, enrollmentRoutes(ports)),
  ],
  jobs: (ports: Omit<AdvancePorts, 'graphs'> & { readonly database: Database }) =>
    journeyJobs({ ...ports, graphs: createJourneyGraphs() }),
});
