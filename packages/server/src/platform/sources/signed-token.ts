import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

/** Returns a token (RFC 7519) for a warehouse, which allows at most an hour. */
export const signedToken = (key: KeyObject, claims: Readonly<Record<string, string>>): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('50m')
    .sign(key);
