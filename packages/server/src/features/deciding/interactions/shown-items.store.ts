import { columnName, columns, type RowOf, select, table } from '../../../db/columns.ts';
import { numberArray, type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { ShownExperiment } from './shown-decisions.store.ts';

const shownNames = [
  'id',
  'customerId',
  'interactionType',
  'offerId',
  'creativeId',
  'channelId',
  'placementId',
  'categoryId',
  'recommendationId',
  'rank',
  'campaignId',
  'reservationState',
  'reservationExpiresAt',
  'experiments',
] as const;
const shownColumns = columns(table('interactions'), shownNames, 'shown');

/** A history row of a shown item: `impression`, or `recommendation` with its reservation (docs/design/api-decisioning.md 4). */
export type ShownItem = RowOf<typeof shownColumns>;

type NullableIds = readonly (string | null)[] | null;
/** Arrays of ids may hold null. */
interface PackedIds {
  readonly creativeIds: NullableIds;
  readonly channelIds: NullableIds;
  readonly placementIds: NullableIds;
  readonly categoryIds: NullableIds;
}
const packedNames = [
  'id',
  'customerId',
  'offerIds',
  'creativeIds',
  'channelIds',
  'placementIds',
  'categoryIds',
  'ranks',
  'campaignId',
  'experiments',
] as const;
const packedColumns = columns(table('decision_impressions'), packedNames, 'shown');
const listOf = (names: readonly string[]): string => names.map(columnName).join(', ');

// Query both tables by key, not the view over them: planning the view takes longer than both look-ups.

/** Shown items by what a caller names: their own ids, and those of decisions. */
export interface ShownItems {
  readonly byId: ReadonlyMap<string, ShownItem>;
  /** By rank. Decisions that showed nothing are left out. */
  readonly byDecision: ReadonlyMap<string, readonly ShownItem[]>;
}

/**
 * Reads the items with these ids and those of these decisions, in two statements at most. Leaves out ids that name none,
 * whatever their form.
 */
export async function readShown(
  tx: Tx,
  { itemIds, decisionIds }: { readonly itemIds: readonly string[]; readonly decisionIds: readonly string[] },
): Promise<ShownItems> {
  const items = new Set(itemIds.filter(isUuid).map((id) => id.toLowerCase()));
  const decisions = new Set(decisionIds.filter(isDecisionId).map((id) => id.toLowerCase()));
  const packed = await readImpressions(tx, [...decisions, ...[...items].map(decisionOf)]);
  const byId = new Map<string, ShownItem>();
  for (const { items: shown } of packed.values())
    for (const item of shown) if (items.has(item.id)) byId.set(item.id, item);
  // Rows of their own: items that are or were reserved, and impressions that were reported.
  const ranges = [
    ...[...items].filter((id) => !byId.has(id)).map((id) => ({ from: id, to: id })),
    ...[...decisions]
      .filter((id) => packed.get(id)?.isWhole !== true)
      .map((id) => ({ from: id, to: lastItemIdOf(id) })),
  ];
  const rows = await readRows(tx, ranges);
  for (const row of rows) if (items.has(row.id)) byId.set(row.id, row);
  const byDecision = new Map<string, readonly ShownItem[]>();
  for (const id of decisions) {
    const own = [
      ...(packed.get(id)?.items ?? []),
      ...rows.filter((row) => row.recommendationId === id && decisionOf(row.id) === id),
    ];
    if (own.length > 0)
      byDecision.set(
        id,
        own.sort((a, b) => Number(a.rank) - Number(b.rank)),
      );
  }
  return { byId, byDecision };
}

/** Returns the row with this id if it belongs to a shown item, or null. */
export async function findShownItem(tx: Tx, id: string): Promise<ShownItem | null> {
  return (await readShown(tx, { itemIds: [id], decisionIds: [] })).byId.get(id.toLowerCase()) ?? null;
}

/** Reads the impressions that confirmed these reservations: their ids by those of the items. */
export async function readConfirmations(tx: Tx, items: readonly ShownItem[]): Promise<Map<string, string>> {
  if (items.length === 0) return new Map();
  const rows = await tx.query<{ itemId: string; id: string }>(
    `select item.id as "itemId", shown.id
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::smallint[]) as item(id, customer_id, recommendation_id, rank)
     cross join lateral (select row.id from interactions row
       where row.tenant_id = $1 and row.customer_id = item.customer_id and row.id > item.id
         and row.recommendation_id = item.recommendation_id and row.rank = item.rank and row.interaction_type = 'impression'
       order by row.id limit 1) shown`,
    [
      tx.tenantId,
      uuidArray(items.map((item) => item.id)),
      textArray(items.map((item) => item.customerId)),
      uuidArray(items.map((item) => item.recommendationId)),
      numberArray(items.map((item) => item.rank)),
    ],
  );
  return new Map(rows.map(({ itemId, id }) => [itemId, id]));
}

/**
 * SQL: true when the decision showed or reserved the offer. All are parameters or columns; its reserved items are named by
 * ids that follow from its own.
 */
export const showedOffer = (tenantId: string, decisionId: string, offerId: string): string =>
  `(exists (select from decision_impressions shown
      where shown.tenant_id = ${tenantId} and shown.id = ${decisionId} and ${offerId} = any(shown.offer_ids))
    or exists (select from interactions reserved
      where reserved.tenant_id = ${tenantId} and reserved.id > ${decisionId}
        and reserved.id <= overlay(${decisionId}::text placing 'ff' from 35)::uuid
        and reserved.interaction_type = 'recommendation' and reserved.offer_id = ${offerId}))`;

/** Returns the offer of each decision's first item, as far as history goes, by the decision's id. */
export async function firstOffersOf(tx: Tx, decisionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (decisionIds.length === 0) return new Map();
  const rows = await tx.query<{ decisionId: string; offerId: string }>(
    `select distinct on (decision_id) decision_id as "decisionId", offer_id as "offerId" from (
       select shown.id as decision_id, shown.offer_ids[1] as offer_id, coalesce(shown.ranks[1], 1) as rank
       from decision_impressions shown where shown.tenant_id = $1 and shown.id = any($2::uuid[])
       union all
       select decided.id, reserved.offer_id, reserved.rank
       from unnest($2::uuid[]) as decided(id) join interactions reserved on reserved.tenant_id = $1
         and reserved.id > decided.id and reserved.id <= overlay(decided.id::text placing 'ff' from 35)::uuid
       where reserved.interaction_type = 'recommendation') items
     where offer_id is not null
     order by decision_id, rank`,
    [tx.tenantId, uuidArray(decisionIds)],
  );
  return new Map(rows.map(({ decisionId, offerId }) => [decisionId, offerId]));
}

/** Returns the customers of these decisions and interactions, as far as history goes, by their ids in lower case. */
export async function customersOfShown(
  tx: Tx,
  {
    decisionIds,
    interactionIds,
  }: { readonly decisionIds: readonly string[]; readonly interactionIds: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const lookups = [
    ...decisionIds.map((id) => ({ id, from: id, to: lastItemIdOf(id), shownBy: id })),
    // The item of a decision, or a separate row, whose ID says which decision it belongs to.
    ...interactionIds.map((id) => ({ id, from: id, to: id, shownBy: `${id.slice(0, 34)}00` })),
  ];
  if (lookups.length === 0) return new Map();
  const rows = await tx.query<{ id: string; customerId: string | null }>(
    `select asked.id, coalesce(
       (select shown.customer_id from decision_impressions shown where shown.tenant_id = $1 and shown.id = asked.shown_by),
       (select row.customer_id from interactions row
        where row.tenant_id = $1 and row.id between asked.first and asked.last limit 1)) as "customerId"
     from unnest($2::text[], $3::uuid[], $4::uuid[], $5::uuid[]) as asked(id, first, last, shown_by)`,
    [
      tx.tenantId,
      textArray(lookups.map(({ id }) => id)),
      uuidArray(lookups.map(({ from }) => from)),
      uuidArray(lookups.map(({ to }) => to)),
      uuidArray(lookups.map(({ shownBy }) => shownBy)),
    ],
  );
  return new Map(rows.flatMap(({ id, customerId }) => (customerId === null ? [] : [[id, customerId]])));
}

/** What a decision showed immediately; `isWhole`: it reserved nothing. */
interface ShownAtOnce {
  readonly items: readonly ShownItem[];
  readonly isWhole: boolean;
}

/** Reads what these decisions showed immediately, by their ids. */
async function readImpressions(tx: Tx, decisionIds: readonly string[]): Promise<ReadonlyMap<string, ShownAtOnce>> {
  if (decisionIds.length === 0) return new Map();
  const rows = await select(
    tx,
    packedColumns,
    // One look-up per id: a list of ids would be searched in the partition of every month.
    `from unnest($2::uuid[]) as asked(id) cross join lateral (select ${listOf(packedNames)} from decision_impressions shown
       where shown.tenant_id = $1 and shown.id = asked.id limit 1) shown`,
    [tx.tenantId, uuidArray([...new Set(decisionIds)])],
  );
  return new Map(rows.map((row) => [row.id, { items: unpacked(row), isWhole: row.ranks === null }]));
}

/** Reads the rows between these ids. */
async function readRows(
  tx: Tx,
  ranges: readonly { readonly from: string; readonly to: string }[],
): Promise<readonly ShownItem[]> {
  if (ranges.length === 0) return [];
  return select(
    tx,
    shownColumns,
    `from unnest($2::uuid[], $3::uuid[]) as asked(first, last) cross join lateral (select ${listOf(shownNames)} from interactions row
       where row.tenant_id = $1 and row.id between asked.first and asked.last order by row.id) shown`,
    [tx.tenantId, uuidArray(ranges.map(({ from }) => from)), uuidArray(ranges.map(({ to }) => to))],
  );
}

function unpacked(packed: RowOf<typeof packedColumns>): ShownItem[] {
  const ids: PackedIds = packed;
  return packed.offerIds.map((offerId, place): ShownItem => {
    const rank = packed.ranks?.[place] ?? place + 1;
    return {
      id: itemIdOf(packed.id, rank),
      customerId: packed.customerId,
      interactionType: 'impression',
      offerId,
      creativeId: idAt(ids.creativeIds, place),
      channelId: idAt(ids.channelIds, place),
      placementId: idAt(ids.placementIds, place),
      categoryId: idAt(ids.categoryIds, place),
      recommendationId: packed.id,
      rank,
      campaignId: packed.campaignId,
      reservationState: null,
      reservationExpiresAt: null,
      experiments: packed.experiments,
    };
  });
}

const isDecisionId = (id: string): boolean => isUuid(id) && id.endsWith('00');
/** ID of the decision to which an item's id belongs. */
const decisionOf = (id: string): string => `${id.slice(0, 34)}00`;

/** Returns the id at a position of a packed column: a single id may stand for all, and a column without ids is null. */
const idAt = (ids: NullableIds, place: number): string | null => (ids?.length === 1 ? ids[0] : ids?.[place]) ?? null;

const lastItemIdOf = (decisionId: string): string => `${decisionId.slice(0, 34)}ff`;

/** ID of the item that a decision showed or reserved at a rank. */
export const itemIdOf = (decisionId: string, rank: number): string =>
  decisionId.slice(0, 34) + rank.toString(16).padStart(2, '0');

/** Items that these decisions showed, at once or when a reservation was confirmed, and that have had no response. */
export async function unansweredItems(
  tx: Tx,
  decisionIds: readonly string[],
): Promise<{ readonly decisionId: string; readonly offerId: string }[]> {
  if (decisionIds.length === 0) return [];
  return tx.query(
    `with shown as (
       select d.id as decision_id, d.customer_id, item.offer_id, coalesce(d.ranks[item.place], item.place) as rank
       from decision_impressions d cross join lateral unnest(d.offer_ids) with ordinality as item(offer_id, place)
       where d.tenant_id = $1 and d.id = any($2::uuid[])
       union all
       select decided.id, reserved.customer_id, reserved.offer_id, reserved.rank
       from unnest($2::uuid[]) as decided(id) join interactions reserved on reserved.tenant_id = $1
         and reserved.id > decided.id and reserved.id <= overlay(decided.id::text placing 'ff' from 35)::uuid
       where reserved.interaction_type = 'recommendation' and reserved.reservation_state = 'confirmed')
     select decision_id as "decisionId", offer_id as "offerId" from shown
     where offer_id is not null and not exists (
       select from interactions answer
       where answer.tenant_id = $1 and answer.customer_id = shown.customer_id and answer.id > shown.decision_id
         and answer.recommendation_id = shown.decision_id and answer.rank = shown.rank
         and answer.interaction_type = 'response')
     order by decision_id, rank`,
    [tx.tenantId, uuidArray(decisionIds)],
  );
}

/** Experiments under which an item was shown. */
export function experimentsShown({ experiments }: Pick<ShownItem, 'experiments'>): readonly ShownExperiment[] {
  // Written by `insertShown` alone.
  return (experiments as readonly ShownExperiment[] | null) ?? [];
}
