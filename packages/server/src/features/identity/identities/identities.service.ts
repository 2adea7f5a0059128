import { type Database, systemActor } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { insertIdentity, selectSubjectOf } from './identities.store.ts';

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

/** True when two users, of two tenants, are the same subject of the issuer. */
export async function areSameSubject(
  database: Pick<Database, 'withTenant'>,
  issuer: string,
  ...users: readonly [IdentityUserPlace, IdentityUserPlace]
): Promise<boolean> {
  const [one, other] = await Promise.all(
    users.map(({ tenantId, userId }) =>
      database.withTenant(tenantId, systemActor('sign-in'), (tx) => selectSubjectOf(tx, issuer, userId)),
    ),
  );
  return one !== undefined && one === other;
}

interface IdentityUserPlace {
  readonly tenantId: string;
  readonly userId: string;
}
