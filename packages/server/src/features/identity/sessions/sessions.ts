import type { Role } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import { sessionCookie } from '../../../http/binding/credentials.ts';
import type { Authenticate, Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createSecretNames, deriveKey, keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { type CredentialMemory, createCredentialMemory } from './credential-memory.ts';
import { readSession, renewAfterSeconds, type SessionClaims, sessionSeconds, signSession } from './session-token.ts';
import { insertSession, type SignInMethod } from './sessions.store.ts';

/** A session that was just opened. */
export interface StartedSession {
  readonly id: string;
  /** The JWT itself. */
  readonly token: string;
  /** Value of the header `Set-Cookie`. */
  readonly cookie: string;
  /** When the cookie ends unless it is renewed. */
  readonly expiresAt: Date;
}

/** The session's user, as of now. */
export interface SessionHolder {
  readonly name: string;
  readonly role: Role;
  /** When the session ends however often it is renewed. */
  readonly endsAt: Date;
}

/** Returns the holder of a live session of an active user in a live tenant. Needs a system transaction. */
export type ReadSessionHolder = (
  tx: Tx,
  session: Pick<SessionClaims, 'tenantId' | 'userId' | 'sessionId'>,
) => Promise<SessionHolder | undefined>;

/** Opens and proves sessions of persons (docs/design/api-access.md 4.2). */
export interface Sessions {
  /**
   * Opens a session for a user of the transaction's tenant, always with a new id. Throws 503 `not_configured` while
   * NEXTAUTH_SECRET is unset. The caller has checked that the user may sign in.
   */
  startSession(tx: Tx, session: { readonly userId: string; readonly method: SignInMethod }): Promise<StartedSession>;
  /** Throws 503 `not_configured` when sessions aren't possible. Call it before doing anything for one. */
  assertConfigured(): void;
  /** Proves the value of the cookie; null: refused. Throws 401 with a detail while NEXTAUTH_SECRET is unset. */
  readonly authenticate: Authenticate;
  /** `Set-Cookie` value that deletes the cookie. */
  readonly clearedCookie: string;
  /** Stops listening for changes. */
  close(): void;
}

/** However often the cookie is renewed, a session ends after so long (docs/design/api-access.md 4.2). */
const longestSessionMs = 12 * 3_600_000;
const lookUpWithinMs = 2_000;

interface VerifiedSession {
  readonly principal: Principal;
  readonly claims: SessionClaims;
  readonly endsAtMs: number;
}

/**
 * @param secret NEXTAUTH_SECRET; blank is treated as unset
 * @param publicUrl with https the cookie is sent over TLS only
 */
export function createSessions(deps: {
  readonly database: Database;
  readonly secret: string | null;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly readHolder: ReadSessionHolder;
}): Sessions {
  const { database, clock, readHolder } = deps;
  const root = keyOf(deps.secret);
  const key = root === null ? null : deriveKey(root, 'session');
  const nameOf = createSecretNames();
  const memory: CredentialMemory<VerifiedSession> = createCredentialMemory<VerifiedSession>(database);
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${deps.publicUrl.startsWith('https:') ? '; Secure' : ''}`;
  const cookieOf = (token: string, seconds: number) => `${sessionCookie}=${token}; Max-Age=${seconds}${attributes}`;

  function signingKey() {
    if (key !== null) return key;
    throw new AppError('not_configured', { detail: 'Sign-in is not available: NEXTAUTH_SECRET is not set.' });
  }

  /** A token for the next half hour, at most to the session's end. */
  async function issue(session: Pick<SessionClaims, 'tenantId' | 'userId' | 'sessionId'>, endsAtMs: number) {
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = Math.min(issuedAt + sessionSeconds, Math.floor(endsAtMs / 1000));
    const token = await signSession(signingKey(), { ...session, issuedAt, expiresAt });
    return { token, cookie: cookieOf(token, Math.max(0, expiresAt - issuedAt)), expiresAt: new Date(expiresAt * 1000) };
  }

  async function lookUp(token: string, name: string, beforeLookUp?: () => void): Promise<Principal | null> {
    const claims = key === null ? null : await readSession(key, token, new Date(clock.now()));
    if (claims === null) return null;
    beforeLookUp?.();
    const remember = memory.ask();
    const until = performance.now() + lookUpWithinMs;
    const holder = await database.withSystem('authenticate', (tx) => readHolder(tx, claims), { until });
    if (holder === undefined) return null;
    const known = { principal: principalOf(holder, claims), claims, endsAtMs: holder.endsAt.getTime() };
    remember(name, known);
    return admit(known);
  }

  function admit({ principal, claims, endsAtMs }: VerifiedSession): Principal | null | Promise<Principal | null> {
    const nowMs = clock.now();
    if (nowMs >= claims.expiresAt * 1000 || nowMs >= endsAtMs) return null;
    if (nowMs < (claims.issuedAt + renewAfterSeconds) * 1000) return principal;
    return issue(claims, endsAtMs).then(({ cookie, expiresAt }) => ({
      ...principal,
      setCookie: cookie,
      expiresAtMs: expiresAt.getTime(),
    }));
  }

  return {
    assertConfigured: () => void signingKey(),
    async startSession(tx, { userId, method }) {
      const id = newId();
      const endsAt = new Date(tx.now.getTime() + longestSessionMs);
      const issued = await issue({ tenantId: tx.tenantId, userId, sessionId: id }, endsAt.getTime());
      await insertSession(tx, { id, userId, method, startedAt: tx.now, endsAt });
      return { id, ...issued };
    },
    authenticate(presented, beforeLookUp) {
      if (presented.kind !== 'session') return null;
      if (key === null) {
        throw new AppError('unauthorized', { detail: "Sessions can't be verified: NEXTAUTH_SECRET is not set." });
      }
      const name = nameOf(presented.value);
      const known = memory.find(name);
      return known === null ? lookUp(presented.value, name, beforeLookUp) : admit(known);
    },
    clearedCookie: cookieOf('', 0),
    close: memory.close,
  };
}

const scopesOf = { viewer: ['read'], editor: ['read', 'write'], admin: ['read', 'write', 'admin'] } as const;

function principalOf(
  { name, role }: SessionHolder,
  { tenantId, userId, sessionId, expiresAt }: SessionClaims,
): Principal {
  return {
    kind: 'session',
    tenantId,
    actor: { id: userId, name, role },
    role,
    scopes: scopesOf[role],
    credentialId: `session:${sessionId}`,
    expiresAtMs: expiresAt * 1000,
  };
}

/** ID of the session that a caller holds; null for keys and tokens. */
export function sessionIdOf(credentialId: string): string | null {
  return credentialId.startsWith('session:') ? credentialId.slice('session:'.length) : null;
}
