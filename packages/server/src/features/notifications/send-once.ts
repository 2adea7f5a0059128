import type { Database } from '../../db/index.ts';
import { claimKey, findAnswer, payloadHash, releaseKey, settleKey } from '../../http/idempotency.store.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Sender } from './send.service.ts';

const route = 'POST /api/v1/notifications/send';

/**
 * Runs the work once for an Idempotency-Key: its repeats get the answer that it had, a twin meanwhile is 409. The key is
 * claimed before anything is sent, since a message cannot be taken back; work that fails gives it free again.
 */
export async function sendOnce<Answer extends object>(
  database: Database,
  {
    tenantId,
    actor,
    requestId,
    until,
    credentialId,
    idempotencyKey,
  }: Sender & { readonly credentialId: string; readonly idempotencyKey: string | null },
  body: object,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (idempotencyKey === null) return work();
  const call = { credentialId, route, key: idempotencyKey, payloadHash: payloadHash({}, {}, body) };
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
