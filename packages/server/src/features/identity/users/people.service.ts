import type { User } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessions, voidLinks } from '../sessions/index.ts';
import { updateFailures } from './sign-in.store.ts';
import { getUser, nothingYet } from './users.service.ts';
import {
  insertUser,
  lockAdmins,
  lockUser,
  type UserRole,
  type UserRow,
  type UserSource,
  updateDeactivation,
  updateNameAndRole,
} from './users.store.ts';

/** Changes to a tenant's people (docs/design/api-access.md 5.2). Each leaves its audit row. */

/** A person who joins the tenant. */
export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly source: UserSource;
  /** The address counts as verified from the start, because someone vouched for it. */
  readonly verified: boolean;
  /** The person has shown that the address is theirs, by a mailed link or through Google. */
  readonly addressProven?: boolean;
  readonly externalId?: string | null;
  /** Joins deactivated: may do nothing until reactivated. */
  readonly deactivated?: boolean;
}

const userNotFound = () => new AppError('not_found', { detail: 'This user does not exist.' });

/** Makes a user. Throws 409 `duplicate_email` when the tenant has one with the address, whatever its letter case. */
export async function createPerson(tx: Tx, wanted: NewPerson): Promise<UserRow> {
  const row: UserRow = {
    ...nothingYet,
    id: newId(),
    email: wanted.email,
    name: wanted.name,
    role: wanted.role,
    source: wanted.source,
    externalId: wanted.externalId ?? null,
    emailVerifiedAt: wanted.verified ? tx.now : null,
    addressProven: wanted.addressProven ?? false,
    deactivatedAt: wanted.deactivated === true ? tx.now : null,
    createdAt: tx.now,
  };
  if (!(await insertUser(tx, row))) {
    throw new AppError('duplicate_email', { detail: 'A user with this email address already exists in the tenant.' });
  }
  await recordAudit(tx, {
    action: 'create',
    entityType: 'user',
    entityId: row.id,
    entityName: row.name,
    after: row,
  });
  return row;
}

async function mustLock(tx: Tx, id: string): Promise<UserRow> {
  const row = isUuid(id) ? await lockUser(tx, id) : undefined;
  if (row === undefined) throw userNotFound();
  return row;
}

/** Throws 409 `last_admin` when nobody else could administer the tenant. */
function keepOneAdmin(admins: readonly string[], id: string): void {
  if (admins.includes(id) && admins.length === 1) {
    throw new AppError('last_admin', { detail: 'The tenant needs at least one active admin.' });
  }
}

async function recordUpdate(
  tx: Tx,
  before: UserRow,
  after: UserRow,
  secretsGiven: readonly string[] = [],
): Promise<void> {
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: after.id,
    entityName: after.name,
    before,
    after,
    secretsGiven,
  });
}

/**
 * Changes name and role. Throws 404, 400 for the role `member`, which only directories assign, and 409 `last_admin`.
 * Sessions continue and have the new role within a second. `secretsGiven` go into the same audit row.
 */
export async function changePerson(
  tx: Tx,
  id: string,
  changes: { readonly name?: string; readonly role?: UserRole },
  secretsGiven: readonly string[] = [],
): Promise<User> {
  const admins = changes.role === undefined ? [] : await lockAdmins(tx);
  const before = await mustLock(tx, id);
  const after = { ...before, name: changes.name ?? before.name, role: changes.role ?? before.role };
  const isSame = after.role === before.role && after.name === before.name;
  if (isSame && secretsGiven.length === 0) return getUser(tx, id);
  if (after.role !== before.role) {
    if (after.role === 'member') throw invalid('/role', "can't be assigned: only directories can assign it");
    if (after.role !== 'admin') keepOneAdmin(admins, id);
  }
  await updateNameAndRole(tx, id, after.name, after.role);
  await recordUpdate(tx, before, after, secretsGiven);
  return getUser(tx, id);
}

/**
 * Deactivates: every session ends, every link is void, keys that act for the person open nothing (docs/design/quality.md T11).
 * False when the person was deactivated before. Throws 404, and 409 `last_admin` unless `mayBeLast` (a directory may).
 */
export async function deactivatePerson(
  tx: Tx,
  id: string,
  { mayBeLast = false }: { readonly mayBeLast?: boolean } = {},
): Promise<boolean> {
  const admins = await lockAdmins(tx);
  const before = await mustLock(tx, id);
  if (before.deactivatedAt !== null) return false;
  if (!mayBeLast) keepOneAdmin(admins, id);
  await updateDeactivation(tx, id, tx.now);
  await endSessions(tx, id);
  await voidLinks(tx, id);
  await recordUpdate(tx, before, { ...before, deactivatedAt: tx.now });
  return true;
}

/** Brings a deactivated person back, not locked either. False when the person was active. Throws 404. */
export async function reactivatePerson(tx: Tx, id: string): Promise<boolean> {
  const before = await mustLock(tx, id);
  if (before.deactivatedAt === null) return false;
  await updateDeactivation(tx, id, null);
  await recordUpdate(tx, before, { ...before, deactivatedAt: null, lockedUntil: null });
  return true;
}

/** Ends a lock after wrong passwords and resets the count. Returns false when there was none. Throws 404. */
export async function unlockPerson(tx: Tx, id: string): Promise<boolean> {
  const before = await mustLock(tx, id);
  const wasLocked = before.lockedUntil !== null && before.lockedUntil > tx.now;
  await updateFailures(tx, id, 0, null);
  if (wasLocked) await recordUpdate(tx, before, { ...before, lockedUntil: null });
  return wasLocked;
}
