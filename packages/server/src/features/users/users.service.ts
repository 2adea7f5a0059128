import type { Pagination, User } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { pageOf } from '../../http/cursor-page.ts';
import { AppError } from '../../platform/app-error.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
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

/** A user as the operator's bootstrap file names it. */
export interface NamedUser {
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
}

/**
 * Makes the user, verified, or sets name and role of the one that has the address. True when anything was written
 * (bootstrap file, docs/design/api-access.md 5.1).
 */
export async function ensureUser(tx: Tx, wanted: NamedUser): Promise<boolean> {
  const known = await lockUserByEmail(tx, wanted.email);
  if (known === undefined) {
    const row: UserRow = {
      ...wanted,
      id: newId(),
      source: 'bootstrap',
      emailVerifiedAt: tx.now,
      createdAt: tx.now,
    };
    await insertUser(tx, row);
    await recordAudit(tx, {
      action: 'create',
      entityType: 'user',
      entityId: row.id,
      entityName: row.name,
      after: row,
    });
    return true;
  }
  if (known.name === wanted.name && known.role === wanted.role) return false;
  await updateNameAndRole(tx, known.id, wanted.name, wanted.role);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: known.id,
    entityName: wanted.name,
    before: known,
    after: { ...known, name: wanted.name, role: wanted.role },
  });
  return true;
}

/** True for a user of the tenant who is an admin and not deactivated (docs/design/quality.md E19). `id` is a UUID. */
export async function isActiveAdmin(tx: Tx, id: string): Promise<boolean> {
  return (await selectActiveRole(tx, id)) === 'admin';
}

const shown = (row: ShownUser): User => ({
  ...row,
  emailVerifiedAt: row.emailVerifiedAt?.toISOString() ?? null,
  lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
  lockedUntil: row.lockedUntil?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** One user; 404 for ids that are malformed, unknown or foreign. */
export async function getUser(tx: Tx, id: string): Promise<User> {
  const row = isUuid(id) ? await selectUser(tx, id) : undefined;
  if (row === undefined) throw new AppError('not_found', { detail: 'There is no such user.' });
  return shown(row);
}

/** One page of the users, newest first. `cursor` is the id of the last user of the page before. */
export async function listUsers(
  tx: Tx,
  filter: UserFilter,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ data: User[]; pagination: Pagination }> {
  if (page.cursor !== null && (!isUuid(page.cursor) || (await selectUser(tx, page.cursor)) === undefined)) {
    throw new AppError('invalid_cursor', { detail: 'The cursor names no row of this list.' });
  }
  const found = await selectUsers(tx, filter, page.cursor, page.limit + 1);
  const total = await countUsers(tx, filter);
  const { rows, pagination } = pageOf({ rows: found, limit: page.limit, total, cursorOf: (row) => row.id });
  return { data: rows.map(shown), pagination };
}

/** E-mail addresses of all users of the tenant by id: how files name people. */
export const readUserAddresses = (tx: Tx): Promise<ReadonlyMap<string, string>> => selectAddresses(tx);
