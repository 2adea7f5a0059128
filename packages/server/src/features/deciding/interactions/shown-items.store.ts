import { columnName, columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type HotStatement, instantArray, numberArray, type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';

// Statements of the hot path are each prepared once per connection and take one array per column (docs/design/decisioning.md 6).

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

/** What a decision showed one customer: its items, by rank. */
export interface ShownDecision {
  /** The decision's id. IDs of its items derive from it. */
  readonly id: string;
  readonly customerId: string;
  /** Its number in the order of the customer's commits (docs/design/recording.md S5). */
  readonly customerSeq: number;
  /** Campaign that it was made for; absent: none. */
  readonly campaignId?: string | null;
  /** The caller's context as JSON. */
  readonly context: string | null;
  /** Experiments that it was made under; absent or null: none. */
  readonly experiments?: readonly ShownExperiment[] | null;
  readonly items: readonly DecidedItem[];
}

/** An experiment as history names it. */
export interface ShownExperiment {
  readonly id: string;
  readonly key: string;
  readonly variant: string;
  /** 0 to 1. */
  readonly share: number;
}

/** Experiments under which an item was shown. */
export function experimentsShown({ experiments }: Pick<ShownItem, 'experiments'>): readonly ShownExperiment[] {
  // Written by `insertShown` alone.
  return (experiments as readonly ShownExperiment[] | null) ?? [];
}

const experimentsText = ({ experiments = null }: ShownDecision): string | null =>
  experiments === null ? null : JSON.stringify(experiments);

export interface DecidedItem {
  readonly id: string;
  readonly rank: number;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly categoryId: string | null;
  /** When the item's reservation expires; null: it counts as shown. */
  readonly reservedUntil: Date | null;
}

/** History of a batch of decisions: one row for what each showed, one for each item that is reserved. */
export function insertShown(tenantId: string, at: Date, shown: readonly ShownDecision[]): HotStatement[] {
  const isReserved = shown.some(({ items }) => items.some((item) => item.reservedUntil !== null));
  const impressions: readonly Impressions[] = isReserved ? shown.flatMap(impressionsOf) : shown.filter(hasItems);
  const statements: HotStatement[] = [];
  if (impressions.length > 0) statements.push(insertImpressions(tenantId, at, impressions));
  if (isReserved) statements.push(insertReservations(tenantId, at, shown));
  return statements;
}

const hasItems = ({ items }: ShownDecision): boolean => items.length > 0;

interface Impressions extends ShownDecision {
  /** Others of the decision's items are reserved. */
  readonly isPart?: boolean;
}

/** Returns the decision with the items that count as shown, or nothing without such items. */
function impressionsOf(decision: ShownDecision): Impressions[] {
  const items = decision.items.filter((item) => item.reservedUntil === null);
  return items.length === 0 ? [] : [{ ...decision, items, isPart: items.length < decision.items.length }];
}

/** Whether the ranks are 1, 2, 3 and so on, so that none needs to be stored. */
function isWhole({ items, isPart = false }: Impressions): boolean {
  if (isPart) return false;
  for (let i = 0; i < items.length; i++) if (items[i]!.rank !== i + 1) return false;
  return true;
}

/** IDs that the items of a decision may have in common. */
const mayBeShared = ['creativeId', 'channelId', 'placementId', 'categoryId'] as const;

/**
 * IDs of all decisions are in one array per column, decision after decision; the database takes each decision's part. A
 * part with the same id for all items is stored as one, and an empty one as null.
 */
function insertImpressions(tenantId: string, at: Date, shown: readonly Impressions[]): HotStatement {
  const items: DecidedItem[] = [];
  const first: number[] = [];
  const last: number[] = [];
  const lastOf = mayBeShared.map((): (number | null)[] => []);
  const ranks: (string | null)[] = [];
  let from = 1;
  for (const decision of shown) {
    const to = from + decision.items.length - 1;
    first.push(from);
    last.push(to);
    for (let i = 0; i < decision.items.length; i++) items.push(decision.items[i]!);
    for (let i = 0; i < mayBeShared.length; i++) {
      lastOf[i]!.push(lastPlace(decision.items, mayBeShared[i]!, from, to));
    }
    ranks.push(isWhole(decision) ? null : numberArray(decision.items.map((item) => item.rank)));
    from = to + 1;
  }
  return {
    name: 'decisions.impressions',
    text: `insert into decision_impressions (tenant_id, id, customer_id, occurred_at, context, ranks, offer_ids, creative_ids,
        channel_ids, placement_ids, category_ids, customer_seq, campaign_id, experiments)
      select $1, u.id, u.customer_id, $2, u.context, u.ranks::smallint[], ($6::uuid[])[u.first:u.last],
        ($7::uuid[])[u.first:u.creative], ($8::uuid[])[u.first:u.channel], ($9::uuid[])[u.first:u.placement],
        ($10::uuid[])[u.first:u.category], u.customer_seq, u.campaign_id, u.experiments
      from unnest($3::uuid[], $4::text[], $5::jsonb[], $11::text[], $12::int[], $13::int[], $14::int[], $15::int[], $16::int[],
        $17::int[], $18::bigint[], $19::uuid[], $20::jsonb[])
        as u(id, customer_id, context, ranks, first, last, creative, channel, placement, category, customer_seq,
          campaign_id, experiments)`,
    values: [
      tenantId,
      at,
      uuidArray(shown.map((d) => d.id)),
      textArray(shown.map((d) => d.customerId)),
      textArray(shown.map((d) => d.context)),
      uuidArray(items.map((item) => item.offerId)),
      ...mayBeShared.map((name) => uuidArray(items.map((item) => item[name]))),
      textArray(ranks),
      numberArray(first),
      numberArray(last),
      ...lastOf.map(numberArray),
      numberArray(shown.map((d) => d.customerSeq)),
      uuidArray(shown.map((d) => d.campaignId ?? null)),
      textArray(shown.map(experimentsText)),
    ],
  };
}

/**
 * Returns where a decision's ids end in their column: after the first when all are the same, at the start when there
 * are none.
 */
function lastPlace(
  items: readonly DecidedItem[],
  name: (typeof mayBeShared)[number],
  first: number,
  last: number,
): number | null {
  const value = items[0]![name];
  for (let i = 1; i < items.length; i++) if (items[i]![name] !== value) return last;
  return value === null ? null : first;
}

function insertReservations(tenantId: string, at: Date, shown: readonly ShownDecision[]): HotStatement {
  const rows = shown.flatMap((decision) =>
    decision.items.filter((item) => item.reservedUntil !== null).map((item) => ({ decision, item })),
  );
  return {
    name: 'decisions.reservations',
    text: `insert into interactions (tenant_id, id, customer_id, interaction_type, classification, direction, offer_id,
        creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context, occurred_at, created_at,
        reservation_state, reservation_expires_at, customer_seq, campaign_id, experiments)
      select $1, u.id, u.customer_id, 'recommendation', 'neutral', 'outbound', u.offer_id, u.creative_id, u.channel_id,
        u.placement_id, u.category_id, u.recommendation_id, u.rank, u.context, $2, $2, 'open', u.expires_at, u.customer_seq,
        u.campaign_id, u.experiments
      from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[],
        $11::smallint[], $12::jsonb[], $13::timestamptz[], $14::bigint[], $15::uuid[], $16::jsonb[])
        as u(id, customer_id, offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context,
          expires_at, customer_seq, campaign_id, experiments)`,
    values: [
      tenantId,
      at,
      uuidArray(rows.map(({ item }) => item.id)),
      textArray(rows.map(({ decision }) => decision.customerId)),
      uuidArray(rows.map(({ item }) => item.offerId)),
      uuidArray(rows.map(({ item }) => item.creativeId)),
      uuidArray(rows.map(({ item }) => item.channelId)),
      uuidArray(rows.map(({ item }) => item.placementId)),
      uuidArray(rows.map(({ item }) => item.categoryId)),
      uuidArray(rows.map(({ decision }) => decision.id)),
      numberArray(rows.map(({ item }) => item.rank)),
      textArray(rows.map(({ decision }) => decision.context)),
      instantArray(rows.map(({ item }) => item.reservedUntil)),
      numberArray(rows.map(({ decision }) => decision.customerSeq)),
      uuidArray(rows.map(({ decision }) => decision.campaignId ?? null)),
      textArray(rows.map(({ decision }) => experimentsText(decision))),
    ],
  };
}
