import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../platform/crypto/crypto.ts';

/** Time-based one-time passwords (RFC 6238) with what every authenticator app knows: SHA-1, 6 digits, 30 seconds. */

/** Bytes of a secret: as long as the hash (RFC 4226, section 4, R6). */
export const secretBytes = 20;

const stepSeconds = 30;
const digits = 6;

/** Steps that a clock may be ahead of or behind ours. */
const drift = 1;

/** The step that an instant belongs to. */
export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / stepSeconds);

/** The code of a step (RFC 4226, section 5.3). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Returns the step of this code, at most one away from now and later than the last used `lastStep`; null if there is
 * none. So each code works once.
 */
export function stepOf(secret: Uint8Array, code: string, now: Date, lastStep: number): number | null {
  const current = stepAt(now);
  let found: number | null = null;
  // Compare all of them, so that timing reveals nothing.
  for (let step = current - drift; step <= current + drift; step += 1) {
    if (sameSecret(codeAt(secret, step), code) && step > lastStep && found === null) found = step;
  }
  return found;
}

/** Returns what a person typed without spaces and dashes. */
export const typedCode = (text: string): string => text.replaceAll(/[\s-]/gu, '').toLowerCase();

/** True when it has the form of a code from an app. */
export const isAppCode = (typed: string): boolean => /^[0-9]{6}$/.test(typed);

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, section 6, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += base32Letters[(buffer >>> (bits - 5)) & 31];
      bits -= 5;
    }
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + base32Letters[(buffer << (5 - bits)) & 31];
}

/** Returns the address that gives an authenticator app the secret (Key URI Format). */
export function otpauthUrl(secret: Uint8Array, names: { readonly tenant: string; readonly email: string }): string {
  // A colon parts issuer and account.
  const issuer = `Arbiter ${names.tenant}`.replaceAll(':', ' ');
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(names.email.replaceAll(':', ' '))}`;
  const query = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
  return `otpauth://totp/${label}?${query}`;
}
