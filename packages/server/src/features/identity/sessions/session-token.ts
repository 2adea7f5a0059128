import type { KeyObject } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { isUuid } from '../../../platform/ids.ts';

/** Content of a session cookie. Seconds since 1970. */
export interface SessionClaims {
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Seconds that a cookie lives unless it is renewed. */
export const sessionSeconds = 30 * 60;
/** A cookie older than this is renewed with the next answer. */
export const renewAfterSeconds = 5 * 60;

const type = 'session+jwt';
const issuer = 'arbiter';
const algorithm = 'HS256';
const longestToken = 2_048;
const form = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Signs the token of a session (RFC 7519, HS256). `key` is of this purpose alone (docs/design/quality.md T7). */
export function signSession(key: KeyObject, claims: SessionClaims): Promise<string> {
  return new SignJWT({ tid: claims.tenantId, sid: claims.sessionId })
    .setProtectedHeader({ alg: algorithm, typ: type })
    .setSubject(claims.userId)
    .setIssuer(issuer)
    .setIssuedAt(claims.issuedAt)
    .setExpirationTime(claims.expiresAt)
    .sign(key);
}

/** Returns the content of a token; null unless we signed it as a session token and it hasn't expired. */
export async function readSession(key: KeyObject, token: string, now: Date): Promise<SessionClaims | null> {
  if (token.length > longestToken || !form.test(token)) return null;
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      requiredClaims: ['sub', 'tid', 'sid', 'iat', 'exp'],
      // Also rejects a token dated in the future.
      maxTokenAge: sessionSeconds,
      currentDate: now,
    });
    const { sub, tid, sid, iat, exp } = payload;
    const ids = [sub, tid, sid];
    if (!ids.every((id) => typeof id === 'string' && isUuid(id))) return null;
    if (!Number.isInteger(iat) || !Number.isInteger(exp) || !isWrittenByUs(token, payload)) return null;
    return {
      tenantId: String(tid),
      userId: String(sub),
      sessionId: String(sid),
      issuedAt: Number(iat),
      expiresAt: Number(exp),
    };
  } catch (error) {
    // The caller gets the same answer, whatever is wrong with it.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return null;
    throw error;
  }
}

/** Duplicate members, which readers resolve differently, can't be ours, even when signed with our key. */
function isWrittenByUs(token: string, payload: object): boolean {
  const [, middle = ''] = token.split('.');
  return Buffer.from(middle, 'base64url').toString('utf8') === JSON.stringify(payload);
}
