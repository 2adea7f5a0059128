import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Bodies of sealed records and stored answers: packed (compressed above 1 KB) and encrypted with the customer's key, so
 * that destroying the key destroys them (docs/design/decisioning.md 3). Layout: format byte (1 plain, 2 raw-deflated), 12 bytes IV,
 * ciphertext, 16 bytes tag. AES-256-GCM; the AAD binds a body to its tenant and id.
 */
const plain = 1;
const deflated = 2;
const compressAboveBytes = 1024;
const ivBytes = 12;
const tagBytes = 16;

const entropy = Buffer.alloc(ivBytes * 256);
let entropyUsed = entropy.length;

function takeIv(target: Buffer, at: number): void {
  if (entropyUsed === entropy.length) {
    randomFillSync(entropy);
    entropyUsed = 0;
  }
  entropy.copy(target, at, entropyUsed, entropyUsed + ivBytes);
  entropyUsed += ivBytes;
}

/** A body that cannot be opened: wrong key, wrong place, or changed bytes. */
export class SealBroken extends Error {
  constructor(cause: unknown) {
    super('a sealed body cannot be opened', { cause });
    this.name = 'SealBroken';
  }
}

/** Seals `text` under a 32 byte key (a KeyObject: with bytes a cipher takes more than twice as long); `context` is what the body belongs to, e.g. `<tenant>:<id>:decision`. */
export function seal(key: KeyObject, context: string, text: string): Buffer {
  const raw = Buffer.from(text, 'utf8');
  const packed = raw.length > compressAboveBytes ? deflateRawSync(raw, { level: 1 }) : raw;
  const head = Buffer.allocUnsafe(1 + ivBytes);
  head[0] = packed === raw ? plain : deflated;
  takeIv(head, 1);
  const cipher = createCipheriv('aes-256-gcm', key, head.subarray(1));
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const body = cipher.update(packed);
  cipher.final();
  return Buffer.concat([head, body, cipher.getAuthTag()]);
}

/** Opens a sealed body. Throws SealBroken. */
export function unseal(key: KeyObject, context: string, sealed: Buffer): string {
  try {
    if (sealed.length < 1 + ivBytes + tagBytes) throw new Error('too short');
    const open = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + ivBytes));
    open.setAAD(Buffer.from(context, 'utf8'));
    open.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const packed = Buffer.concat([open.update(sealed.subarray(1 + ivBytes, sealed.length - tagBytes)), open.final()]);
    if (sealed[0] === plain) return packed.toString('utf8');
    if (sealed[0] === deflated) return inflateRawSync(packed).toString('utf8');
    throw new Error(`unknown format ${sealed[0]}`);
  } catch (error) {
    throw new SealBroken(error);
  }
}
