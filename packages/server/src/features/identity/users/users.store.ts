import type { UserStatus } from '@arbiter/contract';
import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const userColumns = columns(table('users'), [
  'id',
  'email',
  'name',
  'role',
  'source',
  'externalId',
  'emailVerifiedAt',
  'addressProven',
  'deactivatedAt',
  'lockedUntil',
  'mailAddress',
  'createdAt',
]);

export type UserRow = RowOf<typeof userColumns>;
export type UserRole = UserRow['role'];

/** Where to send a person's email, because a directory's user names may not be addresses. */
export const mailAddressOf = ({ email, mailAddress }: Pick<UserRow, 'email' | 'mailAddress'>): string =>
  mailAddress ?? email;
export type UserSource = UserRow['source'];

/** The address as it is compared: two spellings that differ by letter case only are one address (docs/design/quality.md E8). */
export const emailKey = (email: string) => email.normalize('NFC').toLowerCase();

/** The user, locked until the transaction ends. `id` is a UUID. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  const [row] = await select(tx, userColumns, 'from arbiter.users where tenant_id = $1 and id = $2 for update', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/**
 * Locks the tenant's verified, active admins and returns their ids. Take it before any other user row, and in one
 * order, so that two admins who demote each other wait instead of both succeeding.
 */
export async function lockAdmins(tx: Tx): Promise<string[]> {
  const rows = await select(
    tx,
    columns(table('users'), ['id']),
    `from arbiter.users where tenant_id = $1 and role = 'admin' and deactivated_at is null
       and email_verified_at is not null order by id for update`,
    [tx.tenantId],
  );
  return rows.map(({ id }) => id);
}

/** The user with this address, locked until the transaction ends. */
export async function lockUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  const [row] = await select(tx, userColumns, 'from arbiter.users where tenant_id = $1 and email_key = $2 for update', [
    tx.tenantId,
    emailKey(email),
  ]);
  return row;
}

/** Stores a new user; false when the tenant has one with this address, be it in another letter case. */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  const rows = await tx.query(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, email_verified_at, created_at,
       updated_at, external_id, address_proven, deactivated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)
     on conflict (tenant_id, email_key) do nothing returning id`,
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
      row.externalId,
      row.addressProven,
      row.deactivatedAt,
    ],
  );
  return rows.length > 0;
}

/** Sets or clears the deactivation. A reactivated person isn't locked either (docs/design/quality.md T11). */
export async function updateDeactivation(tx: Tx, id: string, deactivatedAt: Date | null): Promise<void> {
  await tx.query(
    `update arbiter.users set deactivated_at = $3, updated_at = $4,
       locked_until = case when $3::timestamptz is null then null else locked_until end,
       failed_logins = case when $3::timestamptz is null then 0 else failed_logins end
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, deactivatedAt, tx.now],
  );
  tx.touchCredentials();
}

export async function updateNameAndRole(tx: Tx, id: string, name: string, role: UserRole): Promise<void> {
  await tx.query('update arbiter.users set name = $3, role = $4, updated_at = $5 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    name,
    role,
    tx.now,
  ]);
  tx.touchCredentials();
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

const shownColumns = selectList(
  columns(table('users'), [
    'id',
    'name',
    'email',
    'image',
    'role',
    'source',
    'externalId',
    'emailVerifiedAt',
    'lastLoginAt',
    'lockedUntil',
    'secondFactor',
    'createdAt',
    'updatedAt',
  ]),
  computed({ status: expression<UserStatus>('status') }),
);

/** A user as answers show it. Instants are Dates. */
export type ShownUser = RowOf<typeof shownColumns>;

/** The tenant's users ($1) with their status at an instant ($2). */
const usersNow = `(
  select *, case when deactivated_at is not null then 'deactivated'
                 when locked_until > $2::timestamptz then 'locked'
                 when email_verified_at is null then 'invited' else 'active' end as status
    from arbiter.users where tenant_id = $1) u`;

export interface UserFilter {
  /** Contained in name or address, any letter case. */
  readonly search: string | null;
  readonly role: UserRole | null;
  readonly status: UserStatus | null;
}

const matches = `($3::text is null or strpos(lower(name), lower($3)) > 0 or strpos(lower(email), lower($3)) > 0)
  and ($4::text is null or role = $4) and ($5::text is null or status = $5)`;

const filterValues = (tx: Tx, { search, role, status }: UserFilter) => [tx.tenantId, tx.now, search, role, status];

/** Users newest first, older than `beforeId` when it is given. */
export async function selectUsers(
  tx: Tx,
  filter: UserFilter,
  beforeId: string | null,
  limit: number,
): Promise<ShownUser[]> {
  return select(
    tx,
    shownColumns,
    `from ${usersNow} where ${matches} and ($6::uuid is null or id < $6) order by id desc limit $7`,
    [...filterValues(tx, filter), beforeId, limit],
  );
}

export async function countUsers(tx: Tx, filter: UserFilter): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from ${usersNow} where ${matches}`,
    filterValues(tx, filter),
  );
  return row?.total ?? 0;
}

/** Returns one user, or undefined. `id` is a UUID. */
export async function selectUser(tx: Tx, id: string): Promise<ShownUser | undefined> {
  const [row] = await select(tx, shownColumns, `from ${usersNow} where id = $3`, [tx.tenantId, tx.now, id]);
  return row;
}

/** Returns the id of the user with this address, or undefined. */
export async function selectIdByEmail(tx: Tx, email: string): Promise<string | undefined> {
  const [row] = await select(
    tx,
    columns(table('users'), ['id']),
    'from arbiter.users where tenant_id = $1 and email_key = $2',
    [tx.tenantId, emailKey(email)],
  );
  return row?.id;
}

/** SQL: joins the user that `person` (a user id or `system`) names as `acting`, for statements that run before the tenant is known. */
export const joinActingUser = (tenantId: string, person: string): string =>
  `left join arbiter.users acting on acting.tenant_id = ${tenantId} and acting.id =
     case when ${person} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${person}::uuid end`;

/** SQL, after `joinActingUser`: `person` can no longer act. Fails closed: only `system` may have no row. */
export const actingIsGone = (person: string): string =>
  `(${person} <> 'system' and (acting.id is null or acting.deactivated_at is not null))`;

/** Returns email addresses of all users by id, including deactivated ones. */
export async function selectAddresses(tx: Tx): Promise<ReadonlyMap<string, string>> {
  const rows = await select(tx, columns(table('users'), ['id', 'email']), 'from arbiter.users where tenant_id = $1', [
    tx.tenantId,
  ]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
