import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Keys are KeyObjects, created once (docs/design/stack.md: a Buffer key costs seven times as much per HMAC). A blank secret gives
 * no key, so an unset secret opens nothing (docs/design/quality.md T5).
 */

/** A key from a secret of the configuration; null when the secret is unset or blank. */
export function keyOf(secret: string | null): KeyObject | null {
  return secret === null || secret.trim() === '' ? null : createSecretKey(Buffer.from(secret, 'utf8'));
}

/** A key of its own for each purpose, by HKDF-SHA256 (RFC 5869): a value of one purpose never fits another (T7). */
export function deriveKey(key: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `arbiter:${purpose}`, 32)));
}

/** HMAC-SHA256. */
export function hmac(key: KeyObject, data: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

const comparisonKey = createSecretKey(randomBytes(32));

/**
 * True when both are the same and not blank, in constant time: HMACs of both sides are compared, so lengths are equal
 * by construction (docs/design/quality.md F20).
 */
export function sameSecret(expected: string | null | undefined, given: string | null | undefined): boolean {
  if (typeof expected !== 'string' || typeof given !== 'string') return false;
  if (expected.trim() === '' || given.trim() === '') return false;
  return timingSafeEqual(hmac(comparisonKey, expected), hmac(comparisonKey, given));
}

/**
 * Keys for caches of secrets, so that no secret itself stays in memory: SHA-256 over a salt of the process and the
 * secret. Six times cheaper than an HMAC, and as hard to invert; equal for equal secrets
 * as long as the function lives, and never to be stored or shown.
 */
export function createSecretNames(): (secret: string) => string {
  const salt = randomBytes(32).toString('hex');
  return (secret) => hash('sha256', salt + secret, 'binary');
}

/** Where a sealed value belongs. It can't be opened anywhere else: tenant, record and field are authenticated (T18). */
export interface SealPlace {
  readonly tenantId: string;
  readonly recordId: string;
  readonly field: string;
}

/** Seals small secrets for the database: a random data key per value, itself sealed with the newest master key. */
export interface Envelope {
  seal(place: SealPlace, plain: Uint8Array | string): Buffer;
  /** Throws SealError when the value was changed, belongs elsewhere, or its key is unknown. */
  open(place: SealPlace, sealed: Uint8Array): Buffer;
  /** True when the value was sealed with an older master key and should be sealed again. */
  isOutdated(sealed: Uint8Array): boolean;
}

/** A sealed value that does not open. Says nothing about the content. */
export class SealError extends Error {
  constructor(reason: string) {
    super(`sealed value rejected: ${reason}`);
    this.name = 'SealError';
  }
}

// Layout: format 1 (1 byte), key id (4), nonce (12), sealed data key (32), tag (16), nonce (12), ciphertext, tag (16).
const format = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const dataKeyBytes = 32;
const headerBytes = 1 + keyIdBytes;
const wrappedBytes = nonceBytes + dataKeyBytes + tagBytes;

/**
 * @param current master key, 32 bytes in base64 (DATA_ENCRYPTION_KEY)
 * @param old earlier master keys, which still open what they sealed
 */
export function createEnvelope(current: string, old: readonly string[] = []): Envelope {
  const [newest, ...earlier] = [current, ...old].map(masterKey);
  if (newest === undefined) throw new Error('an envelope needs a key');
  const byId = new Map([newest, ...earlier].map((each) => [each.id.toString('hex'), each]));
  return {
    seal(place, plain) {
      const dataKey = randomBytes(dataKeyBytes);
      const context = contextOf(place);
      return Buffer.concat([
        Buffer.of(format),
        newest.id,
        encrypt(newest.key, context, dataKey),
        encrypt(createSecretKey(dataKey), context, typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain),
      ]);
    },
    open(place, sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < headerBytes + wrappedBytes + nonceBytes + tagBytes) throw new SealError('too short');
      if (bytes[0] !== format) throw new SealError('unknown format');
      const master = byId.get(bytes.subarray(1, headerBytes).toString('hex'));
      if (master === undefined) throw new SealError('unknown key');
      const context = contextOf(place);
      const dataKey = decrypt(master.key, context, bytes.subarray(headerBytes, headerBytes + wrappedBytes));
      return decrypt(createSecretKey(dataKey), context, bytes.subarray(headerBytes + wrappedBytes));
    },
    isOutdated: (sealed) => !Buffer.from(sealed.subarray(1, headerBytes)).equals(newest.id),
  };
}

function masterKey(base64: string): { id: Buffer; key: KeyObject } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('a data encryption key is 32 bytes in base64');
  const root = createSecretKey(bytes);
  // The id tells nothing about the key: it is a keyed hash of a constant.
  return { id: hmac(root, 'arbiter:key-id').subarray(0, keyIdBytes), key: deriveKey(root, 'envelope') };
}

/** Tells DATA_ENCRYPTION_KEYs apart without telling anything about them: what every value sealed with one begins with. */
export const keyIdOf = (base64: string): string => masterKey(base64).id.toString('hex');

/** Unambiguous: ids hold no NUL. */
function contextOf(place: SealPlace): Buffer {
  return Buffer.from(`${place.tenantId}\0${place.recordId}\0${place.field}`, 'utf8');
}

function encrypt(key: KeyObject, context: Buffer, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, context: Buffer, sealed: Buffer): Buffer {
  const end = sealed.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(context)
    .setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    throw new SealError('changed, or sealed for another place');
  }
}
