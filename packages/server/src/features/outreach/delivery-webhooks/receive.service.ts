import type { DeliveryStatus, WebhookAnswer } from '@arbiter/contract';
import { type Database, systemActor } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { applyReports, type DeliveryReport, findMessages, type KnownMessage } from '../deliveries/index.ts';
import type { ReportedEvent, ReportedEvents } from './reported-events.ts';

export interface ReceiveDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Called when a delivery changes its status. */
  readonly onDelivery: (status: DeliveryStatus) => void;
}

export interface ReceiveOptions {
  readonly requestId: string;
  readonly until: number;
}

/**
 * Stores what providers reported, in a transaction for each tenant. A message id names one message of the installation;
 * one that two tenants have names none.
 */
export async function receiveEvents(
  { database, logger, onDelivery }: ReceiveDeps,
  all: ReportedEvents,
  options: ReceiveOptions,
): Promise<WebhookAnswer> {
  const events = all.filter((event): event is ReportedEvent => event !== null);
  const ids = [...new Set(events.map(({ messageId }) => messageId))];
  const found = ids.length === 0 ? [] : await database.withSystem('delivery-webhook', (tx) => findMessages(tx, ids));
  const known = new Map<string, KnownMessage>();
  for (const [messageId, messages] of Map.groupBy(found, (message) => message.messageId)) {
    const [first] = messages;
    if (messages.length === 1 && first !== undefined) known.set(messageId, first);
    else
      logger.warn({ deliveryIds: messages.map(({ deliveryId }) => deliveryId) }, 'two deliveries have one message id');
  }
  const reports = events.flatMap(({ messageId, ...event }): (DeliveryReport & { tenantId: string })[] => {
    const message = known.get(messageId);
    return message === undefined ? [] : [{ ...event, deliveryId: message.deliveryId, tenantId: message.tenantId }];
  });
  let applied = 0;
  for (const [tenantId, ofTenant] of Map.groupBy(reports, (report) => report.tenantId)) {
    applied += await database.withTenant(
      tenantId,
      systemActor('delivery-webhook'),
      (tx) => applyReports(tx, ofTenant, onDelivery),
      options,
    );
  }
  return {
    received: all.length,
    applied,
    duplicates: reports.length - applied,
    ignored: all.length - reports.length,
  };
}
