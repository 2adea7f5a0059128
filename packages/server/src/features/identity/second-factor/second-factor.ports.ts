import type { Database } from '../../../db/index.ts';
import type { Authenticate } from '../../../http/principal.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { SignInPorts } from '../accounts/index.ts';
import type { EnqueueMail } from '../mail/index.ts';
import type { Sessions } from '../sessions/index.ts';
import type { MfaTokens } from './mfa-tokens.ts';

/** What second factors need from the process. */
export interface SecondFactorPorts {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly database: Database;
  readonly enqueueMail: EnqueueMail;
  /** Seals secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly mfaTokens: MfaTokens;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly signIn: Pick<SignInPorts, 'requiresSso'>;
}
