import { apiKeyScopes, type Session, type sessionOperations } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import { presentedCredential } from '../../../http/binding/credentials.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { Authenticate, Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { getTenant } from '../tenants/index.ts';
import { getUser } from '../users/index.ts';
import { roleOfScopes } from './api-keys.rules.ts';
import { getApiKey } from './api-keys.service.ts';
import { personBehind } from './people-behind.service.ts';

export interface SessionDependencies {
  readonly database: Pick<Database, 'withTenant'>;
  readonly authenticate: Authenticate;
}

/** Handles the request for the current caller (docs/design/api-access.md 4.2). */
export function sessionRoutes(deps: SessionDependencies): Handlers<typeof sessionOperations> {
  return {
    session: async ({ headers, requestId, until }) => {
      const principal = await proven(deps.authenticate, headers);
      if (principal === null) return reply(200, { authenticated: false });
      const session = await deps.database.withTenant(
        principal.tenantId,
        principal.actor,
        async (tx): Promise<Session> => {
          const { id, name, isPlayground } = await getTenant(tx);
          return { authenticated: true, tenant: { id, name, isPlayground }, ...(await holderOf(tx, principal)) };
        },
        { requestId, until },
      );
      const { setCookie } = principal;
      return setCookie === undefined ? reply(200, session) : reply(200, session, { 'set-cookie': setCookie });
    },
  };
}

/** Returns the fields about the credential itself. */
async function holderOf(tx: Tx, principal: Principal): Promise<Pick<Session, 'principal' | 'expiresAt'>> {
  const { kind, actor, role, credentialId, expiresAtMs } = principal;
  if (kind === 'session') {
    const { name, email } = await getUser(tx, actor.id);
    return {
      principal: { kind: 'user', id: actor.id, name, userId: actor.id, email, role },
      expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    };
  }
  if (kind === 'accessToken') {
    const id = credentialId.replace('oauth:', '');
    const userId = userIdOf(await personBehind(tx));
    return {
      principal: { kind: 'oauth_client', id, name: actor.name, userId, role, scopes: [...principal.scopes] },
      expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    };
  }
  const scopes = apiKeyScopes.filter((scope) => principal.scopes.includes(scope));
  const key = await getApiKey(tx, credentialId.replace('apikey:', ''));
  return {
    principal: {
      kind: 'api_key',
      id: key.id,
      name: key.name,
      userId: userIdOf(key.createdBy),
      role: roleOfScopes(scopes),
      scopes,
    },
    expiresAt: key.expiresAt,
  };
}

/** The user that a person is; null for the operator. */
const userIdOf = (person: string): string | null => (isUuid(person) ? person : null);

async function proven(
  authenticate: Authenticate,
  sent: { readonly Authorization?: string; readonly 'X-API-Key'?: string; readonly Cookie?: string },
): Promise<Principal | null> {
  try {
    const presented = presentedCredential({
      headers: { authorization: sent.Authorization, 'x-api-key': sent['X-API-Key'], cookie: sent.Cookie },
      rawHeaders: [],
    });
    return presented === null ? null : await authenticate(presented);
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return null;
    throw error;
  }
}
