import type { KeyObject } from 'node:crypto';
import { AppError } from '../../platform/app-error.ts';
import { deriveKey, hmac } from '../../platform/crypto.ts';

/** Names a customer where the name must outlive the customer: the same for each change, and nobody can turn it back. */
export type CustomerHash = (tenantId: string, customerId: string) => string;

/**
 * HMAC-SHA256 by a key of the tenant, in hex (docs/design/api-settled.md 103). Throws AppError `not_configured` without
 * DATA_ENCRYPTION_KEY, which `key` is.
 */
export function createCustomerHash(key: KeyObject | null): CustomerHash {
  return (tenantId, customerId) => {
    if (key === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
    return hmac(deriveKey(key, `customers in the audit log of ${tenantId}`), customerId).toString('hex');
  };
}
