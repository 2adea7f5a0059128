import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { AppError } from '../../platform/app-error.ts';

/** Data keys of customers, wrapped under the tenant's key (envelope encryption; decisioning.md 3). */
export interface CustomerKeys {
  /** A new wrapped key. Throws AppError `not_configured` when the server has no encryption key. */
  create(tenantId: string): Buffer;
  /** The 32 byte key inside. Throws when it was wrapped for another tenant or under a key that is gone. */
  open(tenantId: string, wrapped: Buffer): KeyObject;
}

const idBytes = 4;
const ivBytes = 12;
const keyBytes = 32;
const tagBytes = 16;

/**
 * Wraps under a key derived per tenant from the first of `masterKeys` (32 bytes each); the others open what was wrapped
 * before a rotation. Layout: key id, IV, ciphertext, tag.
 */
export function createCustomerKeys(masterKeys: readonly Buffer[]): CustomerKeys {
  const current = masterKeys[0] === undefined ? null : keyId(masterKeys[0]);
  const byId = new Map(masterKeys.map((key) => [keyId(key), key]));
  const derived = new Map<string, KeyObject>();

  function tenantKey(id: string, tenantId: string): KeyObject {
    const cached = derived.get(`${id}${tenantId}`);
    if (cached) return cached;
    const master = byId.get(id);
    if (!master) {
      throw new AppError('not_configured', {
        detail: 'DATA_ENCRYPTION_KEY is not the one that this data was written with',
      });
    }
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', master, tenantId, 'customer keys', keyBytes)));
    derived.set(`${id}${tenantId}`, key);
    return key;
  }

  return {
    create(tenantId) {
      if (current === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', tenantKey(current, tenantId), iv);
      const body = cipher.update(randomBytes(keyBytes));
      cipher.final();
      return Buffer.concat([Buffer.from(current, 'hex'), iv, body, cipher.getAuthTag()]);
    },
    open(tenantId, wrapped) {
      if (wrapped.length !== idBytes + ivBytes + keyBytes + tagBytes)
        throw new Error('a wrapped key has the wrong length');
      const id = wrapped.toString('hex', 0, idBytes);
      const bodyAt = idBytes + ivBytes;
      const open = createDecipheriv('aes-256-gcm', tenantKey(id, tenantId), wrapped.subarray(idBytes, bodyAt));
      open.setAuthTag(wrapped.subarray(bodyAt + keyBytes));
      const key = open.update(wrapped.subarray(bodyAt, bodyAt + keyBytes));
      open.final();
      return createSecretKey(key);
    },
  };
}

/** Names a master key without telling it. */
function keyId(key: Buffer): string {
  if (key.length !== keyBytes) throw new Error('an encryption key has 32 bytes');
  return createHash('sha256')
    .update('arbiter key id\0')
    .update(key)
    .digest('hex')
    .slice(0, idBytes * 2);
}
