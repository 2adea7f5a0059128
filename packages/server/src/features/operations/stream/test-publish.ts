import type { Server } from '../../../main/compose.ts';
import { createOutboxDispatcher } from './outbox.ts';

/** Publishes what waits in the outbox, as a worker would; what is counted by days is in UTC. */
export const publishAll = ({ database, aside }: Pick<Server, 'aside' | 'database'>): Promise<number> =>
  createOutboxDispatcher(database, aside, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
