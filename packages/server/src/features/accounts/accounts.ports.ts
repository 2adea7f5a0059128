import type { SignedIn } from '@arbiter/contract';
import type { Database, Tx } from '../../db/index.ts';
import type { Authenticate } from '../../http/principal.ts';
import type { Passwords } from '../../platform/passwords.ts';
import type { Links, Sessions } from '../sessions/index.ts';
import type { SigningIn } from '../users/index.ts';

/** A sign-in that needs another step after the password. */
export type FurtherStep = Required<Pick<SignedIn, 'mfaRequired' | 'mfaToken' | 'expiresAt'>> &
  Pick<SignedIn, 'setupRequired'>;

/** What accounts ask of features above them. */
export interface SignInPorts {
  /**
   * Another step that the person must take now that the password is proven; null: none, and the session is opened
   * (docs/design/api-access.md 22).
   */
  furtherStep(tx: Tx, person: SigningIn): Promise<FurtherStep | null>;
  /** True when the tenant of the transaction takes no password: single sign-on is the only way in. */
  requiresSso(tx: Tx): Promise<boolean>;
}

/** What accounts need of the process. */
export interface AccountDependencies {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly links: Links;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly signIn: SignInPorts;
}
