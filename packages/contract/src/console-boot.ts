import type { Session } from './identity/session.ts';
import type { TenantSettingsAnswer } from './identity/tenant-settings.ts';
import type { TenantStatus } from './identity/tenants.ts';

/**
 * What the server puts into the console's page, as JSON in the element `#boot`, so that the first screen waits for
 * nothing (docs/design/console.md 5.4, docs/design/api-settled.md "Access and console").
 */
export type ConsoleBoot = SignedInBoot | SignedOutBoot;

/** Ways to sign in that can be offered. */
export interface SignInFacts {
  readonly google: boolean;
  /** Whether anyone may register. */
  readonly registration: boolean;
  /** Tenant named by `?tenantId=`, or the one that was used last in this browser. */
  readonly tenantId?: string;
  /** Single sign-on of that tenant. */
  readonly sso: boolean;
}

export interface SignedOutBoot {
  readonly authenticated: false;
  readonly signIn: SignInFacts;
}

export interface SignedInBoot {
  readonly authenticated: true;
  /** The answer of `auth/session`. */
  readonly session: Session;
  /** The answer of `tenant/status`. */
  readonly tenantStatus: TenantStatus;
  /** The answer of `tenant-settings`. */
  readonly settings: TenantSettingsAnswer;
  /** The product's version. */
  readonly version: string;
  /** For signing in again over the page when the session has ended. */
  readonly signIn: SignInFacts;
}
