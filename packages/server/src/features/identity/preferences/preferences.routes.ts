import type { preferenceOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { selectPreferences, upsertPreferences } from './preferences.store.ts';

/** Handlers of preferences. The actor of a session is its person. They leave no audit row: they govern nothing. */
export function preferenceRoutes(): Handlers<typeof preferenceOperations> {
  return {
    get: async (tx) => reply(200, (await selectPreferences(tx, tx.actor.id)) ?? {}),
    set: async (tx, { body }) => {
      await upsertPreferences(tx, tx.actor.id, body);
      return reply(200, body);
    },
  };
}
