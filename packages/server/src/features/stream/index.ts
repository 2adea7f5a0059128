import type { Database } from '../../db/index.ts';
import { feature } from '../../feature.ts';
import { streamJobs } from './stream.jobs.ts';

export { appendEvents, insertOutbox } from './outbox.store.ts';
export { createOutboxDispatcher } from './outbox.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['outbox', 'stream_heads'];

export const streamFeature = feature({
  name: 'stream',
  tables,
  jobs: ({ database }: { readonly database: Database }) => streamJobs(database),
});
