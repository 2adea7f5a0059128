import { deliveryWebhookOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type DeliveryWebhookPorts, deliveryWebhookRoutes } from './delivery-webhooks.routes.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['sns_subscriptions'];

export const deliveryWebhooksFeature = feature({
  name: 'delivery-webhooks',
  tables,
  resets: { keeps: { sns_subscriptions: 'they belong to the installation' } },
  operations: (ports: DeliveryWebhookPorts) => handlerEntries(deliveryWebhookOperations, deliveryWebhookRoutes(ports)),
});
