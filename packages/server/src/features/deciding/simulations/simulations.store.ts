import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { SegmentQuestion, SimulationResult, StoredFlow } from './segment-question.ts';

interface NarrowSimulation {
  status: 'running' | 'completed' | 'failed';
  error: 'timeout' | 'cancelled' | 'segment_unavailable' | 'internal' | null;
  question: SegmentQuestion;
  flows: readonly StoredFlow[];
  result: SimulationResult | null;
}

const simulations = table<'simulations', NarrowSimulation>('simulations');
const shown = columns(simulations, [
  'id',
  'segmentId',
  'status',
  'error',
  'question',
  'flows',
  'sampled',
  'total',
  'result',
  'createdAt',
  'completedAt',
  'durationMs',
  'leaseUntil',
]);

export type SimulationRow = RowOf<typeof shown>;

export async function insertSimulation(
  tx: Tx,
  row: Pick<SimulationRow, 'id' | 'segmentId' | 'question' | 'flows'>,
): Promise<void> {
  await tx.query(
    `insert into arbiter.simulations (tenant_id, id, segment_id, status, question, flows, created_at)
     values ($1, $2, $3, 'running', $4::json, $5::json, $6)`,
    [tx.tenantId, row.id, row.segmentId, JSON.stringify(row.question), JSON.stringify(row.flows), tx.now],
  );
}

export async function findSimulation(tx: Tx, id: string): Promise<SimulationRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, shown, 'from arbiter.simulations where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return row ?? null;
}

/** Newest first: ids are in the order of their making. */
export async function selectSimulations(
  tx: Tx,
  limit: number,
  offset: number,
): Promise<{ readonly rows: SimulationRow[]; readonly total: number }> {
  const [count] = await tx.query<{ total: number }>(
    'select count(*)::int as total from arbiter.simulations where tenant_id = $1',
    [tx.tenantId],
  );
  const rows = await select(
    tx,
    shown,
    'from arbiter.simulations where tenant_id = $1 order by id desc limit $2 offset $3',
    [tx.tenantId, limit, offset],
  );
  return { rows, total: count?.total ?? 0 };
}

/** Seconds that a lease holds without a further word of its holder. */
const leaseSeconds = 30;

/**
 * Takes a running simulation that nobody works on; null if it has ended or someone does. Whoever takes it starts over.
 */
export async function takeSimulation(tx: Tx, id: string, holder: string): Promise<SimulationRow | null> {
  const taken = await tx.query(
    `update arbiter.simulations
        set holder = $3, lease_until = $4::timestamptz + make_interval(secs => $5), sampled = 0, total = 0
      where tenant_id = $1 and id = $2 and status = 'running' and (lease_until is null or lease_until <= $4)
      returning 1`,
    [tx.tenantId, id, holder, tx.now, leaseSeconds],
  );
  return taken.length === 0 ? null : findSimulation(tx, id);
}

/** Stores the progress and renews the lease. False if it was cancelled or someone else works on it. */
export async function reportProgress(
  tx: Tx,
  id: string,
  holder: string,
  { sampled, total }: { readonly sampled: number; readonly total: number },
): Promise<boolean> {
  const updatedRows = await tx.query(
    `update arbiter.simulations
        set sampled = $4, total = $5, lease_until = $6::timestamptz + make_interval(secs => $7)
      where tenant_id = $1 and id = $2 and holder = $3 and status = 'running' returning 1`,
    [tx.tenantId, id, holder, sampled, total, tx.now, leaseSeconds],
  );
  return updatedRows.length > 0;
}

/** Releases it, so that another process can take it. */
export async function releaseSimulation(tx: Tx, id: string, holder: string): Promise<void> {
  await tx.query(
    'update arbiter.simulations set holder = null, lease_until = null where tenant_id = $1 and id = $2 and holder = $3',
    [tx.tenantId, id, holder],
  );
}

/**
 * Ends it if the given party works on it: its holder, `nobody`, or `anyone`. False if it has ended or someone else
 * does.
 */
export async function endSimulation(
  tx: Tx,
  id: string,
  holder: string,
  end: { readonly error: NarrowSimulation['error']; readonly result: SimulationResult | null },
): Promise<boolean> {
  const sampled = end.result?.figures.sampledCustomers ?? null;
  const ended = await tx.query(
    `update arbiter.simulations
        set status = case when $4::text is null then 'completed' else 'failed' end, error = $4, result = $5::json,
            completed_at = greatest($6, created_at),
            duration_ms = greatest(0, extract(epoch from $6::timestamptz - created_at) * 1000)::int,
            sampled = coalesce($7, sampled), total = coalesce($7, total)
      where tenant_id = $1 and id = $2 and ($3 = 'anybody' or $3 = coalesce(holder::text, 'nobody')) and status = 'running' returning 1`,
    [tx.tenantId, id, holder, end.error, end.result === null ? null : JSON.stringify(end.result), tx.now, sampled],
  );
  return ended.length > 0;
}

/** Days until a simulation expires (docs/design/api-decisioning.md 13). */
const keptDays = 30;
const dayMs = 86_400_000;
const rowsPerSlice = 500;

/** Deletes the tenant's expired simulations. True if there may be more. */
export async function expireSimulations(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.simulations where tenant_id = $1 and created_at < $2 order by id limit $3),
     gone as (delete from arbiter.simulations s using due where s.tenant_id = $1 and s.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, new Date(tx.now.getTime() - keptDays * dayMs), rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
