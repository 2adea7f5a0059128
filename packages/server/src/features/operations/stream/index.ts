import { eventOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { countReported, eraseEvents } from './erasure.store.ts';
import { enqueueRecount, streamJobs } from './stream.jobs.ts';
import { type StreamPorts, streamRoutes } from './stream.routes.ts';

export { createDecisionEvents, type DecisionEvents } from './decision-events.ts';
export { createEventPublisher, type EventPublisher } from './event-publisher.ts';
export {
  appendCounted,
  appendEvents,
  figuresInOutbox,
  insertOutbox,
  readReports,
  readStream,
  selectHead,
} from './outbox.store.ts';
export { createOutboxDispatcher, type OnPublished } from './outbox.ts';
export { readOutboxLag } from './outbox-lag.store.ts';
export { createOutboxReaper, type ReapOutbox } from './outbox-reaper.ts';
export { placeText, readPlace } from './positions.rules.ts';
export { readEvents } from './read-events.ts';
export { createRedisCopy } from './redis-copy.ts';
export { enqueueRecount };

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['outbox', 'stream_heads'];

export const streamFeature = feature({
  name: 'stream',
  tables,
  resets: {
    empties: ['outbox'],
    keeps: { stream_heads: 'positions in the stream are never reused' },
  },
  erases: [
    {
      tables: [],
      scopes: ['interactions', 'all', 'everything'],
      settle: async (tx, { customerId, zone }) => countReported(tx, customerId, await dayOffsets(zone)),
      erase: async () => ({}),
    },
    {
      tables: ['outbox'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ events: await eraseEvents(tx, customerId) }),
    },
  ],
  operations: (ports: StreamPorts) => handlerEntries(eventOperations, streamRoutes(ports)),
  jobs: ({ database }: { readonly database: Database }) => streamJobs(database),
});
