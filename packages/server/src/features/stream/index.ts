import { eventOperations } from '@arbiter/contract';
import type { Database } from '../../db/index.ts';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { streamJobs } from './stream.jobs.ts';
import { type StreamPorts, streamRoutes } from './stream.routes.ts';

export { createDecisionEvents, type DecisionEvents } from './decision-events.ts';
export {
  appendEvents,
  insertOutbox,
  readReports,
  readStream,
  recountTotals,
  type StreamRow,
  selectHead,
} from './outbox.store.ts';
export { createOutboxDispatcher } from './outbox.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['outbox', 'stream_heads'];

export const streamFeature = feature({
  name: 'stream',
  tables,
  operations: (ports: StreamPorts) => handlerEntries(eventOperations, streamRoutes(ports)),
  jobs: ({ database }: { readonly database: Database }) => streamJobs(database),
});
