import type { KeyObject } from 'node:crypto';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey, hmac } from '../../../platform/crypto/crypto.ts';

/**
 * Names what must be found again but not read: customers in the audit log and in the list of erasures, keys of imported
 * lines (docs/design/api-settled.md 103). HMAC-SHA256 with a key per tenant and purpose: the same for the same text,
 * and irreversible without the key. Both functions throw AppError `not_configured` without DATA_ENCRYPTION_KEY.
 */
export interface KeyedHash {
  /** Hashes with the newest key, for writing: 32 bytes. */
  of(tenantId: string, text: string): Buffer;
  /** Hashes with each key, newest first, for looking up: the value may have been written before a key change. */
  all(tenantId: string, text: string): readonly Buffer[];
}

/** Separates the purposes and is part of every hash: never change these words. */
const purposes = {
  customer: 'customers in the audit log of',
  importKey: 'keys of imported lines of',
  pipelineValue: 'values in pipelines of',
} as const;

/** `keys`: DATA_ENCRYPTION_KEY and those from before a rotation, the newest first. */
export function createKeyedHash(keys: readonly KeyObject[], purpose: keyof typeof purposes): KeyedHash {
  /** Deriving a key takes longer than using it, and a process serves few tenants at a time. */
  const derived = new Map<string, readonly KeyObject[]>();
  const keysOf = (tenantId: string): readonly KeyObject[] => {
    let own = derived.get(tenantId);
    if (own === undefined) {
      if (keys.length === 0) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
      own = keys.map((key) => deriveKey(key, `${purposes[purpose]} ${tenantId}`));
      if (derived.size >= maxTenants) derived.clear();
      derived.set(tenantId, own);
    }
    return own;
  };
  return {
    of: (tenantId, text) => hmac(keysOf(tenantId)[0]!, text),
    all: (tenantId, text) => keysOf(tenantId).map((key) => hmac(key, text)),
  };
}

const maxTenants = 10_000;
