import type { DeliveryStatus } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { deleteEarlyEvents, insertEarlyEvents, selectEarlyEvents } from './early.store.ts';
import { applyReports, type DeliveryReport } from './reported.service.ts';
import { findMessages } from './reported.store.ts';
import { dedupeKeyOf } from './status.rules.ts';

/** An event about a message that no delivery has yet. */
type EarlyReport = Omit<DeliveryReport, 'deliveryId'> & { readonly messageId: string };

/**
 * Holds events for an hour: a provider may report before the id of its message is stored. Look for the messages again
 * after the transaction, because their ids may have been stored in the meantime.
 */
export async function holdReports(tx: Tx, reports: readonly EarlyReport[]): Promise<void> {
  await insertEarlyEvents(
    tx,
    reports.map(({ messageId, event, occurredAt, reason, eventId }) => ({
      ...{ messageId, event, reason, eventId },
      occurredAt: occurredAt ?? tx.now,
      dedupeKey: dedupeKeyOf({ event, eventId }),
    })),
  );
}

interface EarlyDeps {
  readonly database: Database;
  readonly onDelivery: (status: DeliveryStatus) => void;
}

/** Applies the events that came before this id was stored. To be called after it is; a repetition changes nothing. */
export async function applyEarlyReports({ database, onDelivery }: EarlyDeps, messageId: string): Promise<void> {
  const reason = 'delivery.send';
  const { messages, events } = await database.withSystem(reason, async (tx) => {
    const earlyEvents = await selectEarlyEvents(tx, messageId);
    return { events: earlyEvents, messages: earlyEvents.length === 0 ? [] : await findMessages(tx, [messageId]) };
  });
  const [message] = messages;
  // An id that two deliveries have names neither.
  if (message === undefined || messages.length > 1) return;
  const { tenantId, deliveryId } = message;
  const reports = events.map((event) => ({ ...event, deliveryId }));
  await database.withTenant(tenantId, systemActor(reason), (tx) => applyReports(tx, reports, onDelivery));
  await database.withSystem(reason, (tx) => deleteEarlyEvents(tx, messageId));
}
