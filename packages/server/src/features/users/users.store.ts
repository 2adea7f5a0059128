import { columns, type RowOf, select, table } from '../../db/columns.ts';
import type { Tx } from '../../db/tx.ts';

const userColumns = columns(table('users'), ['id', 'email', 'name', 'role', 'source', 'emailVerifiedAt', 'createdAt']);

export type UserRow = RowOf<typeof userColumns>;
export type UserRole = UserRow['role'];
export type UserSource = UserRow['source'];

/** The address as it is compared: two spellings that differ by letter case only are one address (docs/design/quality.md E8). */
const emailKey = (email: string) => email.normalize('NFC').toLowerCase();

/** The user with this address, locked until the transaction ends. */
export async function lockUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  const [row] = await select(tx, userColumns, 'from arbiter.users where tenant_id = $1 and email_key = $2 for update', [
    tx.tenantId,
    emailKey(email),
  ]);
  return row;
}

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.query(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, email_verified_at, created_at,
       updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      tx.tenantId,
      row.id,
      row.email,
      emailKey(row.email),
      row.name,
      row.role,
      row.source,
      row.emailVerifiedAt,
      row.createdAt,
    ],
  );
}

export async function updateNameAndRole(tx: Tx, id: string, name: string, role: UserRole): Promise<void> {
  await tx.query('update arbiter.users set name = $3, role = $4, updated_at = $5 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    name,
    role,
    tx.now,
  ]);
}

/** Role of an active user; undefined when the user is unknown or deactivated. `id` is a UUID. */
export async function selectActiveRole(tx: Tx, id: string): Promise<UserRole | undefined> {
  const [row] = await select(
    tx,
    columns(table('users'), ['role']),
    'from arbiter.users where tenant_id = $1 and id = $2 and deactivated_at is null',
    [tx.tenantId, id],
  );
  return row?.role;
}

/** E-mail addresses of all users, deactivated ones too, by id. */
export async function selectAddresses(tx: Tx): Promise<ReadonlyMap<string, string>> {
  const rows = await select(tx, columns(table('users'), ['id', 'email']), 'from arbiter.users where tenant_id = $1', [
    tx.tenantId,
  ]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
