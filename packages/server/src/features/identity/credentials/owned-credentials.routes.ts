import type { userCredentialOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { listUserCredentials, reassignCredentials } from './owned-credentials.service.ts';

/** Handlers of the credentials that a user owns (docs/design/api-access.md 5.2). */
export function ownedCredentialRoutes(): Handlers<typeof userCredentialOperations> {
  return {
    list: async (tx, { params }) => reply(200, await listUserCredentials(tx, params.id)),
    reassign: async (tx, { params, body }) => reply(200, await reassignCredentials(tx, params.id, body)),
  };
}
