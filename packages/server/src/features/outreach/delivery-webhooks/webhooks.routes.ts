import type { webhookOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { sameSecret } from '../../../platform/crypto/crypto.ts';
import { readWebhook, readWhatsapp } from './formats.rules.ts';
import { type ReceiveDeps, receiveEvents } from './receive.service.ts';
import { createConfirmSubscription, type SubscriptionDeps } from './subscriptions.service.ts';

export interface WebhookPorts extends ReceiveDeps, SubscriptionDeps {
  /** WHATSAPP_WEBHOOK_VERIFY_TOKEN; null: no webhook can be set up. */
  readonly whatsappVerifyToken: string | null;
}

/** Handlers of this feature's operations. The binder has checked the signatures. */
export function webhookRoutes(ports: WebhookPorts): Handlers<typeof webhookOperations> {
  const confirmSubscription = createConfirmSubscription(ports);
  return {
    async delivery({ body, headers, requestId, until }) {
      const read = readWebhook(body, headers['X-Provider']?.trim().toLowerCase());
      if ('problem' in read) throw invalid('', read.problem);
      if (read.kind === 'subscription') return reply(200, await confirmSubscription(read.message));
      return reply(200, await receiveEvents(ports, read.events, { requestId, until }));
    },
    whatsapp: async ({ body, requestId, until }) =>
      reply(200, await receiveEvents(ports, readWhatsapp(body), { requestId, until })),
    async whatsappVerification({ query }) {
      const isKnown = sameSecret(ports.whatsappVerifyToken, query['hub.verify_token']);
      const challenge = query['hub.challenge'];
      if (query['hub.mode'] !== 'subscribe' || !isKnown || challenge === undefined) {
        throw new AppError('forbidden', { detail: "The mode, the token or the challenge doesn't match." });
      }
      return reply(200, challenge);
    },
  };
}
