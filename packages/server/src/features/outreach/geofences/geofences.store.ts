import { type GeofenceEventType, geofenceResource } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';
import type { StayState } from './stays.rules.ts';

/** Numbers beyond 32 bits, and types of JSON columns. */
type StoredGeofence = { cooldownMs: number; action: Readonly<Record<string, unknown>> };

export type GeofenceRow = RecordRow<typeof geofenceResource, StoredGeofence>;

export const geofenceSpec = recordSpec<typeof geofenceResource, StoredGeofence>(geofenceResource);

/** Number of the tenant's geofences, which cannot grow until the transaction ends. */
export async function countAndHold(tx: Tx): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.geofences:' || $1, 0))`, [tx.tenantId]);
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.geofences where tenant_id = $1',
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

const activeColumns = columns(geofenceSpec, [
  'id',
  'name',
  'latitude',
  'longitude',
  'radiusMeters',
  'triggerOn',
  'dwellMinutes',
  'cooldownMs',
  'action',
]);

export type ActiveGeofence = RowOf<typeof activeColumns>;

export async function selectActive(tx: Tx): Promise<ActiveGeofence[]> {
  return select(tx, activeColumns, `from arbiter.geofences where tenant_id = $1 and status = 'active' order by id`, [
    tx.tenantId,
  ]);
}

/**
 * Locks a customer's states and notes the sighting. Returns false, and notes nothing, if the customer was seen later.
 */
export async function noteSighting(tx: Tx, customerId: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into arbiter.geofence_sightings (tenant_id, customer_id, last_seen_at) values ($1, $2, $3)
     on conflict (tenant_id, customer_id) do update set last_seen_at = excluded.last_seen_at
       where geofence_sightings.last_seen_at <= excluded.last_seen_at
     returning customer_id`,
    [tx.tenantId, customerId, at],
  );
  return rows.length > 0;
}

const stateColumns = columns(table('geofence_states'), [
  'geofenceId',
  'isInside',
  'enteredAt',
  'hasDwelled',
  'lastSeenAt',
  'lastFiredAt',
]);

/** The states of a customer by geofence. The caller holds the customer's sighting. */
export async function selectStates(tx: Tx, customerId: string): Promise<ReadonlyMap<string, StayState>> {
  const rows = await select(
    tx,
    stateColumns,
    'from arbiter.geofence_states where tenant_id = $1 and customer_id = $2',
    [tx.tenantId, customerId],
  );
  return new Map(rows.map(({ geofenceId, ...state }) => [geofenceId, state]));
}

export async function upsertStates(
  tx: Tx,
  customerId: string,
  states: readonly (StayState & { readonly geofenceId: string })[],
): Promise<void> {
  if (states.length === 0) return;
  await tx.query(
    `insert into arbiter.geofence_states
       (tenant_id, customer_id, geofence_id, is_inside, entered_at, has_dwelled, last_seen_at, last_fired_at)
     select $1, $2, s."geofenceId", s."isInside", s."enteredAt", s."hasDwelled", s."lastSeenAt", s."lastFiredAt"
       from jsonb_to_recordset($3::jsonb) as s ("geofenceId" uuid, "isInside" boolean, "enteredAt" timestamptz,
         "hasDwelled" boolean, "lastSeenAt" timestamptz, "lastFiredAt" timestamptz)
     on conflict (tenant_id, customer_id, geofence_id) do update set is_inside = excluded.is_inside,
       entered_at = excluded.entered_at, has_dwelled = excluded.has_dwelled, last_seen_at = excluded.last_seen_at,
       last_fired_at = excluded.last_fired_at`,
    [tx.tenantId, customerId, JSON.stringify(states)],
  );
}

/** Ends all stays in a geofence without an exit. Cooldowns stay. */
export async function endStays(tx: Tx, geofenceId: string): Promise<void> {
  await tx.query(
    `update arbiter.geofence_states set is_inside = false, entered_at = null, has_dwelled = false
      where tenant_id = $1 and geofence_id = $2 and is_inside`,
    [tx.tenantId, geofenceId],
  );
}

const eventColumns = columns(table<'geofence_events', { event: GeofenceEventType }>('geofence_events'), [
  'id',
  'geofenceId',
  'customerId',
  'event',
  'occurredAt',
  'distance',
]);

export type FiringRow = RowOf<typeof eventColumns>;

export async function insertFirings(tx: Tx, rows: readonly FiringRow[]): Promise<void> {
  for (const row of rows) {
    await tx.query(
      `insert into arbiter.geofence_events (tenant_id, id, geofence_id, customer_id, event, occurred_at, distance, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tx.tenantId, row.id, row.geofenceId, row.customerId, row.event, row.occurredAt, row.distance, tx.now],
    );
  }
}

/** Locks a firing whose action was not dispatched yet. Undefined if it was, or was deleted. */
export async function lockUndispatched(tx: Tx, id: string): Promise<FiringRow | undefined> {
  const [row] = await select(
    tx,
    eventColumns,
    'from arbiter.geofence_events where tenant_id = $1 and id = $2 and dispatched_at is null for update',
    [tx.tenantId, id],
  );
  return row;
}

export async function setDispatched(tx: Tx, id: string): Promise<void> {
  await tx.query('update arbiter.geofence_events set dispatched_at = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    tx.now,
  ]);
}

const filtered = `from arbiter.geofence_events where tenant_id = $1 and geofence_id = $2
  and ($3::text is null or customer_id = $3)`;

/** Firings behind the one with this id, newest first. */
export async function selectFirings(
  tx: Tx,
  geofenceId: string,
  customerId: string | null,
  before: string | null,
  most: number,
): Promise<FiringRow[]> {
  return select(tx, eventColumns, `${filtered} and ($4::uuid is null or id < $4) order by id desc limit $5`, [
    tx.tenantId,
    geofenceId,
    customerId,
    before,
    most,
  ]);
}

export async function countFirings(tx: Tx, geofenceId: string, customerId: string | null): Promise<number> {
  const [row] = await tx.query<{ count: number }>(`select count(*)::int as count ${filtered}`, [
    tx.tenantId,
    geofenceId,
    customerId,
  ]);
  return row?.count ?? 0;
}

export async function isFiringOf(tx: Tx, geofenceId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const rows = await tx.query(
    'select from arbiter.geofence_events where tenant_id = $1 and geofence_id = $2 and id = $3',
    [tx.tenantId, geofenceId, id],
  );
  return rows.length > 0;
}

/** Deletes what tracking knows of a customer. */
export async function eraseTracked(tx: Tx, customerId: string): Promise<void> {
  const customer = [tx.tenantId, customerId];
  await tx.query('delete from arbiter.geofence_events where tenant_id = $1 and customer_id = $2', customer);
  await tx.query('delete from arbiter.geofence_states where tenant_id = $1 and customer_id = $2', customer);
  await tx.query('delete from arbiter.geofence_sightings where tenant_id = $1 and customer_id = $2', customer);
}

const rowsPerSlice = 1_000;

/** Deletes firings that are older than this many days, and customers who were not seen for as long. */
export async function expireTracked(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with limits as (select $2::timestamptz - make_interval(days => $3) as oldest),
     events as (
       select id from arbiter.geofence_events, limits where tenant_id = $1 and created_at < oldest order by created_at limit $4),
     unseen as (
       select customer_id from arbiter.geofence_sightings, limits where tenant_id = $1 and last_seen_at < oldest limit $4),
     gone_events as (
       delete from arbiter.geofence_events e using events where e.tenant_id = $1 and e.id = events.id returning 1),
     gone_states as (
       delete from arbiter.geofence_states s using unseen where s.tenant_id = $1 and s.customer_id = unseen.customer_id),
     gone as (
       delete from arbiter.geofence_sightings s using unseen
        where s.tenant_id = $1 and s.customer_id = unseen.customer_id returning 1)
     select ((select count(*) from gone_events) + (select count(*) from gone))::int as deleted`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows >= rowsPerSlice };
}

/** A geofence as it is now; undefined if it was deleted. */
export async function selectGeofence(tx: Tx, id: string): Promise<Pick<GeofenceRow, 'name' | 'action'> | undefined> {
  const [row] = await select(
    tx,
    columns(geofenceSpec, ['name', 'action']),
    'from arbiter.geofences where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row;
}
