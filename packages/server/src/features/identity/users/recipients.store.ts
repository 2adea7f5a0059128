import type { Role } from '@arbiter/contract';
import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { mailAddressOf } from './users.store.ts';

/** Someone whom news are mailed to. */
export interface Recipient {
  readonly id: string;
  readonly email: string;
}

/** Whom to find: everyone with these roles, or these people. Unknown ids match nobody. */
export type RecipientChoice =
  | { readonly roles: readonly Role[]; readonly except: readonly string[] }
  | { readonly ids: readonly string[] };

/** Returns users who can sign in (verified, active), admins first, at most `most`. */
export async function selectRecipients(tx: Tx, choice: RecipientChoice, most: number): Promise<Recipient[]> {
  const roles = 'roles' in choice ? choice.roles : null;
  const rows = await select(
    tx,
    columns(table('users'), ['id', 'email', 'mailAddress']),
    `from arbiter.users where tenant_id = $1 and deactivated_at is null and email_verified_at is not null
       and ($2::text[] is null or role = any($2)) and id::text <> all($3::text[])
       and ($4::text[] is null or id::text = any($4))
     order by role = 'admin' desc, id limit $5`,
    [tx.tenantId, roles, 'roles' in choice ? choice.except : [], 'ids' in choice ? choice.ids : null, most],
  );
  return rows.map((row) => ({ id: row.id, email: mailAddressOf(row) }));
}
