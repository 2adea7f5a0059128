import type { Tx } from '../../../db/tx.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import {
  type DeliveryOutcome,
  type Destination,
  findDestination,
  type Notifier,
  noteOutcome,
  type OutgoingMessage,
} from '../../operations/notifications/index.ts';

/** A webhook to call, as its trigger or geofence is set now. */
export interface WebhookCall {
  /** Id of the notification destination; null: the action has a URL of its own. */
  readonly providerId: string | null;
  readonly to: Destination | DeliveryOutcome;
  readonly message: OutgoingMessage;
}

/** The result of a call. */
export type WebhookResult =
  /** Not tried, because the destination is busy or failed too often, or refused for some time. */
  | { readonly kind: 'held'; readonly seconds: number; readonly error: string }
  | { readonly kind: 'called'; readonly outcome: DeliveryOutcome };

const breakerSeconds = 30;
const busySeconds = 2;

/**
 * Returns the call of a webhook action.
 * @param owner what has the action, such as `trigger <id>`: breakers count by it
 * @param config the action's, with secrets in clear
 */
export async function planWebhook(
  tx: Tx,
  envelope: Envelope | null,
  owner: string,
  config: Readonly<Record<string, unknown>>,
  message: Pick<OutgoingMessage, 'id' | 'type' | 'title' | 'message' | 'data'>,
): Promise<WebhookCall> {
  const providerId = typeof config.providerId === 'string' ? config.providerId : null;
  const to: Destination | DeliveryOutcome =
    providerId === null
      ? { tenantId: tx.tenantId, id: owner, kind: 'webhook', config }
      : await findDestination(tx, envelope, providerId);
  const common = { tenantId: tx.tenantId, severity: 'info', fields: [], sourceUrl: null } as const;
  return { providerId, to, message: { ...message, ...common, sentAt: tx.now.toISOString() } };
}

export async function callWebhook(notifier: Notifier, { to, message }: WebhookCall): Promise<WebhookResult> {
  if ('kind' in to && notifier.isBusy(to)) return { kind: 'held', seconds: busySeconds, error: 'busy' };
  const outcome = 'kind' in to ? await notifier.send(to, message) : to;
  if (outcome.error === 'breaker_open') return { kind: 'held', seconds: breakerSeconds, error: 'breaker_open' };
  if (outcome.isHeld)
    return { kind: 'held', seconds: outcome.retryAfterSeconds ?? breakerSeconds, error: 'rate_limited' };
  return { kind: 'called', outcome };
}

/** Notes the outcome at the destination, if the action has no URL of its own. */
export async function noteCalled(tx: Tx, { providerId, to }: WebhookCall, outcome: DeliveryOutcome): Promise<void> {
  if (providerId !== null && 'kind' in to) await noteOutcome(tx, providerId, outcome);
}
