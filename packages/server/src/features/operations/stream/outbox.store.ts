import { columns, select, table } from '../../../db/columns.ts';
import { type Database, type HotStatement, numberArray, type Tx, uuidArray } from '../../../db/index.ts';
import type { StreamEvent } from '../../../jobs/index.ts';
import type { DayOffsets } from '../../../platform/time/day-offsets.ts';
import {
  addToTotals,
  clearTotals,
  countsOfErased,
  countsOfHistory,
  countsOfReport,
  dayOf,
  dayParameters,
  type HistoryFigures,
} from '../../deciding/interactions/index.ts';
import { eventsOf, type Lanes } from './decision-events.ts';

/** Adds one outbox row for the events of a batch of decisions, and for what they showed. */
export function insertOutbox(tenantId: string, events: string, lanes: Lanes, now: Date): HotStatement {
  const [channelId] = lanes.channelIds;
  const isOneChannel = lanes.channelIds.every((id) => id === channelId);
  return {
    name: 'decisions.outbox',
    text: `insert into outbox (tenant_id, events, lane_offers, lane_creatives, lane_channels, lane_impressions, created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      tenantId,
      events,
      uuidArray(lanes.offerIds),
      uuidArray(lanes.creativeIds),
      uuidArray(isOneChannel ? lanes.channelIds.slice(0, 1) : lanes.channelIds),
      numberArray(lanes.impressions),
      now,
    ],
  };
}

/**
 * Adds one outbox row for all events of a transaction, in order. They're in the stream once it has committed and the
 * outbox was published. `itemIds` are the counting history rows written with it.
 */
export async function appendEvents(
  tx: Tx,
  events: readonly StreamEvent[],
  itemIds: readonly string[] = [],
): Promise<void> {
  if (events.length === 0) return;
  await tx.query('insert into outbox (tenant_id, events, item_ids, created_at) values ($1, $2, $3::uuid[], $4)', [
    tx.tenantId,
    JSON.stringify(events),
    uuidArray(itemIds),
    tx.now,
  ]);
}

/**
 * Adds an outbox row without an event, for history rows that count in the tenant's figures but aren't published:
 * imported ones.
 */
export async function appendCounted(tx: Tx, itemIds: readonly string[]): Promise<void> {
  if (itemIds.length === 0) return;
  await tx.query(`insert into outbox (tenant_id, events, item_ids, created_at) values ($1, '[]', $2::uuid[], $3)`, [
    tx.tenantId,
    uuidArray(itemIds),
    tx.now,
  ]);
}

/**
 * Adds an outbox row for an event whose position the caller waits for. Returns the id of the row, for `publishRows`.
 */
export async function appendAwaited(tx: Tx, event: StreamEvent): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    'insert into outbox (tenant_id, events, created_at) values ($1, $2, $3) returning id::text as id',
    [tx.tenantId, JSON.stringify([event]), tx.now],
  );
  if (row === undefined) throw new Error('the outbox returned no row');
  return row.id;
}

/** True if an event with this id was added since an instant. Reads the rows since then, so use it rarely. */
export async function hasEvent(tx: Tx, eventId: string, since: Date): Promise<boolean> {
  const rows = await tx.query(
    'select from outbox where tenant_id = $1 and created_at >= $2 and position($3 in events) > 0 limit 1',
    [tx.tenantId, since, eventId],
  );
  return rows.length > 0;
}

/** What a call of `publishRows` did. */
export interface PublishedRows {
  /** Positions by id of the row. */
  readonly positions: ReadonlyMap<string, number>;
  readonly slices: readonly PublishedSlice[];
}

/** Slices in front of the rows that a caller waits for, at most. */
const maxSlices = 20;

/** Publishes the tenant's outbox until these rows have their positions, or there is too much in front of them. */
export async function publishRows(
  tx: Tx,
  ids: readonly string[],
  limits: SliceLimits,
  days: DayOffsets,
): Promise<PublishedRows> {
  await tx.query(`select pg_advisory_xact_lock(${outboxLock})`, [tx.tenantId]);
  const slices: PublishedSlice[] = [];
  for (;;) {
    const rows = await tx.query<{ id: string; position: number }>(
      `select id::text as id, position::float8 as position from outbox
        where tenant_id = $1 and id = any($2::bigint[]) and position is not null`,
      [tx.tenantId, ids],
    );
    const positions = new Map(rows.map(({ id, position }) => [id, position]));
    if (positions.size === ids.length || slices.length === maxSlices) return { positions, slices };
    const { text, values } = publishSlice(tx.tenantId, limits, days);
    const [slice] = await tx.query<PublishedSlice>(text, values);
    if (slice === undefined || slice.rows === 0) return { positions, slices };
    slices.push(slice);
  }
}

const published = columns(table<'outbox', { position: number }>('outbox'), [
  'tenantId',
  'position',
  'events',
  'laneOffers',
  'laneCreatives',
  'laneChannels',
  'createdAt',
]);

/** A row of the stream: its events as JSON texts, the same each time it is read. An event's place is the row's and its own in it. */
export interface StreamRow {
  readonly position: number;
  /** Null: an event about an erased customer. */
  readonly events: readonly (string | null)[];
}

/** The tenant's stream behind a position (0: from its beginning), `limit` rows at most. */
export async function readStream(tx: Tx, after: number, limit: number): Promise<StreamRow[]> {
  const rows = await select(
    tx,
    published,
    'from outbox where tenant_id = $1 and position > $2 order by position limit $3',
    [tx.tenantId, after, limit],
  );
  return rows.map((row) => ({
    position: row.position,
    events: eventsOf({
      ...row,
      offerIds: row.laneOffers,
      creativeIds: row.laneCreatives,
      channelIds: row.laneChannels,
    }),
  }));
}

/** Returns stream rows after one position and up to another with reported interactions; at most `limit`. */
export async function readReports(
  tx: Tx,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<StreamRow[]> {
  const rows = await tx.query<{ position: number; events: string }>(
    `select position::float8 as position, events from outbox
     where tenant_id = $1 and position > $2 and position <= $3 and cardinality(item_ids) > 0 order by position limit $4`,
    [tx.tenantId, after, upTo, limit],
  );
  return rows.map(({ position, events }) => {
    const list: readonly unknown[] = JSON.parse(events);
    return { position, events: list.map((event) => (event === null ? null : JSON.stringify(event))) };
  });
}

/** The newest position of the tenant's stream; 0 before the first event. */
export async function selectHead(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ position: number }>(
    'select position::float8 as position from stream_heads where tenant_id = $1',
    [tx.tenantId],
  );
  return row?.position ?? 0;
}

/** Tenants with rows that are not published yet, the longest waiting first, and the age of their oldest row. */
export async function readPendingTenants(
  database: Database,
): Promise<{ readonly tenantId: string; readonly ageSeconds: number }[]> {
  return database.withSystem('outbox', (tx) =>
    tx.query<{ tenantId: string; ageSeconds: number }>(
      `with ${tx.isCluster ? oldestOfShards : oldestByTenant}
       select tenant_id as "tenantId", greatest(0, extract(epoch from $1::timestamptz - created_at))::float8 as "ageSeconds"
       from oldest order by id`,
      [tx.now],
    ),
  );
}

/** Skips from tenant to tenant along the index, so that one tenant's backlog isn't read to find the others. */
const oldestByTenant = `recursive oldest as (
         (select tenant_id, id, created_at from arbiter.outbox where position is null order by tenant_id, id limit 1)
         union all
         select next.* from oldest cross join lateral (
           select tenant_id, id, created_at from arbiter.outbox
           where position is null and tenant_id > oldest.tenant_id order by tenant_id, id limit 1) next)`;

/** Citus can't run a recursion over several tenants. Each shard reads its waiting rows; an idle tenant has none. */
const oldestOfShards = `oldest as (
         select tenant_id, min(id) as id, min(created_at) as created_at from arbiter.outbox
         where position is null group by tenant_id)`;

/** The holder of this lock counts the tenant's outbox, and nobody else does. */
export const outboxLock = `hashtextextended('outbox:' || $1::text, 0)`;

/**
 * Takes the tenant's outbox for this transaction: `taken` is false when another node works on it. What follows is planned
 * each time: a plan from when this month's partition was empty would go through all of it for every row.
 */
export function takeOutbox(tenantId: string): HotStatement {
  return {
    name: 'outbox.take',
    text: `select set_config('plan_cache_mode', 'force_custom_plan', true), pg_try_advisory_xact_lock(${outboxLock}) as taken`,
    values: [tenantId],
  };
}

/** What a slice published. */
export interface PublishedSlice {
  readonly rows: number;
  /** Rows that were considered. */
  readonly waiting: number;
  /** Position of the last one; null without rows. */
  readonly head: number | null;
  /** Whether interactions were reported. */
  readonly reports: boolean;
}

export interface SliceLimits {
  readonly rows: number;
  /** Takes no more rows once those taken have this many lanes and history rows. */
  readonly items: number;
}

/**
 * Gives the oldest waiting rows their place in the tenant's stream and adds their counts to the tenant's figures, in
 * one statement. Run it after `takeOutbox`. Returns `rows`, the published rows, of `waiting` that were considered, and
 * `head`, the position of the last one.
 */
export function publishSlice(tenantId: string, limits: SliceLimits, days: DayOffsets): HotStatement {
  return {
    name: 'outbox.publish',
    text: publishText,
    values: [tenantId, limits.rows, limits.items, ...dayParameters(days)],
  };
}

const laneColumns = 'id, item_ids, lane_offers, lane_creatives, lane_channels, lane_impressions, created_at';

/**
 * Rows for a CTE `counted`: the counts of the outbox rows in CTE `taken`. Decisions count by lane, reports one by one.
 */
const countsOfTaken = (from: string, seconds: string): string => `
    select t.day, l.offer_id, l.creative_id,
      case when cardinality(t.lane_channels) = 1 then t.lane_channels[1] else l.channel_id end as channel_id,
      'outbound' as direction, l.impressions, 0 as positive, 0 as negative, 0 as neutral, 0 as clicks, 0 as converts, 0 as total_value
    from (select ${laneColumns}, ${dayOf('created_at', from, seconds)} as day from taken) t
    cross join lateral unnest(t.lane_offers, t.lane_creatives, t.lane_channels, t.lane_impressions)
      as l(offer_id, creative_id, channel_id, impressions)
    where l.offer_id is not null
    union all
    select i.* from taken cross join lateral unnest(taken.item_ids) as u(id), ${countsOfReport(from, seconds)} i`;

// One statement sees the outbox as it was at its start, so it publishes what it takes. The rows need no lock, because
// only the outbox's holder touches waiting ones.
const publishText = `with
  waiting as materialized (
    select ${laneColumns}, cardinality(item_ids) + cardinality(lane_offers) as size
    from outbox where tenant_id = $1 and position is null order by id limit $2),
  taken as materialized (
    select ${laneColumns} from (select *, sum(size) over (order by id) - size as before from waiting) w where before < $3),
  counted as (${countsOfTaken('$4', '$5')}),
  ${addToTotals},
  head as (
    insert into stream_heads as h (tenant_id, position) select $1, count(*) from taken having count(*) > 0
    on conflict (tenant_id) do update set position = h.position + excluded.position returning position),
  placed as (
    update outbox o set position = head.position - t.behind
    from (select id, count(*) over () - row_number() over (order by id) as behind from taken) t, head
    where o.tenant_id = $1 and o.id = t.id)
  select (select count(*) from taken)::int as rows, (select count(*) from waiting)::int as waiting,
    (select position from head)::float8 as head,
    (select coalesce(bool_or(cardinality(item_ids) > 0), false) from taken) as reports`;

/**
 * Recounts the tenant's figures from history, in the days of a zone: for a tenant that changed its zone, or doubtful
 * figures. Leaves out what waits in the outbox, because publishing adds it.
 */
export async function recountTotals(tx: Tx, days: DayOffsets): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${outboxLock})`, [tx.tenantId]);
  await clearTotals(tx);
  // One statement, to see history and the outbox at the same instant.
  await tx.query(
    `with taken as materialized (select ${laneColumns} from outbox where tenant_id = $1 and position is null),
       counted as (
         ${countsOfHistory('$2', '$3')}
         union all
         ${countsOfErased}
         union all
         select day, offer_id, creative_id, channel_id, direction, -impressions, -positive, -negative, -neutral, -clicks, -converts,
           -total_value
         from (${countsOfTaken('$2', '$3')}) waiting),
       ${addToTotals}
     select 1`,
    [tx.tenantId, ...dayParameters(days)],
  );
}

/**
 * Returns what waits in the outbox for the daily figures of days before `day`, in the shape of `historyFigures`.
 * Nothing is published from here to the commit, so figures read later in the transaction match.
 */
export async function figuresInOutbox(tx: Tx, day: string, days: DayOffsets): Promise<HistoryFigures[]> {
  await tx.query(`select pg_advisory_xact_lock(${outboxLock})`, [tx.tenantId]);
  return tx.query<HistoryFigures>(
    `with taken as materialized (select ${laneColumns} from outbox where tenant_id = $1 and position is null),
       counted (day, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral, clicks, converts,
         total_value) as (${countsOfTaken('$2', '$3')})
     select offer_id as "offerId", creative_id as "creativeId", channel_id as "channelId", false as "isToday",
       sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks, sum(converts)::float8 as converts,
       sum(total_value)::float8 as "totalValue"
     from counted where day < $4::date and offer_id is not null group by 1, 2, 3`,
    [tx.tenantId, ...dayParameters(days), day],
  );
}
