import type { journeyEnrollmentOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import {
  enrollByHand,
  exitEnrollment,
  listEnrollments,
  readEnrollment,
  readStats,
} from './enrollment-lists.service.ts';
import { changeJourney, createJourney, deleteJourney } from './journeys.service.ts';
import { journeySpec } from './journeys.store.ts';
import { type TryPorts, tryJourney } from './try.service.ts';

export const journeyRoutes = () =>
  recordHandlers(journeySpec, {
    create: createJourney,
    change: changeJourney,
    remove: (tx, id, addressed) => noContent(deleteJourney(tx, id, addressed)),
  });

export interface EnrollmentRoutePorts extends TryPorts {
  readonly database: Database;
}

/** Handlers of enrollments (docs/design/api-access.md 12.3). */
export function enrollmentRoutes(ports: EnrollmentRoutePorts): Handlers<typeof journeyEnrollmentOperations> {
  return {
    async enroll(tx, { params, body }) {
      const { context = {}, ...rest } = body;
      const { enrollment, isNew } = await enrollByHand(tx, { ...rest, context, journeyId: params.id });
      return reply(isNew ? 201 : 200, enrollment);
    },
    enrollments: async (tx, { params, query }) => reply(200, await listEnrollments(tx, params.id, query)),
    enrollment: async (tx, { params }) => reply(200, await readEnrollment(tx, params.id, params.eid)),
    exit: async (tx, { params, body }) =>
      reply(200, await exitEnrollment(tx, params.id, params.eid, body.reason ?? 'exited by a user')),
    stats: async (tx, { params }) => reply(200, await readStats(tx, params.id)),
    async test({ tenantId, actor, until, params, body }) {
      const { customerId, context = {} } = body;
      const trial = { tenantId, journeyId: params.id, customerId, context };
      const answer = await tryJourney(
        ports,
        (work) => ports.database.withTenant(tenantId, actor, work, { until }),
        trial,
      );
      return reply(200, answer);
    },
  };
}
