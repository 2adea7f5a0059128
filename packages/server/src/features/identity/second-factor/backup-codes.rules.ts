import { createSecretKey } from 'node:crypto';
import { hmac } from '../../../platform/crypto/crypto.ts';
import { base32 } from './totp.rules.ts';

/** Codes for people who lost their authenticator app (docs/design/api-access.md 22). */
export const backupCodeCount = 10;

/** Random bytes of a code: 50 bits are read as ten letters and digits. */
export const backupCodeBytes = 7;
const letters = 10;

/** A code as it is shown: `abcde-fg234`. `random`: `backupCodeBytes` random bytes. */
export function backupCode(random: Uint8Array): string {
  const text = base32(random).slice(0, letters).toLowerCase();
  return `${text.slice(0, letters / 2)}-${text.slice(letters / 2)}`;
}

/** True if it has the form of a backup code, after `typedCode`. */
export const isBackupCode = (typed: string): boolean => /^[a-z2-7]{10}$/.test(typed);

/**
 * Returns the stored form of a code. Its key is the same factor's secret, which is encrypted, so the hashes alone can't
 * be brute-forced. `typed`: after `typedCode`.
 */
export const backupCodeHash = (secret: Uint8Array, typed: string): Buffer =>
  hmac(createSecretKey(secret), `backup-code:${typed}`);
