import type { EnrollmentStatus } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';

/** Numbers of a journey's enrollments by status. */
export async function countByStatus(tx: Tx, journeyId: string): Promise<ReadonlyMap<EnrollmentStatus, number>> {
  const rows = await tx.query<{ status: EnrollmentStatus; count: number }>(
    `select status, count(*)::int as count from arbiter.journey_enrollments
      where tenant_id = $1 and journey_id = $2 group by status`,
    [tx.tenantId, journeyId],
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** Steps taken at each node of a journey. */
export async function countSteps(tx: Tx, journeyId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ nodeId: string; count: number }>(
    `select node_id as "nodeId", count(*)::int as count from arbiter.journey_steps
      where tenant_id = $1 and journey_id = $2 group by node_id`,
    [tx.tenantId, journeyId],
  );
  return new Map(rows.map(({ nodeId, count }) => [nodeId, count]));
}

/** Running enrollments at each node of a journey. */
export async function countCurrent(tx: Tx, journeyId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ nodeId: string; count: number }>(
    `select current_node_id as "nodeId", count(*)::int as count from arbiter.journey_enrollments
      where tenant_id = $1 and journey_id = $2 and current_node_id is not null group by current_node_id`,
    [tx.tenantId, journeyId],
  );
  return new Map(rows.map(({ nodeId, count }) => [nodeId, count]));
}

/** Deletes the customer's enrollments with their steps. Returns their number. */
export async function eraseEnrollments(tx: Tx, customerId: string): Promise<number> {
  const rows = await tx.query(
    'delete from arbiter.journey_enrollments where tenant_id = $1 and customer_id = $2 returning id',
    [tx.tenantId, customerId],
  );
  return rows.length;
}

const rowsPerSlice = 500;

/** Deletes enrollments that ended more than this many days ago. */
export async function expireEnrollments(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.journey_enrollments
        where tenant_id = $1 and ended_at < $2::timestamptz - make_interval(days => $3) order by ended_at limit $4),
     gone as (
       delete from arbiter.journey_enrollments e using due where e.tenant_id = $1 and e.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows === rowsPerSlice };
}
