import { hash } from 'node:crypto';
import type { WebhookAnswer } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/outbound.ts';
import { snsUrl } from './sns.rules.ts';
import { claimSubscription, releaseSubscription } from './subscriptions.store.ts';

export interface SubscriptionDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly outbound: Pick<Outbound, 'call'>;
  /** Topics that may be confirmed. Empty: those that the signer of the call lets through. */
  readonly snsTopics: readonly string[];
}

const answers = {
  applied: { received: 1, applied: 1, duplicates: 0, ignored: 0 },
  duplicate: { received: 1, applied: 0, duplicates: 1, ignored: 0 },
  ignored: { received: 1, applied: 0, duplicates: 0, ignored: 1 },
} as const satisfies Record<string, WebhookAnswer>;

/**
 * Confirms a subscription of SNS once, by calling its `SubscribeURL` on a host of SNS. Ignores other hosts and topics.
 * Throws 502 `upstream_failed` if SNS doesn't confirm; SNS sends the message again.
 */
export async function confirmSubscription(
  { database, logger, outbound, snsTopics }: SubscriptionDeps,
  message: Readonly<Record<string, unknown>>,
): Promise<WebhookAnswer> {
  const url = snsUrl(message.SubscribeURL);
  const { TopicArn: topic, Token: token } = message;
  const isKnown = typeof topic === 'string' && (snsTopics.length === 0 || snsTopics.includes(topic));
  if (url === null || !isKnown || typeof token !== 'string') return answers.ignored;
  const id = hash('sha256', `${topic} ${token}`, 'hex');
  if (!(await database.withSystem('delivery-webhook', (tx) => claimSubscription(tx, id)))) return answers.duplicate;
  const isConfirmed = await call(outbound, url);
  if (!isConfirmed) {
    await database.withSystem('delivery-webhook', (tx) => releaseSubscription(tx, id));
    throw new AppError('upstream_failed', { detail: "SNS didn't confirm the subscription." });
  }
  logger.info({ topic }, 'subscription of SNS confirmed');
  return answers.applied;
}

async function call(outbound: Pick<Outbound, 'call'>, url: URL): Promise<boolean> {
  try {
    const { status } = await outbound.call(url.href, { timeoutMs: 3_000 });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof OutboundError) return false;
    throw error;
  }
}
