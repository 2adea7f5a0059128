import { countedAtMost } from '@arbiter/contract';
import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type Conditions, conditionsOf } from '../../../db/conditions.ts';
import type { Tx } from '../../../db/tx.ts';
import { firstIdAt } from '../../../platform/ids.ts';

const listedColumns = columns(
  table<
    'interactions',
    {
      interactionType: 'recommendation' | 'impression' | 'response';
      classification: 'positive' | 'negative' | 'neutral';
      direction: 'inbound' | 'outbound';
      context: Record<string, unknown> | null;
      attributes: Record<string, unknown> | null;
    }
  >('interactions'),
  [
    'id',
    'customerId',
    'offerId',
    'creativeId',
    'channelId',
    'placementId',
    'interactionType',
    'outcomeKey',
    'classification',
    'direction',
    'recommendationId',
    'rank',
    'campaignId',
    'journeyId',
    'conversionValue',
    'context',
    'attributes',
    'occurredAt',
    'createdAt',
  ],
  'h',
);

/** A row of history as lists show it. */
export type HistoryRow = RowOf<typeof listedColumns>;

/** Filters of a history list; null: any. Instants are those of the event, half-open. */
export interface HistoryFilter {
  readonly customerId: string | null;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly type: HistoryRow['interactionType'] | null;
  readonly outcome: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** An event is reported at most 24 hours ahead of its time, and a decision's id is created with it. */
const aheadMs = 2 * 86_400_000;

/** Adds the conditions on an item `alias` of the view or of `interactions`. */
function addItem({ add }: Conditions, alias: string, filter: HistoryFilter): void {
  const { customerId, offerId, creativeId, channelId, type, outcome, from, to } = filter;
  if (customerId !== null) add(customerId, (p) => `${alias}.customer_id = ${p}`);
  if (offerId !== null) add(offerId, (p) => `${alias}.offer_id = ${p}::uuid`);
  if (creativeId !== null) add(creativeId, (p) => `${alias}.creative_id = ${p}::uuid`);
  if (channelId !== null) add(channelId, (p) => `${alias}.channel_id = ${p}::uuid`);
  if (type !== null) add(type, (p) => `${alias}.interaction_type = ${p}`);
  if (outcome !== null) add(outcome, (p) => `${alias}.outcome_key = ${p}`);
  if (from !== null) add(from, (p) => `${alias}.occurred_at >= ${p}`);
  if (to !== null) add(to, (p) => `${alias}.occurred_at < ${p}`);
}

const earliestId = ({ from }: HistoryFilter): string | null =>
  from === null ? null : firstIdAt(Math.max(0, from.getTime() - aheadMs));

/** IDs of the newest rows of `interactions` that match. */
async function pickOwn(tx: Tx, filter: HistoryFilter, before: string | null, limit: number): Promise<string[]> {
  const conditions = conditionsOf(tx.tenantId, 'i');
  addItem(conditions, 'i', filter);
  if (before !== null) conditions.add(before, (p) => `i.id < ${p}::uuid`);
  const earliest = earliestId(filter);
  if (earliest !== null) conditions.add(earliest, (p) => `i.id >= ${p}::uuid`);
  const most = conditions.parameter(limit);
  return ids(tx, `from interactions i where ${conditions.text()} order by i.id desc limit ${most}`, conditions.values);
}

/** IDs of the newest packed rows, those of what decisions showed at once, that have an item that matches. */
async function pickPacked(tx: Tx, filter: HistoryFilter, before: string | null, limit: number): Promise<string[]> {
  const { customerId, offerId, creativeId, channelId, type, outcome, from, to } = filter;
  if ((type ?? 'impression') !== 'impression' || (outcome ?? 'impression') !== 'impression') return [];
  const conditions = conditionsOf(tx.tenantId, 'i');
  if (customerId !== null) conditions.add(customerId, (p) => `i.customer_id = ${p}`);
  if (from !== null) conditions.add(from, (p) => `i.occurred_at >= ${p}`);
  if (to !== null) conditions.add(to, (p) => `i.occurred_at < ${p}`);
  if (before !== null) conditions.add(before, (p) => `i.id < ${p}::uuid`);
  const earliest = earliestId(filter);
  if (earliest !== null) conditions.add(earliest, (p) => `i.id >= ${p}::uuid`);
  // One item must match every filter, so the view unpacks the row: by its key, one row at a time.
  const item = Object.entries({ offer_id: offerId, creative_id: creativeId, channel_id: channelId }).flatMap(
    ([column, id]) => (id === null ? [] : [`h.${column} = ${conditions.parameter(id)}::uuid`]),
  );
  if (item.length > 0) {
    const texts = ['h.tenant_id = $1', 'h.row_id = i.id', ...item].join(' and ');
    conditions.also(`exists (select from interaction_history h where ${texts})`);
  }
  const most = conditions.parameter(limit);
  return ids(
    tx,
    `from decision_impressions i where ${conditions.text()} order by i.id desc limit ${most}`,
    conditions.values,
  );
}

async function ids(tx: Tx, rest: string, values: readonly unknown[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(`select i.id as id ${rest}`, values);
  return rows.map(({ id }) => id);
}

/**
 * Rows of history below an id, newest first. The page is chosen in the two tables, by their keys, and then read through the
 * view that unpacks them (docs/adr/0031).
 */
export async function selectHistory(
  tx: Tx,
  filter: HistoryFilter,
  before: string | null,
  limit: number,
): Promise<HistoryRow[]> {
  const own = await pickOwn(tx, filter, before, limit);
  // The cursor's own row may have no items left.
  const packed = await pickPacked(tx, filter, before, limit + 1);
  const rowIds = [...own, ...packed];
  if (rowIds.length === 0) return [];
  const conditions = conditionsOf(tx.tenantId, 'h');
  conditions.add(rowIds, (p) => `h.row_id = any(${p}::uuid[])`);
  addItem(conditions, 'h', filter);
  if (before !== null) conditions.add(before, (p) => `h.id < ${p}::uuid`);
  const most = conditions.parameter(limit);
  const rest = `from interaction_history h where ${conditions.text()} order by h.id desc limit ${most}`;
  return select(tx, listedColumns, rest, conditions.values);
}

/** Returns the number of matching history rows, counted up to `countedAtMost`. */
export async function countHistory(tx: Tx, filter: HistoryFilter): Promise<number> {
  const conditions = conditionsOf(tx.tenantId, 'h');
  addItem(conditions, 'h', filter);
  const earliest = earliestId(filter);
  if (earliest !== null) conditions.add(earliest, (p) => `h.row_id >= ${p}::uuid`);
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from
       (select from interaction_history h where ${conditions.text()} limit ${countedAtMost}) counted`,
    conditions.values,
  );
  return row?.total ?? 0;
}

/**
 * SQL: stored history rows of the tenant ($1) from an id on, each as `row_id` with its number of `items`, oldest first,
 * at most `most`. The tables are partitioned by id, so this reads along the keys. `besides`: another condition on
 * `s.row_id` and `s.items`. An export counts by it.
 */
export const storedRowsFrom = (id: string, most: string, besides: string): string => {
  const branch = (stored: string, items: string) =>
    `(select s.* from (select id as row_id, ${items}::smallint as items from ${stored} where tenant_id = $1 and id >= ${id}) s
      where ${besides} order by s.row_id limit ${most})`;
  return `${branch('interactions', '1')} union all ${branch('decision_impressions', 'cardinality(offer_ids)')}`;
};

/** SQL: the same for the tenant's stored rows with ids in `ids`, an array. */
export const storedRowsAmong = (ids: string): string =>
  `(select id as row_id, 1::smallint as items from interactions where tenant_id = $1 and id = any(${ids}))
   union all
   (select id, cardinality(offer_ids)::smallint from decision_impressions where tenant_id = $1 and id = any(${ids}))`;

/** An item of a stored row. */
export type StoredItem = HistoryRow & { readonly rowId: string };

const storedItems = selectList(listedColumns, computed<{ rowId: string }>({ rowId: expression('h.row_id') }));

/** Returns the items of stored rows, in the order of the rows and their own. Deleted rows have none. */
export async function selectStoredItems(tx: Tx, rowIds: readonly string[]): Promise<StoredItem[]> {
  return select(
    tx,
    storedItems,
    'from interaction_history h where h.tenant_id = $1 and h.row_id = any($2::uuid[]) order by h.row_id, h.id',
    [tx.tenantId, rowIds],
  );
}
