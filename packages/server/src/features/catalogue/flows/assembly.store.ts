import type { AssemblyChange, AssemblyRun } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type DecisionFlowRow, flowSpec } from './flows.store.ts';

/** Runs to keep per flow. */
const storedRuns = 500;

const runs = table<
  'flow_assembly_runs',
  { trigger: AssemblyRun['trigger']; entityType: AssemblyRun['entityType']; changes: AssemblyChange[] }
>('flow_assembly_runs');

const runColumns = columns(runs, [
  'id',
  'flowId',
  'trigger',
  'entityType',
  'entityId',
  'changes',
  'applied',
  'createdAt',
]);

/** A row of `flow_assembly_runs`. */
export type AssemblyRunRow = RowOf<typeof runColumns>;

/** Flows that auto-assembly works on, by id: so everyone locks them in one order. */
export async function selectAssembledFlows(tx: Tx): Promise<Pick<DecisionFlowRow, 'id' | 'draftConfig'>[]> {
  return select(
    tx,
    columns(flowSpec, ['id', 'draftConfig']),
    `from arbiter.decision_flows
     where tenant_id = $1 and status = 'active' and auto_assembly and deleted_at is null order by id`,
    [tx.tenantId],
  );
}

/** Adds the rows, one per flow, and deletes all but the last 500 of these flows. */
export async function appendRuns(tx: Tx, rows: readonly AssemblyRunRow[]): Promise<void> {
  await tx.query(
    `insert into arbiter.flow_assembly_runs
       (tenant_id, id, flow_id, trigger, entity_type, entity_id, changes, applied, created_at)
     select $1, r.id, r.flow_id, r.trigger, r.entity_type, r.entity_id, r.changes, r.applied, $3
     from jsonb_to_recordset($2::jsonb) as r(
       id uuid, flow_id uuid, trigger text, entity_type text, entity_id uuid, changes jsonb, applied boolean)`,
    [
      tx.tenantId,
      JSON.stringify(
        rows.map((row) => ({
          id: row.id,
          flow_id: row.flowId,
          trigger: row.trigger,
          entity_type: row.entityType,
          entity_id: row.entityId,
          changes: row.changes,
          applied: row.applied,
        })),
      ),
      tx.now,
    ],
  );
  await tx.query(
    `delete from arbiter.flow_assembly_runs old using unnest($2::uuid[]) as flow (id)
     where old.tenant_id = $1 and old.flow_id = flow.id and old.id <= (
       select id from arbiter.flow_assembly_runs
       where tenant_id = $1 and flow_id = flow.id order by id desc offset ${storedRuns} limit 1)`,
    [tx.tenantId, rows.map(({ flowId }) => flowId)],
  );
}

/** Runs of a flow before an id, newest first. */
export async function selectRuns(
  tx: Tx,
  flowId: string,
  before: string | null,
  limit: number,
): Promise<AssemblyRunRow[]> {
  return select(
    tx,
    runColumns,
    `from arbiter.flow_assembly_runs
     where tenant_id = $1 and flow_id = $2 and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [tx.tenantId, flowId, before, limit],
  );
}

/** Returns the number of the flow's runs, and whether one has this id. */
export async function countRuns(
  tx: Tx,
  flowId: string,
  id: string | null,
): Promise<{ readonly total: number; readonly hasId: boolean }> {
  const [row] = await tx.query<{ total: number; hasId: boolean }>(
    `select count(*)::int as total, coalesce(bool_or(id = $3), false) as "hasId"
     from arbiter.flow_assembly_runs where tenant_id = $1 and flow_id = $2`,
    [tx.tenantId, flowId, id],
  );
  if (row === undefined) throw new Error('an aggregate has a row');
  return row;
}
