import type { Tx } from '../../db/tx.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import {
  insertUser,
  lockUserByEmail,
  selectActiveRole,
  selectAddresses,
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

/** E-mail addresses of all users of the tenant by id: how files name people. */
export const readUserAddresses = (tx: Tx): Promise<ReadonlyMap<string, string>> => selectAddresses(tx);
