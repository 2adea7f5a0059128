export { appendEvents, insertOutbox } from './outbox.store.ts';
export { createOutboxDispatcher } from './outbox.ts';
export { streamJobs } from './stream.jobs.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['outbox', 'stream_heads'];
