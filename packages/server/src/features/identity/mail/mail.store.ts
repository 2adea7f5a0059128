import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const mailColumns = columns(table('mails'), ['id', 'kind', 'sealed', 'createdAt', 'expiresAt']);

/** A queued email with encrypted content. */
export type MailRow = RowOf<typeof mailColumns>;

export async function insertMail(tx: Tx, { id, kind, sealed, createdAt, expiresAt }: MailRow): Promise<void> {
  await tx.query(
    'insert into arbiter.mails (tenant_id, id, kind, sealed, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
    [tx.tenantId, id, kind, sealed, createdAt, expiresAt],
  );
}

/** Returns a queued email; undefined if it was sent or has expired. */
export async function selectMail(tx: Tx, id: string): Promise<MailRow | undefined> {
  const [row] = await select(
    tx,
    mailColumns,
    'from arbiter.mails where tenant_id = $1 and id = $2 and expires_at > $3',
    [tx.tenantId, id, tx.now],
  );
  return row;
}

export async function deleteMail(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.mails where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}

const rowsPerSlice = 500;

/** Deletes the tenant's expired emails. True if there may be more. */
export async function expireMails(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.mails where tenant_id = $1 and expires_at <= $2 order by expires_at limit $3
       for update skip locked),
     gone as (delete from arbiter.mails m using due where m.tenant_id = $1 and m.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, tx.now, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
