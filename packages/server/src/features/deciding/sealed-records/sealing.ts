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
/** Small windows and chunks: by default, each call allocates 270 KB for its state and 16 KB for its result. */
const packing = { level: 1, windowBits: 13, memLevel: 6, chunkSize: 4096 } as const;
const ivBytes = 12;
const tagBytes = 16;

/** A body that cannot be opened: wrong key, wrong place, or changed bytes. */
export class SealBroken extends Error {
  constructor(cause: unknown) {
    super("a sealed body can't be opened", { cause });
    this.name = 'SealBroken';
  }
}

/**
 * Seals `text` under a 32-byte key (a KeyObject: with bytes a cipher takes more than twice as long); `context` is what
 * the body belongs to, e.g. `<tenant>:<id>:decision`.
 */
export type Seal = (key: KeyObject, context: string, text: string) => Buffer;

/** Initialisation vectors that are drawn at once: one draw costs as much as many bytes of it. */
const ivsPerDraw = 256;
/** Size of the memory that texts are encoded into, one after the other. Longer texts get their own. */
const firstScratchBytes = 16 * 1024;
const largestScratchBytes = 1024 * 1024;
/** UTF-8 takes at most three bytes for a unit of UTF-16. */
const bytesPerUnit = 3;

/** Creates the sealing function. One per process, because it draws randomness ahead. */
export function createSeal(): Seal {
  const drawn = Buffer.alloc(ivBytes * ivsPerDraw);
  let used = drawn.length;
  let scratch = Buffer.allocUnsafeSlow(firstScratchBytes);

  /** Returns the text's bytes, which are valid until the next call. */
  function bytesOf(text: string): Buffer {
    const most = text.length * bytesPerUnit;
    if (most > largestScratchBytes) return Buffer.from(text, 'utf8');
    if (most > scratch.length) scratch = Buffer.allocUnsafeSlow(most);
    return scratch.subarray(0, scratch.write(text, 'utf8'));
  }

  return (key, context, text) => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const iv = drawn.subarray(used, used + ivBytes);
    used += ivBytes;
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(bytesOf(context));
    const raw = bytesOf(text);
    const isLong = raw.length > compressAboveBytes;
    const packed = isLong ? deflateRawSync(raw, packing) : raw;
    const sealed = Buffer.allocUnsafe(1 + ivBytes + packed.length + tagBytes);
    sealed[0] = isLong ? deflated : plain;
    sealed.set(iv, 1);
    sealed.set(cipher.update(packed), 1 + ivBytes);
    cipher.final();
    sealed.set(cipher.getAuthTag(), 1 + ivBytes + packed.length);
    return sealed;
  };
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
