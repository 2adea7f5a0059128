import type { AnyHandler } from '../../../http/handler.ts';
import type { GoogleDependencies } from '../google/index.ts';
import type { SecondFactorPorts } from '../second-factor/index.ts';

/** Names the tenant that was used last in this browser, so that its single sign-on can be offered. */
export const lastTenantCookie = 'arbiter_tenant';

/** Ways to sign in besides the password. */
export interface SignInWays {
  readonly google: boolean;
  /** Tenant whose single sign-on is offered; null: none. */
  readonly sso: string | null;
  /** Anyone may make an account. */
  readonly registration: boolean;
}

/** What the pages need of the process. */
export interface PagePorts
  extends Pick<SecondFactorPorts, 'clock' | 'database' | 'envelope' | 'mfaTokens'>,
    Pick<GoogleDependencies, 'google'> {
  readonly operationHandlers: () => ReadonlyMap<string, AnyHandler>;
  readonly signUp: { readonly isOpen: boolean };
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
}
