import type { KeyObject } from 'node:crypto';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey, hmac } from '../../../platform/crypto.ts';

/**
 * Names what must be found again and not be read: customers in the audit log and in the list of erasures, keys of imported
 * lines (docs/design/api-settled.md 103). HMAC-SHA256 by a key of the tenant and the purpose: the same for the same text,
 * and nobody can turn it back without the key. Both throw AppError `not_configured` without DATA_ENCRYPTION_KEY.
 */
export interface KeyedHash {
  /** By the newest key: 32 bytes, for what is written. */
  of(tenantId: string, text: string): Buffer;
  /** By each key, the newest first: what is looked for may have been written before the keys were changed. */
  all(tenantId: string, text: string): readonly Buffer[];
}

/** Tells the purposes apart, and takes part in every hash: the words must not change. */
const purposes = { customer: 'customers in the audit log of', importKey: 'keys of imported lines of' } as const;

/** `keys`: DATA_ENCRYPTION_KEY and those from before a rotation, the newest first. */
export function createKeyedHash(keys: readonly KeyObject[], purpose: keyof typeof purposes): KeyedHash {
  /** To derive a key takes longer than to use it; a process serves few tenants at a time. */
  const derived = new Map<string, readonly KeyObject[]>();
  const keysOf = (tenantId: string): readonly KeyObject[] => {
    let own = derived.get(tenantId);
    if (own === undefined) {
      if (keys.length === 0) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
      own = keys.map((key) => deriveKey(key, `${purposes[purpose]} ${tenantId}`));
      if (derived.size >= mostTenants) derived.clear();
      derived.set(tenantId, own);
    }
    return own;
  };
  return {
    of: (tenantId, text) => hmac(keysOf(tenantId)[0]!, text),
    all: (tenantId, text) => keysOf(tenantId).map((key) => hmac(key, text)),
  };
}

const mostTenants = 10_000;
