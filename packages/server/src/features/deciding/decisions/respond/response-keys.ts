import type { RespondAnswer } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import type { RespondCall } from './respond.rules.ts';
import { notFound } from './response-subject.ts';
import { findResponses } from './responses.store.ts';

/** An answer under a response's key. */
interface EarlierAnswer {
  readonly payloadHash: Buffer;
  /** Null: only the key remains, because the customer was erased. */
  readonly answer: RespondAnswer | null;
}

/** Answers by the hash of their key in hex, with those that the batch itself adds. */
export type EarlierAnswers = Map<string, EarlierAnswer>;

/** Adds the stored answers under these keys. */
export async function loadAnswers(tx: Tx, answers: EarlierAnswers, keyHashes: readonly Buffer[]): Promise<void> {
  if (keyHashes.length === 0) return;
  for (const { keyHash, payloadHash, answer } of await findResponses(tx, keyHashes)) {
    answers.set(keyHash.toString('hex'), { payloadHash, answer: answer as RespondAnswer | null });
  }
}

/**
 * Returns the answer of an earlier response with one of the keys, as a duplicate, or null. Throws 422 when the caller used
 * the key for another response; a derived key is the event itself, and other values in a repeat change nothing.
 */
export function findEarlierAnswer(
  answers: EarlierAnswers,
  call: RespondCall,
  keyHashes: readonly Buffer[],
): RespondAnswer | null {
  const earlier = keyHashes.map((hash) => answers.get(hash.toString('hex'))).find((found) => found !== undefined);
  if (earlier === undefined) return null;
  // Erasure has left only the key: the response is older than the erasure.
  if (earlier.answer === null) throw notFound('Customer');
  if (call.explicitKey !== null && !earlier.payloadHash.equals(call.payloadHash))
    throw new AppError('idempotency_key_reused');
  return { ...earlier.answer, status: 'duplicate' };
}
