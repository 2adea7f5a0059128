import type { Pagination, User } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { hasPassword, upsertPassword } from './sign-in.store.ts';
import {
  countUsers,
  insertUser,
  lockUserByEmail,
  type ShownUser,
  selectActiveRole,
  selectAddresses,
  selectUser,
  selectUsers,
  type UserFilter,
  type UserRole,
  type UserRow,
  updateNameAndRole,
} from './users.store.ts';

/** What a new user has not. */
export const nothingYet = {
  externalId: null,
  emailVerifiedAt: null,
  addressProven: false,
  deactivatedAt: null,
  lockedUntil: null,
  mailAddress: null,
} as const;

/** A user as the operator's bootstrap file names it. */
export interface NamedUser {
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  /** Returns the hash of a new user's password. Called only where it's needed. Without it, the user has none. */
  readonly hashPassword?: () => Promise<string>;
}

/**
 * Makes the user, verified, or sets name and role of the one that has the address; a password that is there stays. True when
 * anything was written (bootstrap file, docs/design/api-access.md 5.1).
 */
export async function ensureUser(tx: Tx, { hashPassword, ...wanted }: NamedUser): Promise<boolean> {
  const known = await lockUserByEmail(tx, wanted.email);
  if (known === undefined) {
    const row: UserRow = {
      ...wanted,
      id: newId(),
      source: 'bootstrap',
      ...nothingYet,
      emailVerifiedAt: tx.now,
      createdAt: tx.now,
    };
    if (!(await insertUser(tx, row))) throw new AppError('concurrent_modification');
    if (hashPassword !== undefined) await upsertPassword(tx, row.id, await hashPassword());
    await recordAudit(tx, {
      action: 'create',
      entityType: 'user',
      entityId: row.id,
      entityName: row.name,
      after: row,
    });
    return true;
  }
  // A user that an earlier version created from the same file has no password yet.
  const lacksPassword =
    hashPassword !== undefined && known.source === 'bootstrap' && !(await hasPassword(tx, known.id));
  if (lacksPassword) await upsertPassword(tx, known.id, await hashPassword());
  if (known.name === wanted.name && known.role === wanted.role && !lacksPassword) return false;
  await updateNameAndRole(tx, known.id, wanted.name, wanted.role);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: known.id,
    entityName: wanted.name,
    before: known,
    after: { ...known, name: wanted.name, role: wanted.role },
    ...(lacksPassword ? { secretsGiven: ['password'] } : {}),
  });
  return true;
}

/** Returns true for an active admin of the tenant (docs/design/quality.md E19). `id` is a UUID. */
export async function isActiveAdmin(tx: Tx, id: string): Promise<boolean> {
  return (await selectActiveRole(tx, id)) === 'admin';
}

/** `lockedUntil` of a deactivated user (docs/design/api-access.md 22). */
const lockedForEver = '2099-12-31T00:00:00.000Z';

const showUser = (row: ShownUser): User => ({
  ...row,
  emailVerifiedAt: row.emailVerifiedAt?.toISOString() ?? null,
  lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
  // The greater of the two: a deactivation has no end.
  lockedUntil: row.status === 'deactivated' ? lockedForEver : (row.lockedUntil?.toISOString() ?? null),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Returns one user. Throws 404 for ids that are malformed, unknown or foreign. */
export async function getUser(tx: Tx, id: string): Promise<User> {
  const row = isUuid(id) ? await selectUser(tx, id) : undefined;
  if (row === undefined) throw new AppError('not_found', { detail: 'This user does not exist.' });
  return showUser(row);
}

/** Returns one page of users, newest first. `cursor` is the id of the previous page's last user. */
export async function listUsers(
  tx: Tx,
  filter: UserFilter,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ data: User[]; pagination: Pagination }> {
  if (page.cursor !== null && (!isUuid(page.cursor) || (await selectUser(tx, page.cursor)) === undefined)) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const found = await selectUsers(tx, filter, page.cursor, page.limit + 1);
  const total = await countUsers(tx, filter);
  const { rows, pagination } = pageOf({ rows: found, limit: page.limit, total, cursorOf: (row) => row.id });
  return { data: rows.map(showUser), pagination };
}

/** Returns email addresses of all users of the tenant by id: how files name people. */
export const readUserAddresses = (tx: Tx): Promise<ReadonlyMap<string, string>> => selectAddresses(tx);
