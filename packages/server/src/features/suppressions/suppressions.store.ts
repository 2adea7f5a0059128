import type { SuppressionScope, SuppressionType } from '@arbiter/contract';
import type { Suppression } from '@arbiter/engine';
import { columns, computed, epochMs, type RowOf, select, selectList, table } from '../../db/columns.ts';
import type { Tx } from '../../db/tx.ts';
import { isUuid } from '../../platform/ids.ts';

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

/** Writes what a repeat changes. */
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

/** What decisions read of a customer: rows that have not expired, by id. */
export async function suppressionsInForce(tx: Tx, customerId: string): Promise<Suppression[]> {
  return select(
    tx,
    selectList(
      columns(suppressions, ['scope', 'scopeId', 'policyId', 'reason']),
      computed({ expiresAt: epochMs('expires_at') }),
    ),
    `from arbiter.customer_suppressions where tenant_id = $1 and customer_id = $2 and expires_at > $3 order by id`,
    [tx.tenantId, customerId, tx.now],
  );
}

/** Which rows a list shows. */
export interface SuppressionFilter {
  readonly customerId?: string | undefined;
  readonly scope?: SuppressionScope | undefined;
  readonly policyType?: SuppressionType | undefined;
  readonly includeExpired?: boolean | undefined;
}

const matching = `from arbiter.customer_suppressions
  where tenant_id = $1 and ($2::text is null or customer_id = $2) and ($3::text is null or scope = $3)
    and ($4::text is null or policy_type = $4) and ($5::boolean or expires_at > $6)`;

const matchingValues = (tx: Tx, filter: SuppressionFilter) => [
  tx.tenantId,
  filter.customerId ?? null,
  filter.scope ?? null,
  filter.policyType ?? null,
  filter.includeExpired ?? false,
  tx.now,
];

/** Rows behind `after`, newest first; `limit` null: all of them. */
export async function selectSuppressions(
  tx: Tx,
  filter: SuppressionFilter,
  after: string | null,
  limit: number | null,
): Promise<SuppressionRow[]> {
  return select(tx, rowColumns, `${matching} and ($7::uuid is null or id < $7) order by id desc limit $8`, [
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
