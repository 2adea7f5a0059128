import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const tokens = table('user_tokens');
const linkColumns = columns(tokens, [
  'id',
  'userId',
  'purpose',
  'tokenHash',
  'givenName',
  'givenTenantName',
  'passwordHash',
  'createdAt',
  'expiresAt',
  'usedAt',
  'voidedAt',
]);

export type LinkRow = RowOf<typeof linkColumns>;
/** The purpose of a link. */
export type LinkPurpose = LinkRow['purpose'];

export async function insertLink(tx: Tx, row: LinkRow): Promise<void> {
  await tx.query(
    `insert into arbiter.user_tokens (tenant_id, id, user_id, purpose, token_hash, given_name, given_tenant_name,
       password_hash, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      tx.tenantId,
      row.id,
      row.userId,
      row.purpose,
      row.tokenHash,
      row.givenName,
      row.givenTenantName,
      row.passwordHash,
      row.createdAt,
      row.expiresAt,
    ],
  );
}

/** Tenant and user of the links with this hash. Needs a system transaction. */
export async function selectPlaces(tx: Tx, tokenHash: Buffer): Promise<{ tenantId: string; userId: string }[]> {
  return select(tx, columns(tokens, ['tenantId', 'userId']), 'from arbiter.user_tokens where token_hash = $1', [
    tokenHash,
  ]);
}

/** The link with this hash, locked until the transaction ends. */
export async function lockLink(tx: Tx, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await select(
    tx,
    linkColumns,
    'from arbiter.user_tokens where tenant_id = $1 and token_hash = $2 for update',
    [tx.tenantId, tokenHash],
  );
  return row;
}

export async function markLinkUsed(tx: Tx, id: string): Promise<void> {
  await tx.query('update arbiter.user_tokens set used_at = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    tx.now,
  ]);
}

/** Voids a person's links that were not used: of one purpose, or all; but for one of them. */
export async function voidLinks(
  tx: Tx,
  userId: string,
  purpose: LinkPurpose | null = null,
  but: string | null = null,
): Promise<void> {
  await tx.query(
    `update arbiter.user_tokens set voided_at = $3
      where tenant_id = $1 and user_id = $2 and used_at is null and voided_at is null
        and ($4::text is null or purpose = $4) and ($5::uuid is null or id <> $5)`,
    [tx.tenantId, userId, tx.now, purpose, but],
  );
}

/** Voids one link. */
export async function voidLink(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'update arbiter.user_tokens set voided_at = $3 where tenant_id = $1 and id = $2 and used_at is null and voided_at is null',
    [tx.tenantId, id, tx.now],
  );
}

const pendingColumns = columns(tokens, ['id', 'givenName', 'givenTenantName', 'passwordHash']);

/** Data of a registration whose link hasn't been followed yet. */
export type PendingRegistration = RowOf<typeof pendingColumns>;

/**
 * Returns the newest registration of an unverified address, even when its link has expired; undefined when there is
 * none.
 */
export async function selectPendingRegistration(tx: Tx, userId: string): Promise<PendingRegistration | undefined> {
  const [row] = await select(
    tx,
    pendingColumns,
    `from arbiter.user_tokens where tenant_id = $1 and user_id = $2 and purpose = 'verification' and used_at is null
       and voided_at is null order by id desc limit 1`,
    [tx.tenantId, userId],
  );
  return row;
}

/**
 * Deletes links of all tenants that expired before the instant. Keeps unverified registrations, whose password is still
 * needed when someone signs in or requests another link. Needs a system transaction.
 */
export async function deleteOldLinks(tx: Tx, before: Date): Promise<number> {
  const deletedRows = await tx.query(
    `delete from arbiter.user_tokens
      where expires_at < $1 and (purpose <> 'verification' or used_at is not null or voided_at is not null) returning id`,
    [before],
  );
  return deletedRows.length;
}
