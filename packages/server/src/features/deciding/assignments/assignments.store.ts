import { type HotRow, type HotStatement, type Tx, textArray, uuidArray } from '../../../db/index.ts';

/** An assignment ends this long after its last use (docs/design/api-decisioning.md 16). */
const assignmentDays = 30;
const assignmentMs = assignmentDays * 86_400_000;

/** A customer's variant of an experiment. */
export interface Assignment {
  readonly customerId: string;
  readonly experimentId: string;
  readonly variant: string;
  /** 0 to 1. */
  readonly share: number;
}

/** An assignment as it is stored. `usedAt` in epoch ms. */
export interface StoredAssignment extends Assignment {
  readonly usedAt: number;
}

/** True: the assignment still holds at this instant (epoch ms). */
export const isCurrent = ({ usedAt }: Pick<StoredAssignment, 'usedAt'>, now: number): boolean =>
  now < usedAt + assignmentMs;

/** Reads the customers' variants of the experiments. Sent after their rows are locked, so that nobody assigns them in between. */
export const readAssignments = (
  tenantId: string,
  experimentIds: readonly string[],
  customerIds: readonly string[],
): HotStatement => ({
  name: 'decisions.assignments',
  text: `select customer_id, experiment_id, variant, share, used_at from experiment_assignments
    where tenant_id = $1 and customer_id = any($2::text[]) and experiment_id = any($3::uuid[])`,
  values: [tenantId, textArray(customerIds), uuidArray(experimentIds)],
});

export const storedAssignment = (row: HotRow): StoredAssignment => ({
  customerId: row.customer_id as string,
  experimentId: row.experiment_id as string,
  variant: row.variant as string,
  share: row.share as number,
  usedAt: (row.used_at as Date).getTime(),
});

/** Stores assignments that are new, and the use of those that were there. Each may be named once. */
export const saveAssignments = (tenantId: string, at: Date, assignments: readonly Assignment[]): HotStatement => ({
  name: 'decisions.assigned',
  text: `insert into experiment_assignments as known
      (tenant_id, customer_id, experiment_id, variant, share, assigned_at, used_at)
    select $1, u.customer_id, u.experiment_id, u.variant, u.share, $2, $2
    from unnest($3::text[], $4::uuid[], $5::text[], $6::float8[]) as u(customer_id, experiment_id, variant, share)
    on conflict (tenant_id, customer_id, experiment_id) do update set
      variant = excluded.variant, share = excluded.share, used_at = greatest(known.used_at, excluded.used_at),
      assigned_at = case when excluded.used_at - known.used_at >= make_interval(days => ${assignmentDays})
        then excluded.assigned_at else known.assigned_at end`,
  values: [
    tenantId,
    at,
    textArray(assignments.map((one) => one.customerId)),
    uuidArray(assignments.map((one) => one.experimentId)),
    textArray(assignments.map((one) => one.variant)),
    `{${assignments.map((one) => one.share).join(',')}}`,
  ],
});

/** Rows that one transaction deletes. */
const rowsPerSlice = 5_000;

/** Deletes assignments that have ended, in one slice. Returns how many; `more`: there may be others. */
export async function deleteEnded(tx: Tx): Promise<{ readonly rows: number; readonly more: boolean }> {
  const deleted = await tx.query(
    `delete from experiment_assignments where tenant_id = $1 and ctid = any(array(
       select ctid from experiment_assignments
       where tenant_id = $1 and used_at <= $2::timestamptz - make_interval(days => ${assignmentDays})
       limit $3 for update skip locked))
     returning 1`,
    [tx.tenantId, tx.now, rowsPerSlice],
  );
  return { rows: deleted.length, more: deleted.length === rowsPerSlice };
}

/** Deletes a customer's assignments and exposures. Returns how many assignments there were. */
export async function eraseAssignments(tx: Tx, customerId: string): Promise<number> {
  const deletedRows = await tx.query(
    'delete from experiment_assignments where tenant_id = $1 and customer_id = $2 returning 1',
    [tx.tenantId, customerId],
  );
  await tx.query('delete from experiment_exposures where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
  ]);
  return deletedRows.length;
}
