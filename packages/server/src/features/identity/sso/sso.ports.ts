import type { Database } from '../../../db/index.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { OidcClient } from '../../../platform/oidc.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import type { Sessions } from '../sessions/index.ts';

/** What single sign-on needs from the process. */
export interface SsoDependencies {
  readonly database: Pick<Database, 'withTenant'>;
  readonly sessions: Sessions;
  /** Seals the secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
  /** Asks identity providers, by the rules of outbound calls. */
  readonly oidc: OidcClient;
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
  /** Origins besides our own that a provider may send browsers back to (SSO_REDIRECT_ALLOWLIST). */
  readonly ssoRedirectOrigins: readonly string[];
}

/** The request's database, for the service's own transactions. */
export interface SsoRequestTerms {
  readonly requestId: string;
  readonly until: number;
}
