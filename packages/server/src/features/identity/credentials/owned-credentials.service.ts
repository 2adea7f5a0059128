import type { CredentialsReassign, UserCredential } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { getUser, lockAdmins, roleOfUser } from '../users/index.ts';
import { roleOfScopes, scopesOfOwner } from './api-keys.rules.ts';
import { type OwnedCredential, selectOwnedCredentials, updateOwner } from './owned-credentials.store.ts';

interface Owned {
  readonly data: UserCredential[];
  readonly total: number;
}

const showCredential = (row: OwnedCredential, ownerRole: Parameters<typeof roleOfUser>[0]): UserCredential => ({
  ...row,
  scopes: [...row.scopes],
  role: roleOfScopes(scopesOfOwner(row.scopes, roleOfUser(ownerRole))),
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
});

/** Active credentials of a user, newest first. Throws 404. */
export async function listUserCredentials(tx: Tx, id: string): Promise<Owned> {
  const user = await getUser(tx, id);
  const { rows, total } = await selectOwnedCredentials(tx, user.id);
  return { data: rows.map((row) => showCredential(row, user.role)), total };
}

/**
 * Gives credentials of a user to another admin, all of them unless some are named. Throws 404 for the user, and 400 for a new
 * owner who isn't an active admin and for ids that aren't active credentials of the user.
 */
export async function reassignCredentials(
  tx: Tx,
  id: string,
  { toUserId, credentialIds }: CredentialsReassign,
): Promise<Owned> {
  const user = await getUser(tx, id);
  const to = toUserId.toLowerCase();
  if (to === user.id) throw invalid('/toUserId', 'must be another user');
  // Locked, so the new owner can't be demoted or deactivated in the meantime.
  if (!(await lockAdmins(tx)).includes(to)) throw invalid('/toUserId', 'must be an active admin of this tenant');
  const { rows } = await selectOwnedCredentials(tx, user.id);
  const named = credentialIds?.map((credentialId) => credentialId.toLowerCase());
  const problems = (named ?? []).flatMap((credentialId, at) =>
    rows.some((row) => row.id === credentialId)
      ? []
      : [{ path: `/credentialIds/${at}`, message: 'must be an active API key or OAuth client of the user' }],
  );
  if (problems.length > 0) throw new AppError('reference_not_found', { errors: problems });
  const moved = await moveAll(
    tx,
    rows.filter((row) => named?.includes(row.id) ?? true),
    { from: user.id, to },
  );
  const ownerRole = 'admin';
  return { data: moved.map((row) => showCredential(row, ownerRole)), total: moved.length };
}

async function moveAll(
  tx: Tx,
  rows: readonly OwnedCredential[],
  people: { readonly from: string; readonly to: string },
): Promise<OwnedCredential[]> {
  const moved: OwnedCredential[] = [];
  // In a fixed order of kinds, that of the audit rows.
  for (const kind of ['api_key', 'oauth_client'] as const) {
    const ofKind = rows.filter((row) => row.kind === kind);
    if (ofKind.length === 0) continue;
    const ids = await updateOwner(
      tx,
      kind,
      ofKind.map((row) => row.id),
      people,
    );
    moved.push(...ofKind.filter((row) => ids.has(row.id)));
  }
  for (const row of moved) {
    await recordAudit(tx, {
      action: 'update',
      entityType: row.kind === 'api_key' ? 'apiKey' : 'oauthClient',
      entityId: row.id,
      entityName: row.name,
      before: { id: row.id, name: row.name, prefix: row.prefix, createdBy: people.from },
      after: { id: row.id, name: row.name, prefix: row.prefix, createdBy: people.to },
    });
  }
  return moved;
}
