import type { Role } from '@arbiter/contract';
import type { Actor } from '../db/tx.ts';

/** Who a proven credential stands for (docs/design/api-access.md 4). */
export interface Principal {
  readonly kind: PresentedCredential['kind'];
  readonly tenantId: string;
  readonly actor: Actor;
  /** The highest role that the credential gives; `X-User-Role` may lower it for one request. */
  readonly role: Role;
  /** `read`, `write`, `admin`, `scim`; one without any of the first three opens SCIM routes only. */
  readonly scopes: readonly string[];
  /** Epoch ms at which the credential ends by itself, where that is known with it. */
  readonly expiresAtMs?: number;
  /** `Set-Cookie` of the answer: the credential is a cookie that is renewed. */
  readonly setCookie?: string;
  /** Stable id of the credential; scope of idempotency keys and of limits per credential. */
  readonly credentialId: string;
}

/** A credential as the request carried it: `session` is the value of the session's cookie, `accessToken` any bearer that is no key. */
export interface PresentedCredential {
  readonly kind: 'apiKey' | 'accessToken' | 'session';
  readonly value: string;
}

/**
 * Proves a credential; null = refused, for whatever reason. Throws AppError `unauthorized` with a detail when it cannot
 * prove anything at all (pepper unset) and `unavailable` when the database is away. Answers without a promise when it
 * knows from its cache. Calls `beforeLookUp` right before it asks the database; what that throws is thrown, and the
 * database is not asked.
 */
export type Authenticate = (
  presented: PresentedCredential,
  beforeLookUp?: () => void,
) => Principal | null | Promise<Principal | null>;
