import type { invitationOperations, selfOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { getUser } from '../users/index.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { invite, inviteAgain } from './invitations.service.ts';
import { changeSelf } from './self.service.ts';

/** Handlers of invitations (docs/design/api-access.md 5.2). */
export function invitationRoutes(deps: AccountDependencies): Handlers<typeof invitationOperations> {
  return {
    invite: async (tx, { body }) => reply(201, await invite(tx, deps, body)),
    resend: async (tx, { params }) => reply(200, await inviteAgain(tx, deps, params.id)),
  };
}

/** Handlers of what persons see and change of themselves (docs/design/api-access.md 5.2). */
export function selfRoutes(deps: AccountDependencies): Handlers<typeof selfOperations> {
  return {
    read: async ({ tenantId, actor, requestId, until }) => {
      const user = await deps.database.withTenant(tenantId, actor, (tx) => getUser(tx, actor.id), { requestId, until });
      return reply(200, user);
    },
    update: async (request) => reply(200, await changeSelf(deps, request, request.body)),
  };
}
