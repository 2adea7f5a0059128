import type { KeyObject } from 'node:crypto';
import { AppError } from '../../../../platform/app-error.ts';
import { deriveKey } from '../../../../platform/crypto/crypto.ts';
import { newDecisionId } from '../../sealed-records/index.ts';
import type { CallerFacts } from '../caller.ts';
import type { CallFacts } from './recommend.rules.ts';

export type CallFactsOf = (caller: Pick<CallerFacts, 'tenantId' | 'ip' | 'userAgent'>) => CallFacts;

/** `anonymousKey`: the key from which each tenant's is derived; null: no DATA_ENCRYPTION_KEY. */
export function createCallFacts(anonymousKey: KeyObject | null): CallFactsOf {
  const tenantKeys = new Map<string, KeyObject>();

  function keyOf(tenantId: string): KeyObject {
    let key = tenantKeys.get(tenantId);
    if (!key) {
      if (anonymousKey === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
      key = deriveKey(anonymousKey, `anonymous customers of ${tenantId}`);
      tenantKeys.set(tenantId, key);
    }
    return key;
  }

  return ({ tenantId, ip, userAgent }) => ({
    ip,
    userAgent,
    anonymousKey: () => keyOf(tenantId),
    newRequestId: newDecisionId,
  });
}
