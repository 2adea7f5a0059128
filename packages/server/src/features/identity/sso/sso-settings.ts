import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { OidcRegistration } from '../../../platform/oidc.ts';
import { readCertificates } from './saml-certificates.rules.ts';
import type { SsoDependencies } from './sso.ports.ts';
import { callbackUrl, entityIdOf } from './sso-addresses.ts';
import type { SsoSettings } from './sso-config.rules.ts';
import { openSsoSecret } from './sso-config.service.ts';
import { selectConfig } from './sso-config.store.ts';

/** An enabled configuration's provider settings, with the secrets opened. */
export type Provider = OidcProvider | SamlProvider;

interface Shared {
  readonly settings: SsoSettings;
}

export interface OidcProvider extends Shared {
  readonly kind: 'oidc';
  readonly registration: OidcRegistration;
}

export interface SamlProvider extends Shared {
  readonly kind: 'saml';
  /** Of the identity provider. */
  readonly issuer: string;
  readonly ssoUrl: string;
  /** PEM. */
  readonly certificates: readonly string[];
  /** Where it posts to. */
  readonly acsUrl: string;
  /** Ours. */
  readonly entityId: string;
}

/** The tenant's provider; null while single sign-on is off. */
export async function readProvider(
  tx: Tx,
  { envelope, publicUrl }: Pick<SsoDependencies, 'envelope' | 'publicUrl'>,
): Promise<Provider | null> {
  const settings = await selectConfig(tx);
  if (settings === undefined || !settings.enabled) return null;
  if (settings.provider === 'oidc') {
    const { oidcIssuer: issuer, oidcClientId: clientId } = settings;
    if (issuer === null || clientId === null) return null;
    const clientSecret = await openSsoSecret(tx, envelope, 'oidcClientSecret');
    return { kind: 'oidc', settings, registration: { issuer, clientId, clientSecret } };
  }
  const { samlEntityId: issuer, samlSsoUrl: ssoUrl } = settings;
  if (settings.provider !== 'saml' || issuer === null || ssoUrl === null) return null;
  return {
    kind: 'saml',
    settings,
    issuer,
    ssoUrl,
    certificates: readCertificates(await openSsoSecret(tx, envelope, 'samlCertificate')) ?? [],
    acsUrl: settings.samlAcsUrl ?? callbackUrl(publicUrl),
    entityId: entityIdOf(publicUrl, tx.tenantId),
  };
}

export const notEnabled = (protocol: string): AppError =>
  new AppError('validation_failed', { detail: `This tenant has no single sign-on with ${protocol}.` });
