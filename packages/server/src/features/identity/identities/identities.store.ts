import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { joinLivingTenant } from '../tenants/index.ts';

const identities = table('user_identities');

/** Returns the ID of the tenant's user with this issuer and subject; undefined without one. */
export async function selectUserOf(tx: Tx, issuer: string, subject: string): Promise<string | undefined> {
  const [row] = await select(
    tx,
    columns(identities, ['userId']),
    'from arbiter.user_identities where tenant_id = $1 and issuer = $2 and subject = $3',
    [tx.tenantId, issuer, subject],
  );
  return row?.userId;
}

/** The subject that a user of the tenant is at an issuer; undefined for none. `userId` is a UUID. */
export async function selectSubjectOf(tx: Tx, issuer: string, userId: string): Promise<string | undefined> {
  const [row] = await select(
    tx,
    columns(identities, ['subject']),
    'from arbiter.user_identities where tenant_id = $1 and issuer = $2 and user_id = $3',
    [tx.tenantId, issuer, userId],
  );
  return row?.subject;
}

export async function insertIdentity(
  tx: Tx,
  row: { readonly id: string; readonly userId: string; readonly issuer: string; readonly subject: string },
): Promise<void> {
  await tx.query(
    `insert into arbiter.user_identities (tenant_id, id, user_id, issuer, subject, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [tx.tenantId, row.id, row.userId, row.issuer, row.subject, tx.now],
  );
}

const placeColumns = columns(identities, ['tenantId', 'userId'], 'i');

/** A user who is a subject, in some tenant. */
export type IdentityPlace = RowOf<typeof placeColumns>;

/** Users of living tenants who are this subject. Needs a system transaction. */
export async function selectPlacesOf(tx: Tx, issuer: string, subject: string): Promise<IdentityPlace[]> {
  return select(
    tx,
    placeColumns,
    `from arbiter.user_identities i ${joinLivingTenant('i.tenant_id')}
      where i.issuer = $1 and i.subject = $2 order by i.id`,
    [issuer, subject],
  );
}
