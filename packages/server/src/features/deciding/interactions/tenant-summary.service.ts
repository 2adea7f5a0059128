import { pageSize, type SummaryGroup, type SummaryGrouping, summaryGroups } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { dayRange, zoneClock } from '../../../platform/time/zones.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { type CustomerTotals, readTotalsByCustomer } from './totals/customer-totals.store.ts';
import { type DailyTotals, readTenantSummaries } from './totals/totals.store.ts';

const dayMs = 86_400_000;

/** A group's descriptive fields, besides its figures. */
interface GroupNames {
  readonly name: string;
  readonly status?: string;
}

/**
 * The tenant's figures of its last days, today included, by one of their dimensions; most impressions first
 * (docs/design/api-access.md 16). A category has the offers that are in it now.
 */
export async function summariseTenant(
  tx: Tx,
  { groupBy = 'offer', days = 30, limit: asked }: { groupBy?: SummaryGrouping; days?: number; limit?: number },
) {
  const limit = pageSize(summaryGroups, asked);
  const zone = (await readSettings(tx)).timezone;
  const today = zoneClock(zone, tx.now.getTime()).date;
  const first = new Date(Date.parse(today) - (days - 1) * dayMs).toISOString().slice(0, 10);
  if (groupBy === 'customer') {
    const instants = { from: new Date(dayRange(zone, first).startMs), to: new Date(dayRange(zone, today).endMs) };
    const { rows, total } = await readTotalsByCustomer(tx, { first, today, ...instants }, limit);
    return { groupBy, days, data: rows.map((row) => groupOf(row.customerId, null, row)), total };
  }
  // Among equals, rows without a name come last.
  const place = (id: string | null): string => id ?? '~';
  const groups = [...(await groupsOf(tx, groupBy, first, today))].sort(
    ([a, x], [b, y]) => y.impressions - x.impressions || (place(a) < place(b) ? -1 : 1),
  );
  const shown = groups.slice(0, limit);
  const names = await namesOf(
    tx,
    groupBy,
    shown.map(([id]) => id),
  );
  const data = shown.map(([id, row]) => groupOf(id, (id === null ? null : names.get(id)) ?? null, row));
  return { groupBy, days, data, total: groups.length };
}

type SummaryFigures = Omit<DailyTotals, 'day' | 'offerId' | 'creativeId' | 'channelId' | 'direction'> | CustomerTotals;

function groupOf(id: string | null, named: GroupNames | null, row: SummaryFigures): SummaryGroup {
  const { impressions, positive, negative, neutral, clicks, converts, totalValue } = row;
  const percent = (part: number): number => (impressions === 0 ? 0 : Math.round((part * 10_000) / impressions) / 100);
  return {
    id,
    name: named?.name ?? null,
    status: named?.status ?? null,
    impressions,
    positive,
    negative,
    neutral,
    converts,
    total: positive + negative + neutral,
    ctr: percent(clicks),
    cvr: percent(converts),
    totalValue,
  };
}

async function groupsOf(
  tx: Tx,
  groupBy: Exclude<SummaryGrouping, 'customer'>,
  from: string,
  to: string,
): Promise<Map<string | null, DailyTotals>> {
  const dimension = { offer: 'offerId', category: 'offerId', creative: 'creativeId', channel: 'channelId' } as const;
  const by = dimension[groupBy];
  const rows = await readTenantSummaries(tx, from, to, [by]);
  if (groupBy !== 'category') return new Map(rows.map((row) => [row[by] ?? null, row]));
  const offerIds = rows.map((row) => row.offerId ?? null);
  const offers = await readRelated(tx, 'offer', offerIds, ['categoryId']);
  const groups = new Map<string | null, DailyTotals>();
  for (const { offerId, ...row } of rows) {
    const id = offers.get(offerId ?? '')?.categoryId ?? null;
    const sum = groups.get(id);
    groups.set(id, sum === undefined ? row : added(sum, row));
  }
  return groups;
}

const added = (a: DailyTotals, b: DailyTotals): DailyTotals => ({
  impressions: a.impressions + b.impressions,
  positive: a.positive + b.positive,
  negative: a.negative + b.negative,
  neutral: a.neutral + b.neutral,
  clicks: a.clicks + b.clicks,
  converts: a.converts + b.converts,
  totalValue: a.totalValue + b.totalValue,
});

async function namesOf(
  tx: Tx,
  groupBy: Exclude<SummaryGrouping, 'customer'>,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, GroupNames>> {
  if (groupBy === 'category') return readRelated(tx, 'category', ids, ['name', 'status']);
  if (groupBy === 'channel') return readRelated(tx, 'channel', ids, ['name', 'status']);
  if (groupBy === 'creative') return readRelated(tx, 'creative', ids, ['name', 'status']);
  return readRelated(tx, 'offer', ids, ['name', 'status']);
}
