import type { Config } from '../../config.ts';
import type { GoogleProvider } from '../../features/identity/google/index.ts';
import { deriveKey, keyOf } from '../../platform/crypto/crypto.ts';
import { createOidcClient } from '../../platform/oidc.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

/** Our registration at Google; null while it is not configured, or while no session could be opened anyway. */
export function googleProvider(
  config: Pick<Config, 'GOOGLE_CLIENT_ID' | 'GOOGLE_CLIENT_SECRET' | 'GOOGLE_ISSUER_URL' | 'NEXTAUTH_SECRET'>,
  outbound: Outbound,
): GoogleProvider | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER_URL: issuer } = config;
  const root = keyOf(config.NEXTAUTH_SECRET);
  if (clientId === null || clientSecret === null || root === null) return null;
  return {
    registration: { issuer, clientId, clientSecret },
    oidc: createOidcClient(outbound, { allowHttp: true }),
    key: deriveKey(root, 'google'),
  };
}
