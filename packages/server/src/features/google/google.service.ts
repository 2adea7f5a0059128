import { type Actor, type Database, systemActor, type Tx } from '../../db/index.ts';
import type { OnTenantCreated } from '../../feature.ts';
import { AppError } from '../../platform/app-error.ts';
import { newId } from '../../platform/ids.ts';
import type { OidcPerson } from '../../platform/oidc.ts';
import { actorOf, openSession } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type Identity, linkIdentity, selectPlacesOf, selectSubjectOf } from '../identities/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { requiresSso } from '../sso/index.ts';
import { createTenant } from '../tenants/index.ts';
import {
  addVerifiedUser,
  lockSigningIn,
  type SigningIn,
  selectByLastLogin,
  selectMemberships,
  updateVerified,
} from '../users/index.ts';

/** What a sign-in with Google opens: the session of a member, or a tenant of the stranger's own. */

export interface EntranceDependencies {
  readonly database: Pick<Database, 'withTenant' | 'withSystem'>;
  readonly sessions: Sessions;
  readonly strangers: StrangerPorts;
}

/** How strangers become admins of a tenant of their own, as by registration. */
export interface StrangerPorts {
  /** REGISTRATION: false lets no stranger in. */
  readonly isOpen: boolean;
  /** PLAYGROUND_MODE: their tenants are playgrounds. */
  readonly isPlayground: boolean;
  /** What a new tenant is given. */
  readonly onTenantCreated: readonly OnTenantCreated[];
  /** Name of a tenant whose owner has chosen none. */
  tenantNameOf(userName: string): string;
  /** Tells a new admin by mail that the account is there, in the transaction that makes it. */
  welcome(tx: Tx, user: { readonly email: string; readonly name: string }): Promise<void>;
}

/** Of the request, for transactions of the service's own. */
export interface RequestTerms {
  readonly requestId: string;
  readonly until: number;
}

/** Somebody for whom Google has vouched, with a verified address. */
export interface GooglePerson extends Identity {
  readonly email: string;
  readonly name: string;
}

/** The person of Google's answer. Throws 403 when Google does not vouch for an address. */
export function vouchedFor({ issuer, subject, email, emailVerified, name }: OidcPerson): GooglePerson {
  if (email === null || emailVerified !== true) {
    throw new AppError('forbidden', { detail: 'Google vouches for no address.' });
  }
  return { issuer, subject, email, name: name ?? email };
}

const nobody: Actor = systemActor('google');

/**
 * Signs in whom Google vouches for (docs/design/api-access.md 4.2, 22): who was linked by the subject before; else the
 * verified user with that address is linked; else a tenant is made. Of several memberships the one last used is meant.
 * Answers with the `Set-Cookie` of the session. Throws 403 `sso_required`, `registration_disabled` or `forbidden`.
 */
export async function enterByGoogle(
  deps: EntranceDependencies,
  person: GooglePerson,
  terms: RequestTerms,
): Promise<string> {
  deps.sessions.assertConfigured();
  const { database } = deps;
  const known = await database.withSystem(
    'google',
    async (tx) => selectByLastLogin(tx, await selectPlacesOf(tx, person.issuer, person.subject)),
    terms,
  );
  const [linked] = known;
  if (linked !== undefined) return enter(deps, linked.tenantId, linked.id, (tx, user) => admit(tx, user), terms);
  const memberships = await database.withSystem('google', (tx) => selectMemberships(tx, person.email, null), terms);
  // A directory or a single sign-on of some tenant may call an address verified that was never proven to us: such a
  // membership comes after those that were.
  const inOrder = [
    ...memberships.filter((each) => each.addressProven),
    ...memberships.filter((each) => !each.addressProven),
  ];
  for (const { tenantId, id } of inOrder) {
    const cookie = await enter(deps, tenantId, id, (tx, user) => adopt(tx, user, person), terms);
    if (cookie !== null) return cookie;
  }
  return settle(deps, person, terms);
}
