import { segmentOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { searchable } from '../catalogue-records/index.ts';
import type { RefreshPorts } from './refresh.service.ts';
import { segmentChanged } from './segments.events.ts';
import { segmentJobs } from './segments.jobs.ts';
import { type SegmentRoutePorts, segmentRoutes } from './segments.routes.ts';
import { dropAllViews, segmentSpec } from './segments.store.ts';
import { eraseMember } from './snapshots.store.ts';

export { type ConditionSchema, conditionSchema } from './condition-schemas.ts';
export { segmentsAmong, segmentsOfCustomers } from './customers-segments.store.ts';
export { definitionProblems } from './definitions.ts';
export { emptySegments, memberIds } from './members.service.ts';
export {
  type Membership,
  type MembershipReader,
  membershipReader,
  nobody,
  planMembership,
  readActiveSegments,
} from './membership.ts';
export { recordableSegments } from './recordable.ts';
export { type RefreshPorts, refreshNow } from './refresh.service.ts';
export { enqueueRefresh } from './segments.jobs.ts';
export { createSegment } from './segments.service.ts';
export { segmentOfView } from './segments.store.ts';
export { segmentsAsking, segmentsReadingMetric } from './uses.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['segments', 'segment_snapshots', 'segment_members'];

export const segmentsFeature = feature({
  name: 'segments',
  tables,
  searches: [searchable(segmentSpec, { detail: 'status' })],
  resets: { empties: tables, begin: dropAllViews },
  events: [segmentChanged],
  erases: [
    {
      tables: ['segment_members'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ segmentMemberships: await eraseMember(tx, customerId) }),
    },
  ],
  operations: (ports: SegmentRoutePorts) => handlerEntries(segmentOperations, segmentRoutes(ports)),
  jobs: (ports: RefreshPorts & { readonly database: Database }) => segmentJobs(ports),
});
