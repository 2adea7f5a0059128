import { hash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

/**
 * The text that was raw-deflated and that has this SHA-256; null when it has another, or when the bytes were changed so
 * that they are no deflated text at all.
 */
export function inflatedText(body: Buffer, sha256: Buffer): string | null {
  try {
    const text = inflateRawSync(body).toString('utf8');
    return hash('sha256', text, 'buffer').equals(sha256) ? text : null;
  } catch (error) {
    // zlib reports broken bytes as an Error with its own code. Any other error isn't about the bytes.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return null;
    throw error;
  }
}
