import type { KeyObject } from 'node:crypto';
import { type Actor, type Database, systemActor, type Tx } from '../../db/index.ts';
import type { OnTenantCreated } from '../../feature.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { OidcError, type OidcClient, type OidcPerson, type OidcRegistration } from '../../platform/oidc.ts';
import { actorOf, openSession } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { linkIdentity, selectPlacesOf, selectSubjectOf } from '../identities/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { requiresSso } from '../sso/index.ts';
import {
  addVerifiedUser,
  lockSigningIn,
  type SigningIn,
  selectByLastLogin,
  selectMemberships,
  updateVerified,
} from '../users/index.ts';
import { attemptSeconds, type GoogleAttempt, googleCookie, newAttempt, openAttempt, sealAttempt } from './google-attempt.ts';

/** Our registration at Google, from GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and GOOGLE_ISSUER_URL. */
export interface GoogleSignIn {
  readonly registration: OidcRegistration;
  readonly oidc: OidcClient;
  /** Seals what the browser keeps; null while NEXTAUTH_SECRET is unset. */
  readonly key: KeyObject | null;
}

/** What sign-in with Google needs of the process. */
export interface GoogleDependencies {
  readonly database: Pick<Database, 'withTenant' | 'withSystem'>;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Null while GOOGLE_CLIENT_ID or GOOGLE_CLIENT_SECRET is unset. */
  readonly google: GoogleSignIn | null;
  readonly strangers: StrangerPorts;
}
