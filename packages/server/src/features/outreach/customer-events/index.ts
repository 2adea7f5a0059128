import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { customerEventJobs } from './customer-events.jobs.ts';
import type { FollowPorts } from './follow.service.ts';

export { type CustomerEvent, isStreamed, streamedEventTypes } from './customer-event.ts';
export { followSoon } from './customer-events.jobs.ts';
export { type EventListeners, isFromBeforeErasure, noteCaused, startFollowing } from './follow.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['event_followers', 'event_causes'];

export const customerEventsFeature = feature({
  name: 'customer-events',
  tables,
  resets: {
    empties: ['event_causes'],
    keeps: { event_followers: 'positions in the stream are never reused' },
  },
  jobs: (ports: FollowPorts & { readonly database: Database }) => customerEventJobs(ports),
});
