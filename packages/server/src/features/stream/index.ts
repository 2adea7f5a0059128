export { appendEvents, insertOutbox } from './outbox.store.ts';
export { createOutboxDispatcher } from './outbox.ts';
export { expireStream } from './stream-expiry.ts';
