import { type KeyObject, randomUUID } from 'node:crypto';
import { accessTokenSeconds, type OAuthScope, oauthScopes } from '@arbiter/contract';
import { jwtVerify, SignJWT } from 'jose';
import type { Database } from '../../../db/index.ts';
import type { Authenticate, Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createSecretNames, deriveKey, keyOf } from '../../../platform/crypto/crypto.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { createCredentialMemory } from '../sessions/index.ts';
import { roleOfScopes, scopesOfOwner } from './api-keys.rules.ts';
import { type NamedClient, ownerRoleOf, selectNamedClients } from './oauth-clients.store.ts';

/**
 * Access tokens: JWTs (RFC 7519) signed with HS256, of type `at+jwt` (RFC 9068). The key is derived only for this
 * purpose, so sessions and emailed links, signed with the same secret, aren't valid here (docs/design/quality.md T7).
 */
export interface AccessTokens {
  /** Signs a token for a client. Throws 503 `not_configured` when no secret is set. */
  issue(
    client: { readonly tenantId: string; readonly clientId: string },
    scopes: readonly OAuthScope[],
  ): Promise<string>;
  /** Proves a token; null: refused. Throws 401 with a detail when no secret is set. */
  readonly authenticate: Authenticate;
  /** Stops listening for changes. */
  close(): void;
}

const issuer = 'arbiter';
const type = 'at+jwt';
const algorithm = 'HS256';

/** None of our tokens is longer, so longer ones aren't checked. */
const longestToken = 2_048;
const form = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const lookUpWithinMs = 2_000;

/** True for text that can be an access token at all. */
function isAccessToken(text: string): boolean {
  return text.length <= longestToken && form.test(text);
}

interface Claims {
  readonly clientId: string;
  readonly tenantId: string;
  readonly scopes: readonly OAuthScope[];
  readonly expiresAtMs: number;
}

/** A verified token in memory. */
interface VerifiedToken {
  readonly principal: Principal;
  readonly expiresAtMs: number;
}

/**
 * Signs and proves access tokens; those that were proven stay in memory (credential-memory.ts).
 * @param secret JWT_SIGNING_SECRET, else NEXTAUTH_SECRET; blank is treated as unset
 */
export function createAccessTokens(deps: {
  readonly database: Database;
  readonly secret: string | null;
  readonly clock: Clock;
}): AccessTokens {
  const { database, clock } = deps;
  const root = keyOf(deps.secret);
  const key = root === null ? null : deriveKey(root, 'access');
  const nameOf = createSecretNames();
  const memory = createCredentialMemory<VerifiedToken>(database);

  async function lookUp(token: string, name: string, beforeLookUp?: () => void): Promise<Principal | null> {
    const claims = key === null ? null : await claimsOf(token, key, clock);
    if (claims === null) return null;
    beforeLookUp?.();
    const remember = memory.ask();
    const until = performance.now() + lookUpWithinMs;
    const clients = await database.withSystem('authenticate', (tx) => selectNamedClients(tx, claims.clientId), {
      until,
    });
    // Revoking a client leaves its issued tokens valid; losing its owner does not.
    const client = clients.find(({ tenantId }) => tenantId === claims.tenantId);
    if (client === undefined) return null;
    const principal = principalOf(client, claims);
    remember(name, { principal, expiresAtMs: claims.expiresAtMs });
    return principal;
  }

  return {
    async issue(client, scopes) {
      if (key !== null) return sign(client, scopes, key, clock);
      const detail = "Tokens can't be issued: neither JWT_SIGNING_SECRET nor NEXTAUTH_SECRET is set.";
      throw new AppError('not_configured', { detail });
    },
    authenticate(presented, beforeLookUp) {
      if (key === null) {
        const detail = "Access tokens can't be verified: neither JWT_SIGNING_SECRET nor NEXTAUTH_SECRET is set.";
        throw new AppError('unauthorized', { detail });
      }
      if (presented.kind !== 'accessToken' || !isAccessToken(presented.value)) return null;
      const name = nameOf(presented.value);
      const entry = memory.find(name);
      if (entry !== null) return clock.now() < entry.expiresAtMs ? entry.principal : null;
      return lookUp(presented.value, name, beforeLookUp);
    },
    close: memory.close,
  };
}

function sign(
  client: Parameters<AccessTokens['issue']>[0],
  scopes: readonly OAuthScope[],
  key: KeyObject,
  clock: Clock,
): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({ tid: client.tenantId, role: roleOfScopes(scopes), scopes: [...scopes] })
    .setProtectedHeader({ alg: algorithm, typ: type })
    .setSubject(client.clientId)
    .setIssuer(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + accessTokenSeconds)
    .setJti(randomUUID())
    .sign(key);
}

/** Returns the content of a token; null unless we signed it for this purpose and it hasn't expired. */
async function claimsOf(token: string, key: KeyObject, clock: Clock): Promise<Claims | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      requiredClaims: ['sub', 'tid', 'scopes', 'iat', 'exp', 'jti'],
      // Also rejects a token dated in the future.
      maxTokenAge: accessTokenSeconds,
      currentDate: new Date(clock.now()),
    });
    return isOurs(token, payload) ? claimsFrom(payload) : null;
  } catch (error) {
    // The caller gets the same answer, whatever is wrong with it.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return null;
    throw error;
  }
}

/**
 * Returns true when the payload is written the way we write it. Duplicate members, which readers resolve differently,
 * and numbers that no JSON writer produces (`1e999`) can't be ours, even when signed with our key.
 */
function isOurs(token: string, payload: object): boolean {
  const [, middle = ''] = token.split('.');
  return Buffer.from(middle, 'base64url').toString('utf8') === JSON.stringify(payload);
}

function claimsFrom(payload: Readonly<Record<string, unknown>>): Claims | null {
  const { sub, tid, scopes, exp } = payload;
  if (typeof sub !== 'string' || typeof tid !== 'string' || !isUuid(tid)) return null;
  if (typeof exp !== 'number' || !Number.isInteger(exp) || !Array.isArray(scopes) || scopes.length === 0) return null;
  const known = oauthScopes.filter((scope) => scopes.includes(scope));
  if (known.length !== scopes.length) return null;
  return { clientId: sub, tenantId: tid, scopes: known, expiresAtMs: exp * 1000 };
}

/** The role follows from the scopes and the owner's role; the role in the token is for its holder only (T7). */
function principalOf(client: NamedClient, { scopes: issued, expiresAtMs }: Claims): Principal {
  const scopes = scopesOfOwner(issued, ownerRoleOf(client));
  const role = roleOfScopes(scopes) ?? 'viewer';
  const id = `oauth:${client.id}`;
  return {
    kind: 'accessToken',
    tenantId: client.tenantId,
    actor: { id, name: client.name, role },
    role,
    scopes,
    credentialId: id,
    expiresAtMs,
  };
}
