import { type Database, type HotStatement, instantArray, type Tx, textArray, uuidArray } from '../../db/index.ts';
import type { StreamEvent } from '../../jobs/index.ts';
import { historyRow, upsertSummaries } from '../interactions/index.ts';

/** One row of the outbox for all events of a batch; `itemIds` are the history rows written with it that count. */
export function insertOutbox(tenantId: string, events: string, itemIds: readonly string[], now: Date): HotStatement {
  return {
    name: 'decisions.outbox',
    text: 'insert into outbox (tenant_id, events, item_ids, created_at) values ($1, $2, $3, $4)',
    values: [tenantId, events, uuidArray(itemIds), now],
  };
}

/** One row of the outbox for all events of a batch; `itemIds` are the history rows written with it that count. */
export async function appendEvents(tx: Tx, events: readonly StreamEvent[], itemIds: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query('insert into outbox (tenant_id, events, item_ids, created_at) values ($1, $2, $3::uuid[], $4)', [
    tx.tenantId,
    JSON.stringify(events),
    uuidArray(itemIds),
    tx.now,
  ]);
}

/** Tenants with rows that are not published yet, the longest waiting first, and the age of their oldest row. */
export async function readPendingTenants(
  database: Database,
): Promise<{ readonly tenantId: string; readonly ageSeconds: number }[]> {
  return database.withSystem('outbox', (tx) =>
    // From tenant to tenant along the index: a backlog of one is not read to find the others.
    tx.query<{ tenantId: string; ageSeconds: number }>(
      `with recursive oldest as (
         (select tenant_id, id, created_at from arbiter.outbox where position is null order by tenant_id, id limit 1)
         union all
         select next.* from oldest cross join lateral (
           select tenant_id, id, created_at from arbiter.outbox
           where position is null and tenant_id > oldest.tenant_id order by tenant_id, id limit 1) next)
       select tenant_id as "tenantId", greatest(0, extract(epoch from $1::timestamptz - created_at))::float8 as "ageSeconds"
       from oldest order by id`,
      [tx.now],
    ),
  );
}

/**
 * Takes the tenant's outbox for this transaction: `taken` is false when another node works on it. What follows is planned
 * each time: a plan from when this month's partition was empty would go through all of it for every row.
 */
export function takeOutbox(tenantId: string): HotStatement {
  return {
    name: 'outbox.take',
    text: `select set_config('plan_cache_mode', 'force_custom_plan', true),
      pg_try_advisory_xact_lock(hashtextextended('outbox:' || $1::text, 0)) as taken`,
    values: [tenantId],
  };
}

/** Days of a zone one after the other; `startsAt` has one instant more, the end of the last day. */
export interface DayRuler {
  readonly startsAt: readonly Date[];
  readonly days: readonly string[];
}

export interface SliceLimits {
  readonly rows: number;
  /** No further row is taken once the ones before it name so many history rows. */
  readonly items: number;
}

/**
 * Gives the oldest waiting rows the next places of the tenant's stream and adds their history rows to the summaries, in
 * one statement. To be run after `takeOutbox`. Answers with `rows`, how many rows were published, of `waiting` that were
 * looked at, and for each history row whose day the ruler does not know its `id` and `occurred_at`: those are not added
 * (`addToSummaries` does it).
 */
export function publishSlice(tenantId: string, limits: SliceLimits, ruler: DayRuler): HotStatement {
  return {
    name: 'outbox.publish',
    text: publishText,
    values: [tenantId, limits.rows, limits.items, instantArray(ruler.startsAt), textArray(ruler.days)],
  };
}

/** Adds history rows to the summaries of the days that stand beside their ids. */
export function addToSummaries(
  tenantId: string,
  rows: readonly { readonly id: string; readonly day: string }[],
): HotStatement {
  return {
    name: 'outbox.late',
    text: lateText,
    values: [tenantId, uuidArray(rows.map((row) => row.id)), textArray(rows.map((row) => row.day))],
  };
}

// One statement sees the outbox as it was when it began: what it takes is what it publishes. The rows need no lock, since
// only the holder of the outbox touches waiting ones.
const publishText = `with
  waiting as materialized (
    select id, item_ids from outbox where tenant_id = $1 and position is null order by id limit $2),
  taken as materialized (
    select id, item_ids from (
      select id, item_ids, sum(cardinality(item_ids)) over (order by id) - cardinality(item_ids) as before from waiting) w
    where before < $3),
  item as materialized (
    select i.*, ($5::date[])[width_bucket(i.occurred_at, $4::timestamptz[])] as day
    from taken, unnest(taken.item_ids) as u(id), ${historyRow}),
  ${upsertSummaries},
  head as (
    insert into stream_heads as h (tenant_id, position) select $1, count(*) from taken having count(*) > 0
    on conflict (tenant_id) do update set position = h.position + excluded.position returning position),
  placed as (
    update outbox o set position = head.position - t.behind
    from (select id, count(*) over () - row_number() over (order by id) as behind from taken) t, head
    where o.tenant_id = $1 and o.id = t.id)
  select (select count(*) from taken)::int as rows, (select count(*) from waiting)::int as waiting, item.id, item.occurred_at
  from (values (1)) as always(row) left join item on item.day is null`;

const lateText = `with
  item as materialized (
    select i.*, u.day from unnest($2::uuid[], $3::date[]) as u(id, day), ${historyRow}),
  ${upsertSummaries}
  select 1`;
