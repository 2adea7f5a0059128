import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';
import type { TriggerRow } from './triggers.store.ts';

/** The event of a firing, as it's stored until the action is done. */
export interface FiredEvent {
  readonly type: string;
  readonly channel: string | null;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly outcome?: Readonly<Record<string, unknown>>;
}

export type FiringStatus = 'pending' | 'retrying' | 'done' | 'failed';

const firings = table<'trigger_firings', { event: FiredEvent | null; status: FiringStatus }>('trigger_firings');
const firingFields = [
  'id',
  'triggerId',
  'eventId',
  'customerId',
  'event',
  'depth',
  'status',
  'error',
  'createdAt',
] as const;
const firingColumns = columns(firings, firingFields);

export type FiringRow = RowOf<typeof firingColumns>;

/**
 * Claims the cooldown of a trigger for a customer. Of parallel claims one succeeds: the row is locked. Returns false
 * within the cooldown.
 */
export async function claimCooldown(
  tx: Tx,
  triggerId: string,
  customerId: string,
  cooldownMs: number,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into arbiter.trigger_cooldowns as c (tenant_id, trigger_id, customer_id, fired_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, trigger_id, customer_id) do update set fired_at = excluded.fired_at
       where excluded.fired_at - c.fired_at >= make_interval(secs => $5::float8 / 1000)
     returning 1`,
    [tx.tenantId, triggerId, customerId, tx.now, cooldownMs],
  );
  return rows.length > 0;
}

/** When a trigger last fired for a customer under a cooldown. Null: never. */
export async function selectCooldown(tx: Tx, triggerId: string, customerId: string): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date }>(
    'select fired_at as at from arbiter.trigger_cooldowns where tenant_id = $1 and trigger_id = $2 and customer_id = $3',
    [tx.tenantId, triggerId, customerId],
  );
  return row?.at ?? null;
}

/** What all firings of one event have in common. */
type FiringFacts = Pick<FiringRow, 'eventId' | 'customerId' | 'event' | 'depth'>;

/** Adds firings of one event, by trigger. Returns the triggers that have not fired for the event before. */
export async function insertFirings(
  tx: Tx,
  { eventId, customerId, event, depth }: FiringFacts,
  idsByTrigger: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ triggerId: string }>(
    `insert into arbiter.trigger_firings
       (tenant_id, id, trigger_id, event_id, customer_id, event, depth, status, created_at)
     select $1, f.id, f.trigger_id, $4, $5, $6::jsonb, $7, 'pending', $8
       from unnest($2::uuid[], $3::uuid[]) as f (id, trigger_id) order by f.trigger_id
     on conflict (tenant_id, event_id, trigger_id) do nothing returning trigger_id as "triggerId"`,
    [
      ...[tx.tenantId, uuidArray([...idsByTrigger.values()]), uuidArray([...idsByTrigger.keys()])],
      ...[eventId, customerId, JSON.stringify(event), depth, tx.now],
    ],
  );
  return new Set(rows.map(({ triggerId }) => triggerId));
}

/** Counts firings, one of each of these triggers. The ids come in order, so that two transactions can't deadlock. */
export async function countFired(tx: Tx, triggerIds: readonly string[]): Promise<void> {
  await tx.query(
    `insert into arbiter.trigger_counts as c (tenant_id, trigger_id, fired_count, last_fired_at)
     select $1, id, 1, $3 from unnest($2::uuid[]) as id order by id
     on conflict (tenant_id, trigger_id) do update set fired_count = c.fired_count + 1,
       last_fired_at = greatest(c.last_fired_at, excluded.last_fired_at)`,
    [tx.tenantId, uuidArray(triggerIds), tx.now],
  );
}

/** Ids of an event's firings whose actions are not over. */
export async function selectUnsettled(tx: Tx, eventId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from arbiter.trigger_firings
      where tenant_id = $1 and event_id = $2 and status in ('pending', 'retrying') order by id`,
    [tx.tenantId, eventId],
  );
  return rows.map(({ id }) => id);
}

/** The firings of an event. */
export async function selectFiringsOf(tx: Tx, eventId: string): Promise<FiringRow[]> {
  return select(tx, firingColumns, 'from arbiter.trigger_firings where tenant_id = $1 and event_id = $2', [
    tx.tenantId,
    eventId,
  ]);
}

/** An earlier action that waits longer than this doesn't hold up the customer's other actions. */
const longestAheadMinutes = 10;

/** The action of a trigger, as it's set now. */
type Action = Pick<TriggerRow, 'name' | 'actionType' | 'actionConfig'>;

const lockedColumns = selectList(
  columns(firings, firingFields, 'f'),
  computed<{
    /** True while an earlier action of the same customer was not tried yet. */
    isBehind: boolean;
    /** Null: the trigger was deleted. */
    action: Action | null;
  }>({
    isBehind: expression(`exists (
      select from arbiter.trigger_firings ahead
       where ahead.tenant_id = $1 and ahead.customer_id = f.customer_id and ahead.status = 'pending' and ahead.id < $2
         and (ahead.created_at > $3::timestamptz - make_interval(mins => $4)) is true)`),
    action: expression(`(
      select jsonb_build_object('name', t.name, 'actionType', t.action_type, 'actionConfig', t.action_config)
        from arbiter.triggers t where t.tenant_id = $1 and t.id = f.trigger_id and t.deleted_at is null)`),
  }),
);

/** Locks a firing. Undefined if it was deleted. */
export async function lockFiring(tx: Tx, id: string): Promise<RowOf<typeof lockedColumns> | undefined> {
  const [row] = await select(
    tx,
    lockedColumns,
    'from arbiter.trigger_firings f where f.tenant_id = $1 and f.id = $2 for update of f',
    [tx.tenantId, id, tx.now, longestAheadMinutes],
  );
  return row;
}

/** Notes the result of a firing that isn't settled. The event goes once nothing needs it anymore. */
export async function settleFiring(tx: Tx, id: string, status: FiringStatus, error: string | null): Promise<void> {
  await tx.query(
    `update arbiter.trigger_firings set status = $3, error = $4, event = case when $3 = 'retrying' then event end
      where tenant_id = $1 and id = $2 and status in ('pending', 'retrying')`,
    [tx.tenantId, id, status, error?.slice(0, 200) ?? null],
  );
}

/** Deletes what triggers know of a customer. */
export async function eraseFirings(tx: Tx, customerId: string): Promise<void> {
  const customer = [tx.tenantId, customerId];
  await tx.query('delete from arbiter.trigger_firings where tenant_id = $1 and customer_id = $2', customer);
  await tx.query('delete from arbiter.trigger_cooldowns where tenant_id = $1 and customer_id = $2', customer);
}

const rowsPerSlice = 1_000;
/** Days of the longest cooldown. */
const longestCooldownDays = 30;

/** Deletes firings older than this many days, and cooldowns that are over in any case. */
export async function expireFirings(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ firings: number; cooldowns: number }>(
    `with firings as (
       delete from arbiter.trigger_firings where tenant_id = $1 and id in (
         select id from arbiter.trigger_firings
          where tenant_id = $1 and created_at < $2::timestamptz - make_interval(days => $3) order by created_at limit $5)
       returning 1),
     cooldowns as (
       delete from arbiter.trigger_cooldowns c using (
         select trigger_id, customer_id from arbiter.trigger_cooldowns
          where tenant_id = $1 and fired_at < $2::timestamptz - make_interval(days => $4) limit $5) old
       where c.tenant_id = $1 and c.trigger_id = old.trigger_id and c.customer_id = old.customer_id returning 1)
     select (select count(*) from firings)::int as firings, (select count(*) from cooldowns)::int as cooldowns`,
    [tx.tenantId, tx.now, days, longestCooldownDays, rowsPerSlice],
  );
  const { firings = 0, cooldowns = 0 } = row ?? {};
  return { rows: firings + cooldowns, more: firings === rowsPerSlice || cooldowns === rowsPerSlice };
}
