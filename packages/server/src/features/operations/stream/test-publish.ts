import type { Server } from '../../../main/compose.ts';
import { createOutboxDispatcher, type OnPublished } from './outbox.ts';

/** Publishes what waits in the outbox, like a worker; days are in UTC. */
export const publishAll = (
  { database, outboxPath }: Pick<Server, 'outboxPath' | 'database'>,
  onPublished: OnPublished = async () => undefined,
): Promise<number> =>
  createOutboxDispatcher(database, outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
    onPublished,
  }).drain();
