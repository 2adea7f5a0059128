import type { Database } from '../db/index.ts';
import { AppError } from '../platform/app-error.ts';
import type { RequestFacts } from './handler.ts';
import { claimKey, findAnswer, payloadHash, releaseKey, settleKey } from './idempotency.store.ts';

/** The call, as far as its key is looked up by. */
export type OnceFacts = Pick<
  RequestFacts,
  'tenantId' | 'actor' | 'requestId' | 'until' | 'credentialId' | 'idempotencyKey'
>;

/**
 * Runs work that cannot be taken back once for an Idempotency-Key: its repeats get the answer that it had, a twin meanwhile
 * is 409. The key is claimed before anything is done; work that fails gives it free again. `route`: method and path.
 */
export async function runOnce<Answer extends object>(
  database: Database,
  { tenantId, actor, requestId, until, credentialId, idempotencyKey }: OnceFacts,
  route: string,
  input: { readonly params: object; readonly body: object },
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (idempotencyKey === null) return work();
  const call = { credentialId, route, key: idempotencyKey, payloadHash: payloadHash(input.params, {}, input.body) };
  const kept = await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      const found = await findAnswer(tx, call);
      if (found === null) await claimKey(tx, call);
      return found;
    },
    { requestId, until },
  );
  if (kept?.body != null) {
    const answer: Answer = JSON.parse(kept.body);
    return answer;
  }
  if (kept !== null) {
    throw new AppError('idempotency_in_progress', { detail: 'A call with this Idempotency-Key is still running.' });
  }
  try {
    const answer = await work();
    await database.withTenant(tenantId, actor, (tx) => settleKey(tx, call, JSON.stringify(answer)), { requestId });
    return answer;
  } catch (error) {
    await database.withTenant(tenantId, actor, (tx) => releaseKey(tx, call), { requestId });
    throw error;
  }
}
