import { firstIdAt } from '../../../platform/ids.ts';

/** Which records of a tenant a study reads. */
export interface RecordSelection {
  /** Null: of all flows. */
  readonly flowId: string | null;
  readonly from: Date;
  readonly to: Date;
  /** Leaves out records decided after it. */
  readonly cut: Date;
  /** Maximum records, oldest first. */
  readonly most: number;
  /** Share of customers, by a hash of the salt and their reference. */
  readonly share: number;
  readonly salt: string;
}

/** A decision's id comes from the process's clock; `decided_at` is the real time, and ids bound what is read. */
const idsMayDifferMs = 86_400_000;

/**
 * SQL that selects `id` and `customer_ref` of records, with the values of its parameters. All records of a customer are in
 * the sample, or none.
 */
export function selectedRecords(
  tenantId: string,
  { flowId, from, to, cut, most, share, salt }: RecordSelection,
): { readonly sql: string; readonly values: unknown[] } {
  const end = new Date(Math.min(to.getTime(), cut.getTime() + 1));
  const values: unknown[] = [
    tenantId,
    flowId,
    firstIdAt(Math.max(0, from.getTime() - idsMayDifferMs)),
    firstIdAt(Math.max(0, end.getTime() + idsMayDifferMs)),
    from,
    end,
    most,
  ];
  const sampled =
    share >= 1 ? '' : `and ('x' || substr(md5($8 || d.customer_ref::text), 1, 8))::bit(32)::bigint < $9 * 4294967296`;
  if (share < 1) values.push(salt, share);
  // Query one flow by equality, so that its index returns the rows in order.
  const flow = flowId === null ? 'and $2::uuid is null' : 'and d.flow_id = $2::uuid';
  return {
    sql: `select d.id, d.customer_ref from arbiter.decisions d
      where d.tenant_id = $1 ${flow} and d.id >= $3::uuid and d.id < $4::uuid and d.decided_at >= $5 and d.decided_at < $6
        ${sampled} order by d.id limit $7`,
    values,
  };
}
