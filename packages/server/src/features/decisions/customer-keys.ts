import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../platform/app-error.ts';
import { deriveKey, hmac } from '../../platform/crypto.ts';

/**
 * Data keys of customers (decisioning.md 3). A customer's key follows from the tenant's key and 32 random bytes that
 * only the customer's state row holds: whoever erases the row destroys the key. Deriving costs a third of unwrapping,
 * and every decision does it.
 */
export interface CustomerKeys {
  /** The random part of a new key, as the row keeps it. Throws AppError `not_configured` without DATA_ENCRYPTION_KEY. */
  create(tenantId: string): Buffer;
  /** The key. Throws AppError `not_configured` when it was made under a master key that is gone. */
  open(tenantId: string, stored: Buffer): KeyObject;
}

const idBytes = 4;
const randomPartBytes = 32;
const keyBytes = 32;

/**
 * New keys come from the first of `masterKeys` (32 bytes each); the others open what was made before a rotation.
 * Layout of the stored form: id of the master key, random bytes.
 */
export function createCustomerKeys(masterKeys: readonly Buffer[]): CustomerKeys {
  const current = masterKeys[0] === undefined ? null : keyId(masterKeys[0]);
  const byId = new Map(masterKeys.map((key) => [keyId(key), key]));
  const tenantKeys = new Map<string, KeyObject>();

  function tenantKey(id: string, tenantId: string): KeyObject {
    const name = `${id} ${tenantId}`;
    const known = tenantKeys.get(name);
    if (known) return known;
    const master = byId.get(id);
    if (!master) {
      throw new AppError('not_configured', {
        detail: 'DATA_ENCRYPTION_KEY is not the one that this data was written with',
      });
    }
    const key = deriveKey(createSecretKey(master), `customer keys of ${tenantId}`);
    tenantKeys.set(name, key);
    return key;
  }

  return {
    create() {
      if (current === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
      return Buffer.concat([Buffer.from(current, 'hex'), randomBytes(randomPartBytes)]);
    },
    open(tenantId, stored) {
      if (stored.length !== idBytes + randomPartBytes) throw new Error('a stored key has the wrong length');
      const key = tenantKey(stored.toString('hex', 0, idBytes), tenantId);
      return createSecretKey(hmac(key, stored.subarray(idBytes)));
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
