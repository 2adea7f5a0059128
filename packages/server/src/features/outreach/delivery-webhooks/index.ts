import { webhookOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type WebhookPorts, webhookRoutes } from './webhooks.routes.ts';

export { createProviderSignatures } from './provider-signatures.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['webhook_subscriptions'];

export const deliveryWebhooksFeature = feature({
  name: 'delivery-webhooks',
  tables,
  resets: { keeps: { webhook_subscriptions: 'subscriptions of SNS belong to the installation' } },
  operations: (ports: WebhookPorts) => handlerEntries(webhookOperations, webhookRoutes(ports)),
});
