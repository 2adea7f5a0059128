import type { AnyHandler } from '../../http/handler.ts';
import type { GoogleDependencies } from '../google/index.ts';
import type { SecondFactorPorts } from '../second-factor/index.ts';

/** Ways to sign in besides the password. */
export interface SignInWays {
  readonly google: boolean;
  /** Single sign-on of the tenant that was named. */
  readonly sso: boolean;
}

/** What the pages need of the process. */
export interface PagePorts
  extends Pick<SecondFactorPorts, 'clock' | 'database' | 'envelope' | 'mfaTokens'>,
    Pick<GoogleDependencies, 'google'> {
  readonly operationHandlers: () => ReadonlyMap<string, AnyHandler>;
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
}
