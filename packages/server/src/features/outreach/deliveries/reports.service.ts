import type { DeliveryEventName, DeliveryStatus } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { newId } from '../../../platform/ids.ts';
import { publishUpdates } from './deliveries.events.ts';
import { lockDeliveries } from './deliveries.store.ts';
import { insertEvents, type KnownMessage, selectMessages, updateStatuses } from './reports.store.ts';
import { furthest } from './status.rules.ts';

/** An event that a provider reports. */
export interface DeliveryReport {
  readonly messageId: string;
  readonly event: DeliveryEventName;
  /** By the clock of the provider. Null: it doesn't say. */
  readonly occurredAt: Date | null;
  readonly reason: string | null;
  /** Id of the event at the provider, if it has one. */
  readonly eventId: string | null;
}

/** What became of events. */
export interface AppliedReports {
  readonly applied: number;
  readonly duplicates: number;
  readonly ignored: number;
}

export interface ReportDeps {
  readonly database: Database;
  /** Called when a delivery changes its status. */
  readonly onDelivery: (status: DeliveryStatus) => void;
  readonly logger: { warn(about: object, text: string): void };
}

const work = 'delivery-webhooks';
const eventsAtOnce = 500;

/**
 * Stores events that are new, and moves their deliveries forward (docs/design/quality.md T15): the status is the furthest
 * of all events, in whatever order they come. Ignores events of messages that nobody sent, or two tenants did.
 */
export async function applyReports(
  deps: ReportDeps,
  reports: readonly DeliveryReport[],
  until?: number,
): Promise<AppliedReports> {
  const known = await findMessages(deps, [...new Set(reports.map(({ messageId }) => messageId))], until);
  const byTenant = Map.groupBy(
    reports.flatMap((report) => {
      const message = known.get(report.messageId);
      return message === undefined ? [] : [{ ...report, ...message }];
    }),
    ({ tenantId }) => tenantId,
  );
  let applied = 0;
  let duplicates = 0;
  let ignored = reports.length - [...byTenant.values()].flat().length;
  for (const [tenantId, all] of byTenant) {
    for (let from = 0; from < all.length; from += eventsAtOnce) {
      const part = all.slice(from, from + eventsAtOnce);
      const options = until === undefined ? {} : { until };
      const done = await deps.database.withTenant(tenantId, systemActor(work), (tx) => applyIn(tx, part), options);
      for (const status of done.statuses) deps.onDelivery(status);
      applied += done.applied;
      duplicates += done.duplicates;
      ignored += part.length - done.applied - done.duplicates;
    }
  }
  return { applied, duplicates, ignored };
}

/** Returns the delivery of each message that exactly one has. */
export async function findMessages(
  { database, logger }: Pick<ReportDeps, 'database' | 'logger'>,
  messageIds: readonly string[],
  until?: number,
): Promise<ReadonlyMap<string, KnownMessage>> {
  if (messageIds.length === 0) return new Map();
  const options = until === undefined ? {} : { until };
  const rows = await database.withSystem(work, (tx) => selectMessages(tx, messageIds), options);
  const found = Map.groupBy(rows, ({ messageId }) => messageId);
  return new Map(
    [...found].flatMap(([messageId, [first, ...others]]) => {
      if (first !== undefined && others.length === 0) return [[messageId, first]];
      const deliveries = [first, ...others].map((row) => row?.deliveryId);
      logger.warn({ deliveries }, 'ignored events of a message id that several deliveries have');
      return [];
    }),
  );
}

type FoundReport = DeliveryReport & KnownMessage;

async function applyIn(tx: Tx, reports: readonly FoundReport[]) {
  // Erased in the meantime: nothing is left to store the event with.
  const rows = new Map(
    (await lockDeliveries(tx, [...new Set(reports.map(({ deliveryId }) => deliveryId))])).map((row) => [row.id, row]),
  );
  const present = reports.filter(({ deliveryId }) => rows.has(deliveryId));
  const stored = await insertEvents(
    tx,
    present.map(({ deliveryId, event, occurredAt, reason, eventId }) => ({
      ...{ id: newId(), deliveryId, event, reason, eventId },
      dedupeKey: eventId === null ? `event ${event}` : `id ${eventId}`,
      occurredAt: occurredAt ?? tx.now,
    })),
  );
  const statuses = new Map<string, DeliveryStatus>();
  for (const { deliveryId, event } of stored) {
    const before = statuses.get(deliveryId) ?? rows.get(deliveryId)!.status;
    statuses.set(deliveryId, furthest(before, event));
  }
  const updates = [...statuses].flatMap(([id, status]) => {
    const before = rows.get(id)!;
    return before.status === status ? [] : [{ before, after: { status, error: before.error } }];
  });
  await updateStatuses(
    tx,
    updates.map(({ before, after }) => ({ id: before.id, status: after.status })),
  );
  await publishUpdates(tx, updates);
  return {
    applied: stored.length,
    duplicates: present.length - stored.length,
    statuses: updates.map(({ after }) => after.status),
  };
}
