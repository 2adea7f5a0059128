import { canonicalJson } from '@arbiter/engine';
import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import type { KeyedHash } from '../../customer-states/index.ts';
import { callKey } from './respond.rules.ts';
import { findResponse, keepResponse } from './responses.store.ts';

/**
 * Claims an Idempotency-Key for a call of many responses for 7 days (docs/design/api-settled.md 77). The call may be
 * repeated with the same responses, even while the first is running: each of them is recorded once. Throws AppError
 * `idempotency_key_reused` when a call with other responses has the key. Stores a keyed hash of the responses: they
 * concern many customers, so erasing one can't find what's stored of the call, and a plain hash of few values could be
 * guessed.
 */
export async function claimCall(
  tx: Tx,
  customerHash: KeyedHash,
  credentialId: string,
  idempotencyKey: string,
  responses: readonly unknown[],
): Promise<void> {
  const keyHash = callKey(credentialId, idempotencyKey);
  const text = `respond/batch ${canonicalJson(JSON.parse(JSON.stringify(responses)))}`;
  const row = { keyHash, payloadHash: customerHash.of(tx.tenantId, text), customerId: '', answer: 'null' };
  if (await keepResponse(tx, row)) return;
  const earlier = await findResponse(tx, [keyHash]);
  const isSame = customerHash.all(tx.tenantId, text).some((hash) => earlier?.payloadHash.equals(hash) === true);
  if (!isSame) throw new AppError('idempotency_key_reused');
}
