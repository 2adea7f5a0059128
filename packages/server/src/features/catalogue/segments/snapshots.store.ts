import type { Tx } from '../../../db/tx.ts';
import { type Definition, membersQuery } from './membership-sql.store.ts';

/** Waits for another comparison of this segment: two at once would tell each change twice. */
export async function lockSnapshot(tx: Tx, segmentId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.segment:' || $1, 0))`, [segmentId]);
}

export async function hasSnapshot(tx: Tx, segmentId: string): Promise<boolean> {
  const rows = await tx.query('select from arbiter.segment_snapshots where tenant_id = $1 and segment_id = $2', [
    tx.tenantId,
    segmentId,
  ]);
  return rows.length > 0;
}

/** Strikes a customer out of all segments, once no comparison is under way; answers with their number. */
export async function eraseMember(tx: Tx, customerId: string): Promise<number> {
  const segments = await tx.query<{ id: string }>('select id from arbiter.segments where tenant_id = $1 order by id', [
    tx.tenantId,
  ]);
  for (const { id } of segments) await lockSnapshot(tx, id);
  const rows = await tx.query(
    'delete from arbiter.segment_members where tenant_id = $1 and customer_id = $2 returning 1',
    [tx.tenantId, customerId],
  );
  return rows.length;
}

/** Forgets the members of a segment. */
export async function dropSnapshot(tx: Tx, segmentId: string): Promise<void> {
  await tx.query('delete from arbiter.segment_snapshots where tenant_id = $1 and segment_id = $2', [
    tx.tenantId,
    segmentId,
  ]);
}

/** Stores who belongs to a segment now. */
export async function takeSnapshot(tx: Tx, segmentId: string, definition: Definition): Promise<void> {
  await tx.query('insert into arbiter.segment_snapshots (tenant_id, segment_id, taken_at) values ($1, $2, $3)', [
    tx.tenantId,
    segmentId,
    tx.now,
  ]);
  const { text, values } = membersQuery(definition, 3);
  await tx.query(
    `insert into arbiter.segment_members (tenant_id, segment_id, customer_id)
     select $1, $2, m.customer_id from (${text}) m`,
    [tx.tenantId, segmentId, ...values],
  );
}

/** Removes members that no longer belong to the segment; returns them, at most this many. */
export async function takeLeft(tx: Tx, segmentId: string, definition: Definition, most: number): Promise<string[]> {
  const { text, values } = membersQuery(definition, 4);
  const rows = await tx.query<{ customerId: string }>(
    `delete from arbiter.segment_members s
      where s.tenant_id = $1 and s.segment_id = $2 and s.customer_id in (
        select k.customer_id from arbiter.segment_members k
         where k.tenant_id = $1 and k.segment_id = $2
           and not exists (select from (${text}) m where m.customer_id = k.customer_id)
         order by k.customer_id limit $3)
      returning s.customer_id as "customerId"`,
    [tx.tenantId, segmentId, most, ...values],
  );
  return rows.map(({ customerId }) => customerId);
}

/** Adds members that aren't recorded yet; returns them, at most this many. */
export async function takeEntered(tx: Tx, segmentId: string, definition: Definition, most: number): Promise<string[]> {
  const { text, values } = membersQuery(definition, 4);
  const rows = await tx.query<{ customerId: string }>(
    `insert into arbiter.segment_members as s (tenant_id, segment_id, customer_id)
     select $1, $2, m.customer_id from (${text}) m
      where not exists (select from arbiter.segment_members k
                         where k.tenant_id = $1 and k.segment_id = $2 and k.customer_id = m.customer_id)
      order by m.customer_id limit $3
     returning s.customer_id as "customerId"`,
    [tx.tenantId, segmentId, most, ...values],
  );
  return rows.map(({ customerId }) => customerId);
}
