import { createHash, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey } from '../../../platform/crypto/crypto.ts';

/**
 * Data keys of customers (docs/design/decisioning.md 3). A customer's key is derived from the tenant's key and 32
 * random bytes that only the customer's state row has: erasing the row destroys the key. Derived by the one-step KDF of
 * NIST SP 800-56C, SHA-256(counter, tenant's key, random part); every decision does it, and unwrapping a stored key
 * takes more than twice as long (docs/benchmarks.md).
 */
export interface CustomerKeys {
  /** The random part of a new key, as the row keeps it. Throws AppError `not_configured` without DATA_ENCRYPTION_KEY. */
  create(tenantId: string): Buffer;
  /** Returns the key. Throws AppError `not_configured` when its master key is no longer configured. */
  open(tenantId: string, stored: Buffer): KeyObject;
}

const idBytes = 4;
const randomPartBytes = 32;
const keyBytes = 32;
const prefixBytes = 4 + keyBytes;

/**
 * New keys come from the first of `masterKeys` (32 bytes each); the others open what was made before a rotation. Stored
 * form: id of the master key, random bytes.
 */
export function createCustomerKeys(masterKeys: readonly Buffer[]): CustomerKeys {
  const current = masterKeys[0] === undefined ? null : keyId(masterKeys[0]);
  const byId = new Map(masterKeys.map((key) => [keyId(key), key]));
  /** By master key and tenant: the KDF's counter and the tenant's key, ready for the random part. */
  const prefixes = new Map<string, Buffer>();

  /** Input of the derivation, assembled in place, because every decision does it. */
  const material = Buffer.alloc(prefixBytes + randomPartBytes);

  function prefixOf(id: string, tenantId: string): Buffer {
    const name = `${id} ${tenantId}`;
    const known = prefixes.get(name);
    if (known) return known;
    const master = byId.get(id);
    if (!master) {
      throw new AppError('not_configured', {
        detail: 'DATA_ENCRYPTION_KEY differs from the key that encrypted this data.',
      });
    }
    const tenantKey = deriveKey(createSecretKey(master), `customer keys of ${tenantId}`);
    const prefix = Buffer.concat([Buffer.of(0, 0, 0, 1), tenantKey.export()]);
    prefixes.set(name, prefix);
    return prefix;
  }

  return {
    create() {
      if (current === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
      return Buffer.concat([Buffer.from(current, 'hex'), randomBytes(randomPartBytes)]);
    },
    open(tenantId, stored) {
      if (stored.length !== idBytes + randomPartBytes) throw new Error('a stored key has the wrong length');
      material.set(prefixOf(stored.toString('hex', 0, idBytes), tenantId));
      material.set(stored.subarray(idBytes), prefixBytes);
      return createSecretKey(hash('sha256', material, 'buffer'));
    },
  };
}

/** Names a master key without telling it. */
function keyId(key: Buffer): string {
  if (key.length !== keyBytes) throw new Error('an encryption key must have 32 bytes');
  return createHash('sha256')
    .update('arbiter key id\0')
    .update(key)
    .digest('hex')
    .slice(0, idBytes * 2);
}
