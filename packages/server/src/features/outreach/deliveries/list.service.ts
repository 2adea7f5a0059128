import {
  type Delivery,
  type DeliveryStatus,
  defaultPage,
  maxEventsShown,
  type Pagination,
  pageSize,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import {
  countDeliveries,
  type DeliveryEventRow,
  type DeliveryRow,
  selectDeliveries,
  selectDelivery,
  selectEvents,
} from './deliveries.store.ts';

/** Returns a delivery as answers show it. */
export function showDelivery(row: DeliveryRow, events: readonly DeliveryEventRow[]): Delivery {
  const { guarantee: _guarantee, tryingSince: _trying, ...shown } = row;
  return {
    ...shown,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    events: events.map(({ event, occurredAt, receivedAt, reason, eventId }) => ({
      event,
      timestamp: occurredAt.toISOString(),
      receivedAt: receivedAt.toISOString(),
      reason,
      eventId,
    })),
  };
}

/** Shows a delivery with its events. Throws 404. */
export async function readDelivery(tx: Tx, id: string): Promise<Delivery> {
  const row = isUuid(id) ? await selectDelivery(tx, id) : undefined;
  if (row === undefined) throw new AppError('not_found', { detail: 'This delivery does not exist.' });
  return showDelivery(row, await selectEvents(tx, row.id, maxEventsShown));
}

export interface DeliveryQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly customerId?: string;
  readonly status?: DeliveryStatus;
  readonly runId?: string;
  readonly channelId?: string;
}

/** A page of deliveries, newest first, without their events. */
export async function listDeliveries(
  tx: Tx,
  query: DeliveryQuery,
): Promise<{ data: Delivery[]; pagination: Pagination }> {
  const { cursor, customerId = null, status = null, runId = null, channelId = null } = query;
  if (cursor !== undefined && (!isUuid(cursor) || (await selectDelivery(tx, cursor)) === undefined)) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const limit = pageSize(defaultPage, query.limit);
  // An ID in another format matches nothing.
  const isEmpty = [runId, channelId].some((id) => id !== null && !isUuid(id));
  const filter = { customerId, status, runId, channelId };
  const rows = isEmpty ? [] : await selectDeliveries(tx, filter, cursor ?? null, limit + 1);
  const total = isEmpty ? 0 : await countDeliveries(tx, filter);
  const page = pageOf({ rows, limit, total, cursorOf: (row) => row.id });
  return { data: page.rows.map((row) => showDelivery(row, [])), pagination: page.pagination };
}
