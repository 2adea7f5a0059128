import type { DeliveryEventName, DeliveryReason, DeliveryStatus } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { publishUpdates } from './deliveries.events.ts';
import { lockDeliveries } from './deliveries.store.ts';
import { insertEvents, type NewEventRow, updateStatuses } from './reported.store.ts';
import { dedupeKeyOf, furthest } from './status.rules.ts';

/** An event of a provider about a delivery of the tenant. */
export interface DeliveryReport {
  readonly deliveryId: string;
  readonly event: DeliveryEventName;
  /** Null: the instant of its arrival. */
  readonly occurredAt: Date | null;
  readonly reason: DeliveryReason | null;
  readonly eventId: string | null;
}

/**
 * Stores what a provider reported and moves the deliveries forward (docs/design/quality.md T15). Returns how many events
 * were new; the others had arrived before, or their delivery was erased in the meantime.
 */
export async function applyReports(
  tx: Tx,
  reports: readonly DeliveryReport[],
  onDelivery: (status: DeliveryStatus) => void,
): Promise<number> {
  const deliveries = new Map(
    (await lockDeliveries(tx, [...new Set(reports.map(({ deliveryId }) => deliveryId))])).map((row) => [row.id, row]),
  );
  const rows = reports
    .filter(({ deliveryId }) => deliveries.has(deliveryId))
    .map(
      ({ occurredAt, ...report }): NewEventRow => ({
        ...report,
        id: newId(),
        occurredAt: occurredAt ?? tx.now,
        dedupeKey: dedupeKeyOf(report),
      }),
    );
  const added = await insertEvents(tx, rows);
  const furthestOf = new Map<string, DeliveryStatus>();
  for (const { deliveryId, event } of added) {
    const before = furthestOf.get(deliveryId) ?? deliveries.get(deliveryId)?.status ?? event;
    furthestOf.set(deliveryId, furthest(before, event));
  }
  const changed = [...furthestOf].flatMap(([id, status]) => {
    const before = deliveries.get(id);
    return before === undefined || before.status === status ? [] : [{ before, after: { ...before, status } }];
  });
  await updateStatuses(
    tx,
    changed.map(({ after }) => after),
  );
  await publishUpdates(tx, changed);
  for (const { after } of changed) onDelivery(after.status);
  return added.length;
}
