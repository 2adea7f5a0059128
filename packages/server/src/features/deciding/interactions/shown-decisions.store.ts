import { type HotStatement, instantArray, numberArray, textArray, uuidArray } from '../../../db/index.ts';

// Statements of the hot path are each prepared once per connection and take one array per column (docs/design/decisioning.md 6).

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
