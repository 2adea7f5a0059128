import {
  type AlertChannel,
  type AlertDelivery,
  type AlertFilters,
  type AlertMetric,
  type AlertOperator,
  type AlertStatus,
  alertResource,
  type NotificationSeverity,
} from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';

/** Words of closed lists, and types of JSON columns. */
type StoredAlert = {
  metric: AlertMetric;
  operator: AlertOperator;
  channels: readonly AlertChannel[];
  filters: AlertFilters;
};

export type AlertRow = RecordRow<typeof alertResource, StoredAlert>;

export const alertSpec = recordSpec<typeof alertResource, StoredAlert>(alertResource);

const ruleColumns = columns(alertSpec, [
  'id',
  'name',
  'metric',
  'operator',
  'threshold',
  'windowMinutes',
  'channels',
  'cooldownMinutes',
  'minSamples',
  'filters',
]);

/** The columns of a rule that evaluation reads. */
export type Rule = RowOf<typeof ruleColumns>;

/** IDs of the rules that are on. */
export async function selectEnabledIds(tx: Tx): Promise<string[]> {
  const rows = await select(
    tx,
    columns(alertSpec, ['id']),
    'from arbiter.alerts where tenant_id = $1 and enabled order by id',
    [tx.tenantId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Locks a rule until the transaction ends. Returns undefined if it is off or deleted, or another call is evaluating it.
 */
export async function claimRule(tx: Tx, id: string): Promise<Rule | undefined> {
  const [row] = await select(
    tx,
    ruleColumns,
    'from arbiter.alerts where tenant_id = $1 and id = $2 and enabled for no key update skip locked',
    [tx.tenantId, id],
  );
  return row;
}

const stateColumns = columns(table<'alert_states', { status: Exclude<AlertStatus, 'paused'> }>('alert_states'), [
  'alertId',
  'status',
  'lastEvaluatedAt',
  'lastValue',
  'lastFiredAt',
  'lastEventId',
]);

/** Result of a rule's last evaluation. */
export type AlertState = RowOf<typeof stateColumns>;

export async function selectStates(tx: Tx, ids: readonly string[]): Promise<AlertState[]> {
  return select(tx, stateColumns, 'from arbiter.alert_states where tenant_id = $1 and alert_id = any($2)', [
    tx.tenantId,
    ids,
  ]);
}

export async function upsertState(tx: Tx, state: AlertState): Promise<void> {
  await tx.query(
    `insert into arbiter.alert_states (tenant_id, alert_id, status, last_evaluated_at, last_value, last_fired_at, last_event_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, alert_id) do update set status = excluded.status,
       last_evaluated_at = excluded.last_evaluated_at, last_value = excluded.last_value,
       last_fired_at = excluded.last_fired_at, last_event_id = excluded.last_event_id`,
    [
      tx.tenantId,
      state.alertId,
      state.status,
      state.lastEvaluatedAt,
      state.lastValue,
      state.lastFiredAt,
      state.lastEventId,
    ],
  );
}

/** Tells the result of the messages of a rule's last event. */
export async function updateDelivered(
  tx: Tx,
  alertId: string,
  eventId: string,
  status: 'fired' | 'delivery_failed',
): Promise<void> {
  await tx.query(
    `update arbiter.alert_states set status = $4
      where tenant_id = $1 and alert_id = $2 and last_event_id = $3 and status in ('fired', 'delivery_failed')`,
    [tx.tenantId, alertId, eventId, status],
  );
}

const eventColumns = columns(
  table<'alert_events', { severity: NotificationSeverity; deliveries: readonly AlertDelivery[] }>('alert_events'),
  ['id', 'alertId', 'firedAt', 'value', 'baseline', 'threshold', 'severity', 'deliveries'],
);

export type EventRow = RowOf<typeof eventColumns>;

export async function insertEvent(tx: Tx, row: EventRow): Promise<void> {
  await tx.query(
    `insert into arbiter.alert_events (tenant_id, id, alert_id, fired_at, value, baseline, threshold, severity, deliveries)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)`,
    [
      tx.tenantId,
      row.id,
      row.alertId,
      row.firedAt,
      row.value,
      row.baseline,
      row.threshold,
      row.severity,
      JSON.stringify(row.deliveries),
    ],
  );
}

/**
 * Locks an event until the transaction ends, because several of its messages finish at once. Undefined if it was
 * deleted.
 */
export async function lockEvent(tx: Tx, id: string): Promise<EventRow | undefined> {
  const [row] = await select(
    tx,
    eventColumns,
    'from arbiter.alert_events where tenant_id = $1 and id = $2 for update',
    [tx.tenantId, id],
  );
  return row;
}

export async function updateDeliveries(tx: Tx, { id, deliveries }: EventRow): Promise<void> {
  await tx.query('update arbiter.alert_events set deliveries = $3::jsonb where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    JSON.stringify(deliveries),
  ]);
}

/** The newest events of a rule, behind the one with this id. */
export async function selectEvents(tx: Tx, alertId: string, before: string | null, most: number): Promise<EventRow[]> {
  return select(
    tx,
    eventColumns,
    `from arbiter.alert_events where tenant_id = $1 and alert_id = $2 and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [tx.tenantId, alertId, before, most],
  );
}

/** Null if the ID isn't an event of the rule; else how many it has. */
export async function countEvents(tx: Tx, alertId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.alert_events where tenant_id = $1 and alert_id = $2',
    [tx.tenantId, alertId],
  );
  return row?.count ?? 0;
}

export async function isEventOf(tx: Tx, alertId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const rows = await tx.query('select from arbiter.alert_events where tenant_id = $1 and alert_id = $2 and id = $3', [
    tx.tenantId,
    alertId,
    id,
  ]);
  return rows.length > 0;
}

/** Deletes what is stored about a rule's evaluations. */
export async function deleteTraces(tx: Tx, alertId: string): Promise<void> {
  await tx.query('delete from arbiter.alert_events where tenant_id = $1 and alert_id = $2', [tx.tenantId, alertId]);
  await tx.query('delete from arbiter.alert_states where tenant_id = $1 and alert_id = $2', [tx.tenantId, alertId]);
}

const rowsPerSlice = 1_000;

/** Deletes events that are older than this many days. */
export async function expireEvents(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.alert_events
        where tenant_id = $1 and fired_at < $2::timestamptz - make_interval(days => $3) order by id limit $4),
     gone as (delete from arbiter.alert_events e using due where e.tenant_id = $1 and e.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows === rowsPerSlice };
}
