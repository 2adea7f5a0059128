import { type CustomerEventType, type TriggerActionType, triggerResource } from '@arbiter/contract';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';

/** Numbers beyond 32 bits, and types of JSON columns. */
type StoredTrigger = {
  cooldownMs: number;
  condition: Record<string, unknown> | null;
  actionConfig: Readonly<Record<string, unknown>>;
  actionType: TriggerActionType;
  eventType: CustomerEventType;
};

export type TriggerRow = RecordRow<typeof triggerResource, StoredTrigger>;

export const triggerSpec = recordSpec<typeof triggerResource, StoredTrigger>(triggerResource);

const firingColumns = columns(triggerSpec, [
  'id',
  'name',
  'version',
  'eventType',
  'condition',
  'actionType',
  'actionConfig',
  'cooldownMs',
]);

/** What firing reads of a trigger. */
export type ActiveTrigger = RowOf<typeof firingColumns>;

/** Active triggers of these event types, highest priority first. */
export async function selectActive(tx: Tx, types: readonly string[]): Promise<ActiveTrigger[]> {
  return select(
    tx,
    firingColumns,
    `from arbiter.triggers where tenant_id = $1 and status = 'active' and deleted_at is null
      and event_type = any($2::text[]) order by priority desc, id`,
    [tx.tenantId, types],
  );
}

/** Which of these types an active trigger reacts to. */
export async function selectListened(tx: Tx, types: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ type: string }>(
    `select distinct event_type as type from arbiter.triggers
      where tenant_id = $1 and status = 'active' and deleted_at is null and event_type = any($2::text[])`,
    [tx.tenantId, types],
  );
  return rows.map(({ type }) => type);
}

/** Conditions of the active triggers that wait for segments. */
export async function selectSegmentConditions(tx: Tx): Promise<(Record<string, unknown> | null)[]> {
  const rows = await select(
    tx,
    columns(triggerSpec, ['condition']),
    `from arbiter.triggers where tenant_id = $1 and status = 'active' and deleted_at is null
      and event_type in ('segment.entered', 'segment.left')`,
    [tx.tenantId],
  );
  return rows.map(({ condition }) => condition);
}

/** Triggers, not deleted, with this text as a value in their action or condition: the id of a journey, segment or schema. */
export async function triggersNaming(tx: Tx, value: string): Promise<{ readonly id: string; readonly name: string }[]> {
  return select(
    tx,
    columns(triggerSpec, ['id', 'name']),
    `from arbiter.triggers where tenant_id = $1 and deleted_at is null
      and (jsonb_path_exists(action_config, '$.** ? (@ == $value)', jsonb_build_object('value', $2::text))
        or jsonb_path_exists(condition, '$.** ? (@ == $value)', jsonb_build_object('value', $2::text)))
      order by name, id`,
    [tx.tenantId, value],
  );
}

/** What a trigger does now. Undefined if it was deleted. */
export async function selectAction(
  tx: Tx,
  id: string,
): Promise<Pick<TriggerRow, 'name' | 'actionType' | 'actionConfig'> | undefined> {
  const [row] = await select(
    tx,
    columns(triggerSpec, ['name', 'actionType', 'actionConfig']),
    'from arbiter.triggers where tenant_id = $1 and id = $2 and deleted_at is null',
    [tx.tenantId, id],
  );
  return row;
}

/** How often triggers fired. */
export interface FiredFigures {
  readonly firedCount: number;
  readonly lastFiredAt: Date;
}

/** Figures by trigger; those that never fired are left out. */
export async function selectFigures(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, FiredFigures>> {
  const rows = await tx.query<FiredFigures & { id: string }>(
    `select trigger_id as id, fired_count::float8 as "firedCount", last_fired_at as "lastFiredAt"
      from arbiter.trigger_counts where tenant_id = $1 and trigger_id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, ...figures }) => [id, figures]));
}

/** The sealed secrets of a trigger. Undefined if it has none. */
export async function selectSealed(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(
    'select sealed from arbiter.trigger_secrets where tenant_id = $1 and trigger_id = $2',
    [tx.tenantId, id],
  );
  return row?.sealed;
}

/** Replaces the sealed secrets. Null removes them. */
export async function replaceSealed(tx: Tx, id: string, sealed: Buffer | null): Promise<void> {
  if (sealed === null) {
    await tx.query('delete from arbiter.trigger_secrets where tenant_id = $1 and trigger_id = $2', [tx.tenantId, id]);
    return;
  }
  await tx.query(
    `insert into arbiter.trigger_secrets (tenant_id, trigger_id, sealed) values ($1, $2, $3)
     on conflict (tenant_id, trigger_id) do update set sealed = excluded.sealed`,
    [tx.tenantId, id, sealed],
  );
}
