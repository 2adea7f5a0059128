export { appendEvents, insertOutbox } from './outbox.store.ts';
export { createOutboxDispatcher } from './outbox.ts';
export { expireStream } from './stream-expiry.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['outbox', 'stream_heads'];
