import { defaultPage, type InteractionRow, type Pagination, pageSize, type rangeQuery } from '@arbiter/contract';
import type { Static, TObject } from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { askedRange } from '../../../platform/time/day-or-instant.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { remarkArchived } from '../archived-months/index.ts';
import { countHistory, type HistoryRow, selectHistory } from './history-list.store.ts';
import { findShownItem } from './shown-items.store.ts';

interface HistoryAsked extends Static<TObject<typeof rangeQuery>> {
  readonly cursor?: string;
  readonly limit?: number;
  readonly customerId?: string;
  readonly offerId?: string;
  readonly creativeId?: string;
  readonly channelId?: string;
  readonly type?: HistoryRow['interactionType'];
  readonly outcome?: string;
}

/**
 * Returns a page of history, newest first (docs/design/api-access.md 16). Throws 400 for an invalid instant or cursor.
 */
export async function listHistory(
  tx: Tx,
  { cursor, limit: asked, from, to, ...sent }: HistoryAsked,
): Promise<{ data: InteractionRow[]; pagination: Pagination }> {
  if (cursor !== undefined && (await findShownItem(tx, cursor)) === null) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const range = await askedRange({ from, to }, async () => (await readSettings(tx)).timezone);
  const none = { customerId: null, offerId: null, creativeId: null, channelId: null, type: null, outcome: null };
  const filter = { ...none, ...sent, ...range };
  const isMalformed = [filter.offerId, filter.creativeId, filter.channelId].some((id) => id !== null && !isUuid(id));
  const limit = pageSize(defaultPage, asked);
  const found = isMalformed ? [] : await selectHistory(tx, filter, cursor ?? null, limit + 1);
  const total = isMalformed ? 0 : await countHistory(tx, filter);
  await remarkArchived(tx, ['interactions', 'impressions'], range);
  const { rows, pagination } = pageOf({ rows: found, limit, total, cursorOf: (row) => row.id });
  return { data: await show(tx, rows), pagination };
}

async function show(tx: Tx, rows: readonly HistoryRow[]): Promise<InteractionRow[]> {
  const idsOf = (name: 'offerId' | 'creativeId') => rows.map((row) => row[name]);
  const offers = await readRelated(tx, 'offer', idsOf('offerId'), ['name', 'status']);
  const creatives = await readRelated(tx, 'creative', idsOf('creativeId'), ['name']);
  return rows.map(({ outcomeKey, conversionValue, occurredAt, createdAt, ...row }) => ({
    ...row,
    outcomeTypeKey: outcomeKey,
    conversionValue: conversionValue === null ? null : Number(conversionValue),
    timestamp: occurredAt.toISOString(),
    createdAt: createdAt.toISOString(),
    offer: (row.offerId === null ? null : offers.get(row.offerId)) ?? null,
    creative: (row.creativeId === null ? null : creatives.get(row.creativeId)) ?? null,
  }));
}
