import type { accountOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import type { AccountDependencies } from './accounts.ports.ts';
import { type Entrance, signInByPassword } from './sign-in.service.ts';
import { signOut } from './sign-out.service.ts';

/** Handlers of accounts (docs/design/api-access.md 4.2). */
export function accountRoutes(deps: AccountDependencies): Handlers<typeof accountOperations> {
  return {
    login: async ({ body, requestId, until }) => {
      const { email, password, tenantId = null } = body;
      return replyOf(await signInByPassword(deps, { email, password, tenantId }, { requestId, until }));
    },
    logout: async ({ headers, requestId, until }) => {
      await signOut(deps, headers.Cookie, { requestId, until });
      return reply(204, null, { 'set-cookie': deps.sessions.clearedCookie });
    },
  };
}

const replyOf = ({ answer, cookie }: Entrance) =>
  cookie === null ? reply(200, answer) : reply(200, answer, { 'set-cookie': cookie });
