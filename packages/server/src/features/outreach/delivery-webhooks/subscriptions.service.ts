import type { Database } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/outbound.ts';
import { type SnsMessage, snsUrlOf } from './sns.ts';
import { claimSubscription, confirmSubscription, releaseSubscription } from './subscriptions.store.ts';

export interface SubscriptionDeps {
  readonly database: Pick<Database, 'withSystem'>;
  readonly outbound: Pick<Outbound, 'call'>;
}

const work = 'delivery-webhooks';

/**
 * Confirms a subscription once, at an address of SNS only. Throws 400 for another address, and 503 if SNS doesn't accept
 * it, so that SNS sends it again.
 */
export async function answerSubscription(
  { database, outbound }: SubscriptionDeps,
  { MessageId: messageId, SubscribeURL }: SnsMessage,
): Promise<'confirmed' | 'known'> {
  const url = snsUrlOf(SubscribeURL);
  if (url === null || !/^[\w-]{1,200}$/.test(messageId)) {
    const message = 'must be an address of Amazon SNS';
    const path = 'body.SubscribeURL';
    throw new AppError('validation_failed', { detail: `${path} ${message}`, errors: [{ path, message }] });
  }
  if (!(await database.withSystem(work, (tx) => claimSubscription(tx, messageId)))) return 'known';
  const isAccepted = await visit(outbound, url);
  if (isAccepted) {
    await database.withSystem(work, (tx) => confirmSubscription(tx, messageId));
    return 'confirmed';
  }
  await database.withSystem(work, (tx) => releaseSubscription(tx, messageId));
  throw new AppError('unavailable', { detail: "Amazon SNS didn't accept the confirmation." });
}

async function visit(outbound: Pick<Outbound, 'call'>, { href }: URL): Promise<boolean> {
  try {
    return (await outbound.call(href)).status === 200;
  } catch (error) {
    if (error instanceof OutboundError) return false;
    throw error;
  }
}
