import type { RespondAnswer } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import type { RespondCall } from './respond.rules.ts';
import { type Responded, withoutEffects } from './responded.ts';
import { notFound } from './response-subject.ts';
import { findResponse, keepResponse, takeKey } from './responses.store.ts';

/**
 * Takes the caller's key for this response. Returns the answer of an earlier response with the key, `in_progress` while
 * another transaction has it, and null when the response is the first.
 */
export async function claimKey(
  tx: Tx,
  call: RespondCall,
  keyHashes: readonly [Buffer, ...Buffer[]],
): Promise<Responded | 'in_progress' | null> {
  // The key's holder may be another repeat of a response that was answered long ago.
  if (!(await takeKey(tx, keyHashes[0]))) return (await findEarlierAnswer(tx, call, keyHashes)) ?? 'in_progress';
  // Check before creating a row for the customer: a rejected response leaves nothing behind.
  return findEarlierAnswer(tx, call, keyHashes);
}

/**
 * Returns the answer of an earlier response with this key, as a duplicate. Throws 422 when the caller used this key for
 * another response; a derived key is the event itself, and other values in a repeat change nothing.
 */
export async function findEarlierAnswer(
  tx: Tx,
  call: RespondCall,
  keyHashes: readonly Buffer[],
): Promise<Responded | null> {
  const earlier = keyHashes.length === 0 ? null : await findResponse(tx, keyHashes);
  if (earlier === null) return null;
  // Erasure has left only the key: the response is older than the erasure.
  if (earlier.answer === null) throw notFound('Customer');
  if (call.explicitKey !== null && !earlier.payloadHash.equals(call.payloadHash))
    throw new AppError('idempotency_key_reused');
  return withoutEffects({ ...(earlier.answer as RespondAnswer), status: 'duplicate' });
}

/** Stores the answer under the response's key, if it has one. */
export async function storeAnswer(
  tx: Tx,
  { payloadHash }: RespondCall,
  keyHash: Buffer | undefined,
  answer: RespondAnswer,
): Promise<void> {
  if (keyHash === undefined) return;
  const { customerId } = answer;
  const isStored = await keepResponse(tx, { keyHash, payloadHash, customerId, answer: JSON.stringify(answer) });
  if (!isStored) throw new AppError('idempotency_in_progress');
}
