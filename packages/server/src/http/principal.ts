import type { Role } from '@arbiter/contract';
import type { Actor } from '../db/tx.ts';

/** The owner of a proven credential (docs/design/api-access.md 4). */
export interface Principal {
  readonly kind: PresentedCredential['kind'];
  readonly tenantId: string;
  readonly actor: Actor;
  /** The highest role of the credential. `X-User-Role` may lower it for one request. */
  readonly role: Role;
  /** `read`, `write`, `admin`, `scim`. Without any of the first three, the credential opens only SCIM routes. */
  readonly scopes: readonly string[];
  /** Epoch ms at which the credential expires, if known. */
  readonly expiresAtMs?: number;
  /** `Set-Cookie` of the answer, for a credential that's a renewed cookie. */
  readonly setCookie?: string;
  /** Stable id of the credential. Scopes idempotency keys and limits per credential. */
  readonly credentialId: string;
}

/** A credential as sent: `session` is the session cookie's value, `accessToken` any bearer that isn't a key. */
export interface PresentedCredential {
  readonly kind: 'apiKey' | 'accessToken' | 'session';
  readonly value: string;
}

/**
 * Verifies a credential. Null means rejected, for any reason. Throws AppError `unauthorized` with a detail when it
 * can't verify anything at all (pepper unset) and `unavailable` when the database is away. Returns synchronously from
 * its cache. Calls `beforeLookUp` right before it queries the database; if that throws, it doesn't query.
 */
export type Authenticate = (
  presented: PresentedCredential,
  beforeLookUp?: () => void,
) => Principal | null | Promise<Principal | null>;
