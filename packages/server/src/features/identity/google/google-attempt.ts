import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { OidcAttempt } from '../../../platform/oidc.ts';

/** A sign-in with Google that was begun. Its browser keeps it, sealed, for no tenant is known yet that could. */
export interface GoogleAttempt extends OidcAttempt {
  /** Own path that the browser is sent to afterwards. */
  readonly returnTo: string;
}

/** Name of the cookie that holds it. */
export const googleCookie = 'arbiter_google';

/** Seconds within which the browser must come back. */
export const attemptSeconds = 600;

const type = 'google+jwt';

const random = (): string => randomBytes(32).toString('base64url');

export const newAttempt = (redirectUri: string, returnTo: string): GoogleAttempt => ({
  redirectUri,
  returnTo,
  state: random(),
  nonce: random(),
  codeVerifier: random(),
});

/** @param key of 32 bytes, of this purpose alone */
export function sealAttempt(
  key: KeyObject,
  { redirectUri: _ours, ...attempt }: GoogleAttempt,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new EncryptJWT({ ...attempt })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: type })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + attemptSeconds)
    .encrypt(key);
}

/** Returns the attempt in a cookie; null if it isn't ours or is too old. */
export async function openAttempt(
  key: KeyObject,
  sealed: string,
  redirectUri: string,
  now: Date,
): Promise<GoogleAttempt | null> {
  try {
    const { payload } = await jwtDecrypt(sealed, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      typ: type,
      requiredClaims: ['exp'],
      currentDate: now,
    });
    const { state, nonce, codeVerifier, returnTo } = payload;
    const isWhole = [state, nonce, codeVerifier, returnTo].every((each) => typeof each === 'string');
    return isWhole
      ? {
          redirectUri,
          state: String(state),
          nonce: String(nonce),
          codeVerifier: String(codeVerifier),
          returnTo: String(returnTo),
        }
      : null;
  } catch (error) {
    // Whatever is wrong with it, the sign-in starts over.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return null;
    throw error;
  }
}
