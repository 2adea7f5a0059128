import type { Tx } from '../../db/tx.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { insertIdentity } from './identities.store.ts';

/** A person as another provider knows them: the subject of an issuer. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Notes who a user of the tenant is elsewhere. A subject is one user of a tenant, and a user one subject of an issuer: the
 * caller has looked, and holds what keeps others from doing the same.
 */
export async function linkIdentity(
  tx: Tx,
  user: { readonly id: string; readonly name: string },
  { issuer, subject }: Identity,
): Promise<void> {
  await insertIdentity(tx, { id: newId(), userId: user.id, issuer, subject });
  // docs/design/api-settled.md "Access and console": the link of an account is a `login`.
  await recordAudit(tx, {
    action: 'login',
    entityType: 'user',
    entityId: user.id,
    entityName: user.name,
    after: { linked: { issuer, subject } },
  });
}
