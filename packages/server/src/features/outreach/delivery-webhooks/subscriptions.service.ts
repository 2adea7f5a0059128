import { hash } from 'node:crypto';
import type { WebhookAnswer } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { releaseLease, takeLease } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { snsUrl } from './sns.rules.ts';
import { insertSubscription, isConfirmed } from './subscriptions.store.ts';

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

/** Confirms a subscription of SNS; see `createConfirmSubscription`. */
export type ConfirmSubscription = (message: Readonly<Record<string, unknown>>) => Promise<WebhookAnswer>;

/**
 * Returns a function that confirms a subscription of SNS once, by calling its `SubscribeURL` on a host of SNS. It ignores
 * other hosts and topics, and throws 502 `upstream_failed` if SNS doesn't confirm, so that SNS sends the message again.
 */
export function createConfirmSubscription(deps: SubscriptionDeps): ConfirmSubscription {
  const underWay = new Map<string, Promise<boolean>>();
  return async (message) => {
    const url = snsUrl(message.SubscribeURL);
    const { TopicArn: topic, Token: token } = message;
    const isKnown = typeof topic === 'string' && (deps.snsTopics.length === 0 || deps.snsTopics.includes(topic));
    if (url === null || !isKnown || typeof token !== 'string') return answers.ignored;
    const id = hash('sha256', `${topic} ${token}`, 'hex');
    const before = underWay.get(id);
    if (before !== undefined) {
      await before;
      return answers.duplicate;
    }
    const confirming = confirm(deps, id, url);
    underWay.set(id, confirming);
    try {
      if (!(await confirming)) return answers.duplicate;
    } finally {
      underWay.delete(id);
    }
    deps.logger.info({ topic }, 'subscription of SNS confirmed');
    return answers.applied;
  };
}

const reason = 'delivery-webhook';

/** Returns false if the subscription was confirmed before. A lease keeps other processes from doing it at the same time. */
async function confirm({ database, outbound }: SubscriptionDeps, id: string, url: URL): Promise<boolean> {
  const lease = await database.withSystem(reason, (tx) => takeLease(tx, `sns-subscription:${id}`, newId()));
  if (lease === null) throw failed('Another process is confirming this subscription.');
  try {
    if (await database.withSystem(reason, (tx) => isConfirmed(tx, id))) return false;
    if (!(await call(outbound, url))) throw failed("SNS didn't confirm the subscription.");
    await database.withSystem(reason, (tx) => insertSubscription(tx, id));
    return true;
  } finally {
    await database.withSystem(reason, (tx) => releaseLease(tx, lease));
  }
}

const failed = (detail: string) => new AppError('upstream_failed', { detail });

async function call(outbound: Pick<Outbound, 'call'>, url: URL): Promise<boolean> {
  try {
    const { status } = await outbound.call(url.href, { timeoutMs: 3_000 });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof OutboundError) return false;
    throw error;
  }
}
