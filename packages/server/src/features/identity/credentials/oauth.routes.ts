import { accessTokenSeconds, type OAuthScope, type oauthOperations, type RawBody } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { networkOf } from '../../../http/binding/caller-network.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { parseForm } from '../../../http/input/coercion.ts';
import { parseJsonBody } from '../../../http/input/json-body.ts';
import { limitHeaders } from '../../../http/limits/limits.ts';
import type { RateLimitStore } from '../../../http/limits/rate-limit.ts';
import { AppError } from '../../../platform/app-error.ts';
import { hmac, sameSecret } from '../../../platform/crypto/crypto.ts';
import type { AccessTokens } from './access-tokens.ts';
import { type Pepper, scopesOfOwner } from './api-keys.rules.ts';
import { grantedScopes } from './oauth-clients.rules.ts';
import { createOAuthClient, listOAuthClients, revokeOAuthClient } from './oauth-clients.service.ts';
import { type NamedClient, ownerRoleOf, selectNamedClients } from './oauth-clients.store.ts';
import {
  basicCredentials,
  type ClientCredentials,
  countedClient,
  credentialsOf,
  type TokenRequest,
  tokenError,
} from './token-request.rules.ts';

export interface OAuthDependencies {
  readonly database: Pick<Database, 'withSystem'>;
  readonly pepper: Pepper;
  readonly accessTokens: AccessTokens;
  readonly rateLimits: RateLimitStore;
}

/** Calls of one client, or of one address that names none, in a window. */
const perClient = { limit: 20, windowSeconds: 60 } as const;
const storeDownRetrySeconds = 5;

/** Handlers of OAuth clients and their tokens (docs/design/api-access.md 4.1 and 22). */
export function oauthRoutes(deps: OAuthDependencies): Handlers<typeof oauthOperations> {
  return {
    createClient: async (tx, { body }) => reply(201, await createOAuthClient(tx, deps.pepper, body)),
    listClients: async (tx) => reply(200, await listOAuthClients(tx)),
    revokeClient: async (tx, { params }) => {
      await revokeOAuthClient(tx, params.id);
      return reply(204, null);
    },
    revokeClientByQuery: async (tx, { query }) => {
      await revokeOAuthClient(tx, query.id);
      return reply(204, null);
    },
    token: async ({ body, headers, ip, until }) => {
      const read = attempt(() => requestOf(body));
      const basic = attempt(() => basicCredentials(headers.Authorization));
      const client = countedClient(read.value?.clientId, basic.value?.clientId ?? null);
      const counted = await countCall(deps.rateLimits, client, ip);
      try {
        if (read.error !== undefined) throw read.error;
        if (basic.error !== undefined) throw basic.error;
        const answer = await grant(deps, credentialsOf(read.value, basic.value), read.value.scope, until);
        return reply(200, answer, { pragma: 'no-cache', ...counted });
      } catch (error) {
        throw withHeaders(error, counted);
      }
    },
  };
}

/** Returns a token for these credentials. Throws the standard's `invalid_client`, `invalid_scope`. */
async function grant(deps: OAuthDependencies, credentials: ClientCredentials, scope: unknown, until: number) {
  const client = await proveClient(deps, credentials, until);
  const scopes = grantedScopes(
    scopesOfOwner(client.scopes, ownerRoleOf(client)),
    typeof scope === 'string' ? scope : null,
  );
  if (scopes === null) throw tokenError('invalid_scope', 'scope exceeds the scopes of the client.');
  return answerOf(deps.accessTokens, client, scopes);
}

/** The same refusal, with headers that every answer to the call has. */
function withHeaders(error: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, detail, errors, formatCode, retryAfterSeconds, members, cause } = error;
  return new AppError(code, {
    errors,
    members,
    cause,
    headers: { ...headers, ...error.headers },
    ...(detail === undefined ? {} : { detail }),
    ...(formatCode === undefined ? {} : { formatCode }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

async function answerOf(tokens: AccessTokens, client: NamedClient, scopes: readonly OAuthScope[]) {
  const access_token = await tokens.issue(client, scopes);
  return { access_token, token_type: 'Bearer' as const, expires_in: accessTokenSeconds, scope: scopes.join(' ') };
}

type OAuthAttempt<T> =
  | { readonly value: T; readonly error: undefined }
  | { readonly value: undefined; readonly error: AppError };

/** Even an unreadable call must count for someone before it's rejected. */
function attempt<T>(work: () => T): OAuthAttempt<T> {
  try {
    return { value: work(), error: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { value: undefined, error };
  }
}

/** The members of a JSON or form body; one that was sent several times in a form is a list. */
function requestOf({ bytes, mediaType }: RawBody): TokenRequest {
  const buffer = Buffer.from(bytes);
  const members = mediaType === 'application/json' ? membersOfJson(buffer) : membersOfForm(buffer);
  return {
    grantType: members.get('grant_type'),
    clientId: members.get('client_id'),
    clientSecret: members.get('client_secret'),
    scope: members.get('scope'),
  };
}

function membersOfJson(bytes: Buffer): Map<string, unknown> {
  const value = bytes.length === 0 ? {} : parseJsonBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw tokenError('invalid_request', 'The body must be an object.');
  }
  // A member that is null counts as not sent.
  return new Map(Object.entries(value).map(([name, member]) => [name, member ?? undefined]));
}

const membersOfForm = (bytes: Buffer): Map<string, unknown> =>
  new Map(
    [...parseForm(bytes.toString('utf8'), 'body')].map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

/**
 * Returns the call's RateLimit headers. Throws 429 when the client, or the address, called too often, also when
 * counting fails (docs/design/quality.md T19).
 */
async function countCall(
  limits: RateLimitStore,
  clientId: string | null,
  ip: string,
): Promise<Readonly<Record<string, string>>> {
  const { limit, windowSeconds } = perClient;
  const who = clientId === null ? `ip:${networkOf(ip)}` : `client:${clientId}`;
  const name = `oauth.token:${limit}/${windowSeconds}:${who}`;
  const refuse = (retryAfterSeconds: number, cause: unknown, headers: Readonly<Record<string, string>>): AppError =>
    new AppError('rate_limited', {
      headers,
      detail: `At most ${limit} calls in ${windowSeconds} seconds.`,
      formatCode: 'rate_limit_exceeded',
      retryAfterSeconds,
      cause,
    });
  let verdict: Awaited<ReturnType<RateLimitStore['take']>>;
  try {
    verdict = await limits.take({ tenantId: null, name, limit, windowSeconds });
  } catch (cause) {
    throw refuse(storeDownRetrySeconds, cause, {});
  }
  const headers = limitHeaders(verdict);
  if (!verdict.allowed) throw refuse(verdict.resetSeconds, undefined, headers);
  return headers;
}

/**
 * Returns the client of these credentials, if it isn't revoked and its tenant and owner are active. An unknown client
 * and a wrong secret take the same path and get the same bytes.
 */
async function proveClient(
  { database, pepper }: Pick<OAuthDependencies, 'database' | 'pepper'>,
  { clientId, clientSecret }: ClientCredentials,
  until: number,
): Promise<NamedClient> {
  if (pepper === null) {
    throw tokenError('invalid_client', "Client secrets can't be verified: API_KEY_PEPPER is not set.");
  }
  const clients = await database.withSystem('token', (tx) => selectNamedClients(tx, clientId), { until });
  const hash = hmac(pepper, clientSecret).toString('hex');
  const [client, ...others] = clients.filter(
    ({ secretHash, revokedAt }) => sameSecret(secretHash.toString('hex'), hash) && revokedAt === null,
  );
  if (client === undefined || others.length > 0) {
    throw tokenError(
      'invalid_client',
      'The client is unknown, revoked or has no active owner, or its secret is wrong.',
    );
  }
  return client;
}
