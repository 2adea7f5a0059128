import type { SignedIn } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import type { OnTenantCreated } from '../../../feature.ts';
import type { RateLimitStore } from '../../../http/limits/rate-limit.ts';
import type { Authenticate } from '../../../http/principal.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { EnqueueMail } from '../mail/index.ts';
import type { Links, Sessions } from '../sessions/index.ts';
import type { SigningIn } from '../users/index.ts';

/** A sign-in that needs another step after the password. */
export type FurtherStep = Required<Pick<SignedIn, 'mfaRequired' | 'mfaToken' | 'expiresAt'>> &
  Pick<SignedIn, 'setupRequired'>;

/** What accounts need from dependent features. */
export interface SignInPorts {
  /**
   * Returns the next step once the password is verified; null: none, so the session opens (docs/design/api-access.md
   * 22).
   */
  furtherStep(tx: Tx, person: SigningIn): Promise<FurtherStep | null>;
  /** Returns true when the transaction's tenant accepts no passwords, only single sign-on. */
  requiresSso(tx: Tx): Promise<boolean>;
  /** True when one Google user signs in to both of these users, of two tenants. */
  isSameGoogleUser(one: UserPlace, other: UserPlace): Promise<boolean>;
}

/** A user of some tenant. */
export interface UserPlace {
  readonly tenantId: string;
  readonly userId: string;
}

/** How people sign up here. */
export interface SignUp {
  /** REGISTRATION. */
  readonly isOpen: boolean;
  /** PLAYGROUND_MODE: their tenants are playgrounds. */
  readonly makesPlaygrounds: boolean;
  readonly onTenantCreated: readonly OnTenantCreated[];
}

/** What accounts need from the process. */
export interface AccountDependencies {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly enqueueMail: EnqueueMail;
  /** Null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly links: Links;
  readonly passwords: Passwords;
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
  readonly rateLimits: RateLimitStore;
  readonly sessions: Sessions;
  readonly signIn: SignInPorts;
  readonly signUp: SignUp;
  /**
   * Resolves when an answer may leave that must not tell by its time whether an address is known: so long after `startedAt`
   * (monotonic ms) that the work of either case is done.
   */
  readonly evenly: (startedAt: number) => Promise<void>;
}

/** The request's database, for a service's own transactions. */
export interface RequestTerms {
  readonly requestId: string;
  readonly until: number;
}
