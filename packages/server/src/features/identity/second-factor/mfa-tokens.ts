import { jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey, hmac, keyOf, sameSecret } from '../../../platform/crypto/crypto.ts';
import { isUuid } from '../../../platform/ids.ts';

/** The person whose password was verified. */
export interface ProvenPassword {
  readonly tenantId: string;
  readonly userId: string;
}

/**
 * Tokens that prove the password when the second factor is entered (docs/design/api-access.md 22). On their own, they
 * grant nothing.
 */
export interface MfaTokens {
  /** Throws 503 `not_configured` while NEXTAUTH_SECRET is unset. `passwordHash`: the one that was proven, null without. */
  issue(
    proven: ProvenPassword & { readonly passwordHash: string | null },
    now: Date,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Returns the content of a token; null unless it was signed here for this purpose and hasn't expired. */
  read(token: string, now: Date): Promise<(ProvenPassword & { readonly mark: string }) | null>;
  /** False when another password was set since. */
  isOfPassword(mark: string, passwordHash: string | null): boolean;
}

const lifeSeconds = 5 * 60;
const type = 'mfa+jwt';
const issuer = 'arbiter';
const algorithm = 'HS256';
const form = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** @param secret NEXTAUTH_SECRET; blank is treated as unset */
export function createMfaTokens(secret: string | null): MfaTokens {
  const root = keyOf(secret);
  const keys = root === null ? null : { sign: deriveKey(root, 'mfa'), mark: deriveKey(root, 'mfa-password') };

  function configured() {
    if (keys !== null) return keys;
    throw new AppError('not_configured', { detail: 'Sign-in is not available: NEXTAUTH_SECRET is not set.' });
  }

  const markOf = (passwordHash: string | null) => hmac(configured().mark, passwordHash ?? '').toString('base64url');

  return {
    async issue({ tenantId, userId, passwordHash }, now) {
      const issuedAt = Math.floor(now.getTime() / 1000);
      const expiresAt = issuedAt + lifeSeconds;
      const token = await new SignJWT({ tid: tenantId, mark: markOf(passwordHash) })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setSubject(userId)
        .setIssuer(issuer)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(configured().sign);
      return { token, expiresAt: new Date(expiresAt * 1000) };
    },
    async read(token, now) {
      if (!form.test(token)) return null;
      try {
        const { payload } = await jwtVerify(token, configured().sign, {
          algorithms: [algorithm],
          typ: type,
          issuer,
          requiredClaims: ['sub', 'tid', 'mark', 'iat', 'exp'],
          maxTokenAge: lifeSeconds,
          currentDate: now,
        });
        const { sub, tid, mark } = payload;
        if (typeof sub !== 'string' || typeof tid !== 'string' || typeof mark !== 'string') return null;
        return isUuid(sub) && isUuid(tid) ? { tenantId: tid, userId: sub, mark } : null;
      } catch (error) {
        // Whatever is wrong with it, the caller gets the same answer.
        if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return null;
        throw error;
      }
    },
    isOfPassword: (mark, passwordHash) => sameSecret(mark, markOf(passwordHash)),
  };
}
