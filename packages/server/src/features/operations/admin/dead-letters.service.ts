import {
  type DeadLetterAction,
  type DeadLetterReport,
  type DeadLetterResult,
  deadLetterTopics,
  maxDeadLettersListed,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import {
  countDeadLetters,
  type JobRegistry,
  listDeadLetters,
  purgeDeadLetters,
  retryDeadLetters,
} from '../../../jobs/index.ts';
import { invalid } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';

/** Counts and the newest dead letters. 400 for a topic that is no job. */
export async function reportDeadLetters(
  tx: Tx,
  registry: JobRegistry,
  query: { readonly limit: number; readonly topic: string | null },
): Promise<DeadLetterReport> {
  assertTopic('query.topic', registry, query.topic);
  const filter = { topic: query.topic, ids: null };
  const byTopic = await countDeadLetters(tx, filter);
  const totalEvents = Object.values(byTopic).reduce((sum, count) => sum + count, 0);
  const events = await listDeadLetters(tx, filter, Math.min(query.limit, maxDeadLettersListed));
  return {
    totalEvents,
    byTopic,
    events: events.map((event) => ({
      ...event,
      payload: { ...event.payload },
      failedAt: event.failedAt.toISOString(),
    })),
    alert: totalEvents <= 10 ? 'OK' : totalEvents <= 100 ? 'WARNING' : 'CRITICAL',
  };
}

/**
 * Requeues or deletes dead letters, each once, even if others do the same at the same time (docs/design/quality.md
 * T24). Throws 400 for an unknown topic. The audit row has the count.
 */
export async function actOnDeadLetters(
  tx: Tx,
  registry: JobRegistry,
  request: DeadLetterAction,
): Promise<DeadLetterResult> {
  const { action } = request;
  const [topic, eventIds] = [request.topic ?? null, request.eventIds ?? null];
  assertTopic('/topic', registry, topic);
  const filter = { topic, ids: eventIds };
  const result: DeadLetterResult =
    action === 'retry'
      ? { action, requeued: await retryDeadLetters(tx, registry, filter) }
      : { action, deleted: await purgeDeadLetters(tx, filter) };
  await recordAudit(tx, {
    action: action === 'retry' ? 'redrive' : 'purge',
    entityType: 'deadLetter',
    entityId: topic ?? 'all',
    entityName: null,
    after: { ...result, topic, eventIds },
  });
  return result;
}

function assertTopic(path: string, registry: JobRegistry, topic: string | null): void {
  const known: readonly string[] = deadLetterTopics;
  if (topic !== null && !registry.has(topic) && !known.includes(topic)) throw invalid(path, 'is not a job name');
}
