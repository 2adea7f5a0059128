import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { joinLiveSession, liveSession } from '../sessions/index.ts';
import { joinLivingTenant } from '../tenants/index.ts';
import { emailKey } from './users.store.ts';

/** What signing in reads and writes of users. The record itself: users.store.ts. */

const users = table('users');

const membershipColumns = selectList(
  columns(
    users,
    ['tenantId', 'id', 'email', 'role', 'source', 'emailVerifiedAt', 'deactivatedAt', 'addressProven'],
    'u',
  ),
  computed({
    tenantName: expression<string>('living.name'),
    isPlayground: expression<boolean>('living.is_playground'),
  }),
);

/** A user of some tenant who has the address. */
export type TenantMembership = RowOf<typeof membershipColumns>;

/** Tenants of one person that a sign-in tries at most (docs/design/api-access.md 22). */
const maxMemberships = 10;

/**
 * Ranks how certain it is that the address's owner has this account: 0, verified or the operator's word; 1, an
 * unverified registration; 2, only claimed by a tenant, which can create any number at any time. Those come last, so
 * that they can't displace the owner's own accounts from the few that are considered.
 */
const doubt = `case when u.email_verified_at is not null and (u.address_proven or u.source = 'bootstrap') then 0
  when u.source = 'registration' then 1 else 2 end`;

/**
 * Returns users of live tenants with this address, most certain owner first, then most recently used; limited to one
 * tenant if named. Includes deactivated ones. Needs a system transaction.
 */
export async function selectMemberships(tx: Tx, email: string, tenantId: string | null): Promise<TenantMembership[]> {
  return select(
    tx,
    membershipColumns,
    `from arbiter.users u ${joinLivingTenant('u.tenant_id')}
      where u.email_key = $1 and ($2::uuid is null or u.tenant_id = $2)
      order by ${doubt}, u.last_login_at desc nulls last, u.id desc limit ${maxMemberships}`,
    [emailKey(email), tenantId],
  );
}

/** Returns the named users, most recently used first and deactivated ones last. Needs a system transaction. */
export async function selectByLastLogin(
  tx: Tx,
  places: readonly { readonly tenantId: string; readonly userId: string }[],
): Promise<TenantMembership[]> {
  if (places.length === 0) return [];
  return select(
    tx,
    membershipColumns,
    `from arbiter.users u ${joinLivingTenant('u.tenant_id')} join unnest($1::uuid[], $2::uuid[]) as place (tenant_id, id)
       on place.tenant_id = u.tenant_id and place.id = u.id
      order by u.deactivated_at is null desc, u.last_login_at desc nulls last, u.id desc`,
    [places.map(({ tenantId }) => tenantId), places.map(({ userId }) => userId)],
  );
}

const signInColumns = selectList(
  columns(
    users,
    [
      'id',
      'email',
      'name',
      'role',
      'source',
      'image',
      'emailVerifiedAt',
      'addressProven',
      'deactivatedAt',
      'lockedUntil',
      'failedLogins',
      'mailAddress',
    ],
    'u',
  ),
  computed({ passwordHash: expression<string | null>('p.password_hash') }),
);

/** A user, as signing in checks them. `passwordHash` is null for users without a password. */
export type SigningIn = RowOf<typeof signInColumns>;

const fromSigningIn = `from arbiter.users u
  left join arbiter.user_passwords p on p.tenant_id = u.tenant_id and p.user_id = u.id
  where u.tenant_id = $1 and u.id = $2`;

/** `id` is a UUID. */
export async function selectSigningIn(tx: Tx, id: string): Promise<SigningIn | undefined> {
  const [row] = await select(tx, signInColumns, fromSigningIn, [tx.tenantId, id]);
  return row;
}

/** The same, with the user locked until the transaction ends. */
export async function lockSigningIn(tx: Tx, id: string): Promise<SigningIn | undefined> {
  const [row] = await select(tx, signInColumns, `${fromSigningIn} for update of u`, [tx.tenantId, id]);
  return row;
}

/** Sets how many passwords in a row were wrong, and until when sign-in is locked. */
export async function updateFailures(tx: Tx, id: string, failed: number, lockedUntil: Date | null): Promise<void> {
  await tx.query('update arbiter.users set failed_logins = $3, locked_until = $4 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    failed,
    lockedUntil,
  ]);
}

/** Notes that the person has signed in: the count starts over. */
export async function updateLastLogin(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update arbiter.users set failed_logins = 0, locked_until = null, last_login_at = $3
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, tx.now],
  );
}

/** Notes whether the person has a second factor that is on; the factor itself is not here. */
export async function updateSecondFactor(tx: Tx, id: string, isOn: boolean): Promise<void> {
  await tx.query('update arbiter.users set second_factor = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    isOn,
  ]);
}

/** Stores the hash of a password, the first or another one. */
export async function upsertPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.query(
    `insert into arbiter.user_passwords (tenant_id, user_id, password_hash, changed_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, user_id) do update set password_hash = excluded.password_hash,
       changed_at = excluded.changed_at`,
    [tx.tenantId, userId, passwordHash, tx.now],
  );
}

export async function hasPassword(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.query('select from arbiter.user_passwords where tenant_id = $1 and user_id = $2', [
    tx.tenantId,
    userId,
  ]);
  return rows.length > 0;
}

/**
 * Deletes the password of an account with an unverified address, unless the operator set it: it came through an email
 * to another address, or another name of the account. Returns true when there was one.
 */
export async function deleteUnprovenPassword(tx: Tx, userId: string): Promise<boolean> {
  const deletedRows = await tx.query(
    `delete from arbiter.user_passwords p using arbiter.users u
      where p.tenant_id = $1 and p.user_id = $2 and u.tenant_id = p.tenant_id and u.id = p.user_id
        and u.source <> 'bootstrap' and not u.address_proven
      returning p.user_id`,
    [tx.tenantId, userId],
  );
  return deletedRows.length > 0;
}

/**
 * Notes that a mailed link, or Google, has proven the address; with the name that goes with the proof, where it has one. A
 * link that went to another address, as the directory wanted it, proves nothing about this one.
 */
export async function updateVerified(tx: Tx, id: string, name: string | null): Promise<void> {
  await tx.query(
    `update arbiter.users set email_verified_at = coalesce(email_verified_at, $3),
       address_proven = address_proven or mail_address is null or lower(mail_address) = lower(email),
       name = coalesce($4, name), updated_at = $3 where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, tx.now, name],
  );
}

/** Notes that the tenant's own identity provider vouches for the address: it counts as verified, and is not proven by that. */
export async function updateVouched(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update arbiter.users set email_verified_at = coalesce(email_verified_at, $3), updated_at = $3
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, tx.now],
  );
}

const holderColumns = selectList(columns(users, ['name', 'role'], 'u'), liveSession);

/**
 * Returns the holder of a live session: an active user in a live tenant. Before the tenant is known, so it needs a
 * system transaction.
 */
export async function selectHolder(
  tx: Tx,
  session: { readonly tenantId: string; readonly userId: string; readonly sessionId: string },
): Promise<RowOf<typeof holderColumns> | undefined> {
  const [row] = await select(
    tx,
    holderColumns,
    `from arbiter.users u ${joinLiveSession('u.tenant_id', 'u.id', '$3')} ${joinLivingTenant('u.tenant_id')}
      where u.tenant_id = $1 and u.id = $2 and u.deactivated_at is null`,
    [session.tenantId, session.userId, session.sessionId],
  );
  return row;
}
