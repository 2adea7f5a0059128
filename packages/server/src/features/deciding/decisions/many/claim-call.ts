import { canonicalJson } from '@arbiter/engine';
import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { newId } from '../../../../platform/ids.ts';
import type { KeyedHash } from '../../customer-states/index.ts';
import { callKey } from '../respond/respond.rules.ts';
import { findResponses, keepResponses } from '../respond/responses.store.ts';

/** A call of many items with an Idempotency-Key. */
export interface KeyedItems {
  readonly route: 'respond/batch' | 'recommend/batch';
  readonly credentialId: string;
  readonly idempotencyKey: string;
  readonly items: readonly unknown[];
}

/**
 * Claims an Idempotency-Key for a call of many items for 7 days (docs/design/api-settled.md 77). The call may be repeated
 * with the same items, even while the first is running. Returns an id that all of these calls share. Throws AppError
 * `idempotency_key_reused` when a call with other items has the key. Stores a keyed hash of the items: they concern many
 * customers, so erasing one can't find what's stored of the call, and a plain hash of few values could be guessed.
 */
export async function claimCall(
  tx: Tx,
  customerHash: KeyedHash,
  { route, credentialId, idempotencyKey, items }: KeyedItems,
): Promise<string> {
  const keyHash = callKey(credentialId, route, idempotencyKey);
  const text = `${route} ${canonicalJson(JSON.parse(JSON.stringify(items)))}`;
  const claim = { id: newId() };
  const payloadHash = customerHash.of(tx.tenantId, text);
  const row = { keyHash, payloadHash, customerId: '', answer: JSON.stringify(claim) };
  if (await keepResponses(tx, [row])) return claim.id;
  const [earlier] = await findResponses(tx, [keyHash]);
  const isSame = customerHash.all(tx.tenantId, text).some((hash) => earlier?.payloadHash.equals(hash) === true);
  if (!isSame) throw new AppError('idempotency_key_reused');
  return String(earlier?.answer?.id);
}
