import type { DeliveryStatus, WebhookAnswer } from '@arbiter/contract';
import { type Database, systemActor } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import {
  applyReports,
  type DeliveryReport,
  findMessages,
  holdReports,
  type KnownMessage,
} from '../deliveries/index.ts';
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

/** Events of one transaction, so that a large body doesn't lock thousands of deliveries at once. */
const eventsPerSlice = 500;

/**
 * Stores what providers reported, in slices, each in a transaction for each tenant. A message id names one message of the
 * installation; one that two tenants have names none. Events of unknown messages are held: the provider may have been
 * faster than the job that stores the id.
 */
export async function receiveEvents(
  deps: ReceiveDeps,
  all: ReportedEvents,
  options: ReceiveOptions,
): Promise<WebhookAnswer> {
  const events = all.filter((event): event is ReportedEvent => event !== null);
  let [applied, duplicates] = [0, 0];
  for (let at = 0; at < events.length; at += eventsPerSlice) {
    const counts = await receiveSlice(deps, events.slice(at, at + eventsPerSlice), options);
    applied += counts.applied;
    duplicates += counts.duplicates;
  }
  return { received: all.length, applied, duplicates, ignored: all.length - applied - duplicates };
}

async function receiveSlice(
  deps: ReceiveDeps,
  events: readonly ReportedEvent[],
  options: ReceiveOptions,
): Promise<Pick<WebhookAnswer, 'applied' | 'duplicates'>> {
  const { database, onDelivery } = deps;
  let known = await findKnown(deps, events, options);
  const early = events.filter(({ messageId }) => !known.has(messageId));
  if (early.length > 0) {
    await database.withSystem('delivery-webhook', (tx) => holdReports(tx, early), options);
    // An id that was stored before the events were held is found now; one that is stored later finds them.
    known = new Map([...known, ...(await findKnown(deps, early, options))]);
  }
  const reports = events.flatMap(({ messageId, ...event }): (DeliveryReport & { tenantId: string })[] => {
    const message = known.get(messageId);
    return message == null ? [] : [{ ...event, deliveryId: message.deliveryId, tenantId: message.tenantId }];
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
  return { applied, duplicates: reports.length - applied };
}

/** Returns the messages of events by their ids; null for an id that two deliveries have. */
async function findKnown(
  { database, logger }: ReceiveDeps,
  events: readonly ReportedEvent[],
  options: ReceiveOptions,
): Promise<ReadonlyMap<string, KnownMessage | null>> {
  const ids = [...new Set(events.map(({ messageId }) => messageId))];
  const found = await database.withSystem('delivery-webhook', (tx) => findMessages(tx, ids), options);
  const known = new Map<string, KnownMessage | null>();
  for (const [messageId, messages] of Map.groupBy(found, (message) => message.messageId)) {
    const [first, ...others] = messages;
    known.set(messageId, others.length === 0 && first !== undefined ? first : null);
    if (others.length === 0) continue;
    logger.warn({ deliveryIds: messages.map(({ deliveryId }) => deliveryId) }, 'two deliveries have one message id');
  }
  return known;
}
