import type { SuppressionScope, SuppressionType } from '@arbiter/contract';
import { compareText } from '@arbiter/engine';
import { columns, computed, epochMs, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { KeptSuppression } from '../customer-states/index.ts';

const suppressions = table<'customer_suppressions', { scope: SuppressionScope; policyType: SuppressionType }>(
  'customer_suppressions',
);

const rowColumns = columns(suppressions, [
  'id',
  'customerId',
  'scope',
  'scopeId',
  'policyType',
  'policyId',
  'reason',
  'triggerCount',
  'createdAt',
  'expiresAt',
]);

/** A row of `customer_suppressions`. */
export type SuppressionRow = RowOf<typeof rowColumns>;

/** The manual row of a customer and scope, or null. The caller holds the customer's lock. */
export async function findManual(
  tx: Tx,
  { customerId, scope, scopeId }: Pick<SuppressionRow, 'customerId' | 'scope' | 'scopeId'>,
): Promise<SuppressionRow | null> {
  const [row] = await select(
    tx,
    rowColumns,
    `from arbiter.customer_suppressions
     where tenant_id = $1 and customer_id = $2 and scope = $3 and scope_id = $4 and policy_id is null`,
    [tx.tenantId, customerId, scope, scopeId],
  );
  return row ?? null;
}

/** The row with this id, or null; a malformed id is an unknown one. */
export async function findSuppression(tx: Tx, id: string): Promise<SuppressionRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, rowColumns, 'from arbiter.customer_suppressions where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

export async function insertSuppression(tx: Tx, row: SuppressionRow): Promise<void> {
  await tx.query(
    `insert into arbiter.customer_suppressions
       (tenant_id, id, customer_id, scope, scope_id, policy_type, policy_id, reason, trigger_count, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      tx.tenantId,
      row.id,
      row.customerId,
      row.scope,
      row.scopeId,
      row.policyType,
      row.policyId,
      row.reason,
      row.triggerCount,
      row.createdAt,
      row.expiresAt,
    ],
  );
}

/** Writes what a repetition changes. */
export async function updateSuppression(tx: Tx, row: SuppressionRow): Promise<void> {
  await tx.query(
    `update arbiter.customer_suppressions set reason = $3, trigger_count = $4, expires_at = $5
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, row.id, row.reason, row.triggerCount, row.expiresAt],
  );
}

export async function deleteSuppressionRow(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.customer_suppressions where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}

/** Returns customers with suppressions of these offers or categories. */
export async function customersSuppressedFor(tx: Tx, scopeIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ customer: string }>(
    'select distinct customer_id as customer from arbiter.customer_suppressions where tenant_id = $1 and scope_id = any ($2)',
    [tx.tenantId, scopeIds],
  );
  return rows.map(({ customer }) => customer);
}

/** Deletes suppressions of these ids. Returns the customers. */
export async function deleteSuppressionsOf(tx: Tx, scopeIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ customer: string }>(
    `with gone as (
       delete from arbiter.customer_suppressions where tenant_id = $1 and scope_id = any ($2) returning customer_id)
     select distinct customer_id as customer from gone order by 1`,
    [tx.tenantId, scopeIds],
  );
  return rows.map(({ customer }) => customer);
}

const rowsPerSlice = 1_000;

/** Deletes expired rows, oldest first. */
export async function removeExpired(tx: Tx): Promise<Removed> {
  const deleted = await tx.query(
    `delete from arbiter.customer_suppressions where tenant_id = $1 and id in (
       select id from arbiter.customer_suppressions where tenant_id = $1 and expires_at <= $2 order by expires_at limit $3
       for update skip locked) returning 1`,
    [tx.tenantId, tx.now, rowsPerSlice],
  );
  return { rows: deleted.length, more: deleted.length === rowsPerSlice };
}

/** Deletes all rows of a customer; answers with their number. */
export async function eraseSuppressions(tx: Tx, customerId: string): Promise<number> {
  const rows = await tx.query(
    'delete from arbiter.customer_suppressions where tenant_id = $1 and customer_id = $2 returning 1',
    [tx.tenantId, customerId],
  );
  return rows.length;
}

/** A row that a policy writes; `mark` identifies the policy's version. */
export type TriggeredSuppression = Pick<
  SuppressionRow,
  'id' | 'customerId' | 'scope' | 'scopeId' | 'policyType' | 'reason' | 'expiresAt'
> & { readonly policyId: string; readonly mark: string };

/**
 * Writes a policy's row, or increases its count and keeps the later end. Replaces rows from before the policy changed.
 * The caller holds the customer's lock.
 */
export async function raiseSuppression(tx: Tx, row: TriggeredSuppression): Promise<void> {
  await tx.query(
    `insert into arbiter.customer_suppressions as known
       (tenant_id, id, customer_id, scope, scope_id, policy_type, policy_id, policy_mark, reason, trigger_count, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11)
     on conflict (tenant_id, customer_id, scope, scope_id, policy_id) do update set
       policy_mark = excluded.policy_mark,
       reason = excluded.reason,
       trigger_count = case when known.policy_mark = excluded.policy_mark then known.trigger_count + 1 else 1 end,
       created_at = case when known.policy_mark = excluded.policy_mark then known.created_at else excluded.created_at end,
       expires_at = case when known.policy_mark = excluded.policy_mark
         then greatest(known.expires_at, excluded.expires_at) else excluded.expires_at end`,
    [
      tx.tenantId,
      row.id,
      row.customerId,
      row.scope,
      row.scopeId,
      row.policyType,
      row.policyId,
      row.mark,
      row.reason,
      tx.now,
      row.expiresAt,
    ],
  );
}

/** Returns what decisions read about a customer: unexpired rows, by id. */
export async function suppressionsInForce(tx: Tx, customerId: string): Promise<KeptSuppression[]> {
  const rows = await select(
    tx,
    selectList(
      columns(suppressions, ['id', 'scope', 'scopeId', 'policyId', 'reason', 'policyMark']),
      computed({ expiresAt: epochMs('expires_at') }),
    ),
    // `is true` and the missing order keep the planner from indexes without the customer. `between` lets it expect few rows,
    // even when all rows so far are of one customer (docs/adr/0102).
    `from arbiter.customer_suppressions
     where tenant_id = $1 and customer_id = $2 and customer_id between $2 and $2 and (expires_at > $3) is true`,
    [tx.tenantId, customerId, tx.now],
  );
  rows.sort((a, b) => compareText(a.id, b.id));
  return rows.map(({ id: _id, policyMark, ...row }) => (policyMark === null ? row : { ...row, mark: policyMark }));
}

/** Filters of a list. */
export interface SuppressionFilter {
  readonly customerId?: string | undefined;
  readonly scope?: SuppressionScope | undefined;
  readonly policyType?: SuppressionType | undefined;
  readonly includeExpired?: boolean | undefined;
  /** Marks of the active policies, by id: rows that others wrote, or the same before they were changed, are left out. */
  readonly marks: ReadonlyMap<string, string>;
}

const matching = `from arbiter.customer_suppressions
  where tenant_id = $1 and ($2::text is null or customer_id = $2) and ($3::text is null or scope = $3)
    and ($4::text is null or policy_type = $4) and ($5::boolean or expires_at > $6)
    and (policy_id is null or (policy_id, policy_mark) in (select * from unnest($7::uuid[], $8::text[])))`;

const matchingValues = (tx: Tx, filter: SuppressionFilter) => [
  tx.tenantId,
  filter.customerId ?? null,
  filter.scope ?? null,
  filter.policyType ?? null,
  filter.includeExpired ?? false,
  tx.now,
  [...filter.marks.keys()],
  [...filter.marks.values()],
];

/** Rows behind `after`, newest first; `limit` null: all of them. */
export async function selectSuppressions(
  tx: Tx,
  filter: SuppressionFilter,
  after: string | null,
  limit: number | null,
): Promise<SuppressionRow[]> {
  return select(tx, rowColumns, `${matching} and ($9::uuid is null or id < $9) order by id desc limit $10`, [
    ...matchingValues(tx, filter),
    after,
    limit,
  ]);
}

export async function countSuppressions(tx: Tx, filter: SuppressionFilter): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total ${matching}`,
    matchingValues(tx, filter),
  );
  return row?.total ?? 0;
}
