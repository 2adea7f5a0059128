import { notificationOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type NotificationJobPorts, notificationJobs } from './notifications.jobs.ts';
import { type NotificationPorts, notificationRoutes } from './notifications.routes.ts';

export { configProblems, joinConfig, splitConfig } from './config.rules.ts';
export type { DeliveryResult, NewDelivery } from './deliver.service.ts';
export type { UnsentMessage as WaitingMessage } from './deliveries.store.ts';
export { createMailCounter } from './mail-counter.ts';
export { type MessageFile, type OutgoingMessage, webhookHeaders } from './message.rules.ts';
export { enqueueDelivery, type NotificationJobPorts } from './notifications.jobs.ts';
export { createNotifier, type Notifier } from './notifier.ts';
export type { DeliveryOutcome, Destination } from './outcome.ts';
export { enabledProviders, providersAmong } from './providers.store.ts';
export { findDestination, noteOutcome, type SendDeps, sendToAll } from './send.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['notification_providers', 'notification_secrets', 'notification_deliveries'];

export const notificationsFeature = feature({
  name: 'notifications',
  tables,
  resets: { empties: ['notification_deliveries', 'notification_secrets', 'notification_providers'] },
  operations: (ports: NotificationPorts) => handlerEntries(notificationOperations, notificationRoutes(ports)),
  jobs: (ports: NotificationJobPorts) => notificationJobs(ports),
});
