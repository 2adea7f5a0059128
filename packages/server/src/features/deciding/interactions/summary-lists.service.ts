import {
  type InteractionSummary,
  type Pagination,
  type PeriodType,
  pageSize,
  periodTypes,
  summaryPage,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { readCustomerSummaries } from './summaries.store.ts';

const periodOf = { daily: 'day', weekly: 'week', monthly: 'month', alltime: 'all' } as const;

interface SummaryFilters {
  readonly periodKey?: string;
  readonly offerId?: string;
  readonly channelId?: string;
}

/** The summaries of one length of period, the newest first. */
async function summariesOf(
  tx: Tx,
  customerId: string,
  periodType: PeriodType,
  { periodKey, offerId, channelId }: SummaryFilters,
): Promise<InteractionSummary[]> {
  if ([offerId, channelId].some((id) => id !== undefined && !isUuid(id))) return [];
  const rows = await readCustomerSummaries(tx, [customerId], {
    period: periodOf[periodType],
    zone: (await readSettings(tx)).timezone,
    ...(periodKey === undefined ? {} : { periodKey }),
    ...(offerId === undefined ? {} : { offerId }),
    ...(channelId === undefined ? {} : { channelId }),
  });
  return rows.map(({ clicks: _, lastContactAt, ...row }) => ({
    periodType,
    ...row,
    lastContactAt: lastContactAt?.toISOString() ?? null,
  }));
}

/** A page of a customer's summaries: by periodType, then the newest period first (docs/design/api-access.md 16). */
export async function listSummaries(
  tx: Tx,
  {
    customerId,
    periodType,
    cursor,
    limit: asked,
    ...filters
  }: SummaryFilters & {
    readonly customerId: string;
    readonly periodType?: PeriodType;
    readonly cursor?: string;
    readonly limit?: number;
  },
): Promise<{ data: InteractionSummary[]; pagination: Pagination }> {
  const types = periodType === undefined ? [...periodTypes].sort() : [periodType];
  const all: InteractionSummary[] = [];
  for (const type of types) all.push(...(await summariesOf(tx, customerId, type, filters)));
  const start = cursor === undefined ? 0 : all.findIndex((row) => cursorOf(row) === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const limit = pageSize(summaryPage, asked);
  const page = all.slice(start, start + limit + 1);
  const { rows, pagination } = pageOf({ rows: page, limit, total: all.length, cursorOf });
  return { data: rows, pagination };
}

/** Identifies a row within the tenant. */
function cursorOf({ periodType, periodKey, customerId, ...row }: InteractionSummary): string {
  const { offerId, creativeId, channelId, direction } = row;
  const parts = [periodType, periodKey, offerId, creativeId, channelId, direction];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** A customer's summaries with their sums. */
export async function readSummariesOfCustomer(
  tx: Tx,
  customerId: string,
  { periodType = 'alltime', ...filters }: SummaryFilters & { readonly periodType?: PeriodType },
) {
  const rows = await summariesOf(tx, customerId, periodType, filters);
  const offerIds = rows.map((row) => row.offerId);
  const offers = await readRelated(tx, 'offer', offerIds, ['name']);
  const sum = (name: 'impressions' | 'positive' | 'negative' | 'neutral' | 'converts' | 'totalValue') =>
    rows.reduce((total, row) => total + row[name], 0);
  return {
    customerId,
    periodType,
    data: rows.map((row) => ({ ...row, offerName: offers.get(row.offerId)?.name ?? null })),
    totals: {
      impressions: sum('impressions'),
      positive: sum('positive'),
      negative: sum('negative'),
      neutral: sum('neutral'),
      converts: sum('converts'),
      totalValue: sum('totalValue'),
    },
  };
}
