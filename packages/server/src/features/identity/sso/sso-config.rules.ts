import { type ErrorEntry, type SsoConfig, type SsoConfigInput, ssoSecretBullets } from '@arbiter/contract';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { parseDomain } from './addresses.rules.ts';
import { readCertificates } from './saml-certificates.rules.ts';

/** A stored configuration, without its secrets. */
export type SsoSettings = Required<Omit<SsoConfig, 'configured' | 'hasOidcClientSecret' | 'hasSamlCertificate'>>;

/** Secrets of a configuration, stored sealed and separately. */
export const secretFields = ['oidcClientSecret', 'samlCertificate'] as const;
export type SecretField = (typeof secretFields)[number];

/** For a tenant without a configuration (docs/design/api-access.md 4.3). */
export const defaultSettings: SsoSettings = {
  provider: 'none',
  enabled: false,
  samlEntityId: null,
  samlSsoUrl: null,
  samlAcsUrl: null,
  samlAllowUnsolicited: true,
  oidcIssuer: null,
  oidcClientId: null,
  oidcScopes: 'openid email profile',
  defaultRole: 'viewer',
  allowedDomains: [],
  autoProvision: false,
  enforceForAllUsers: false,
};

/** What happens to each secret: kept, removed or replaced. */
export type SecretChanges = Readonly<Record<SecretField, 'kept' | 'removed' | { readonly value: string }>>;

/**
 * Returns the configuration after a change. Stores domains in their comparable form. Doesn't store the default answer
 * address, which reads show, so that it follows NEXTAUTH_URL.
 */
export function mergeSettings(before: SsoSettings, input: SsoConfigInput, defaultAcsUrl: string): SsoSettings {
  const given = Object.entries(input).filter(([name]) => Object.hasOwn(defaultSettings, name));
  const merged: SsoSettings = { ...before, ...Object.fromEntries(given) };
  const domains = merged.allowedDomains.map((domain) => parseDomain(domain) ?? domain);
  const samlAcsUrl = merged.samlAcsUrl === defaultAcsUrl ? null : merged.samlAcsUrl;
  return { ...merged, samlAcsUrl, allowedDomains: [...new Set(domains)] };
}

export function secretChanges(input: SsoConfigInput): SecretChanges {
  const change = (value: string | null | undefined) => {
    if (value === undefined || value === ssoSecretBullets) return 'kept' as const;
    return value === null ? ('removed' as const) : { value };
  };
  return { oidcClientSecret: change(input.oidcClientSecret), samlCertificate: change(input.samlCertificate) };
}

/** Returns the problems of a configuration to store. `stored`: existing secrets. */
export function settingsProblems(
  before: SsoSettings,
  after: SsoSettings,
  changes: SecretChanges,
  stored: ReadonlySet<SecretField>,
  { urlProblem }: OutboundRules,
): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const say = (field: string, message: string | null): void => {
    if (message !== null) problems.push({ path: `/config/${field}`, message });
  };
  const has = (field: SecretField) => (changes[field] === 'kept' ? stored.has(field) : changes[field] !== 'removed');
  const certificate = changes.samlCertificate;
  if (typeof certificate === 'object' && readCertificates(certificate.value) === null) {
    say('samlCertificate', 'must be X.509 certificates with RSA keys of at least 2,048 bits, as PEM or base64');
  }
  // Whoever can change the address never saw the secret, and must not be able to send it elsewhere (docs/adr/0026).
  if (changes.oidcClientSecret === 'kept' && has('oidcClientSecret') && originOf(before) !== originOf(after)) {
    say('oidcClientSecret', 'must be entered again, because the issuer has changed');
  }
  if (after.oidcIssuer !== null) say('oidcIssuer', issuerProblem(after.oidcIssuer, urlProblem));
  if (after.samlSsoUrl !== null) say('samlSsoUrl', pageProblem(after.samlSsoUrl));
  if (after.samlAcsUrl !== null) say('samlAcsUrl', pageProblem(after.samlAcsUrl));
  if (!after.oidcScopes.split(' ').includes('openid')) say('oidcScopes', 'must include the scope openid');
  for (const [at, domain] of after.allowedDomains.entries()) {
    if (parseDomain(domain) === null) say(`allowedDomains/${at}`, 'must be a domain, such as example.com');
  }
  if (after.enforceForAllUsers && !after.enabled) say('enforceForAllUsers', 'requires enabled');
  if (!after.enabled) return problems;
  if (after.provider === 'none') say('enabled', 'requires a provider');
  const needed = { oidc: ['oidcIssuer', 'oidcClientId'], saml: ['samlEntityId', 'samlSsoUrl'], none: [] } as const;
  for (const field of needed[after.provider])
    if (after[field] === null) say(field, 'is required while single sign-on is enabled');
  const secret = { oidc: 'oidcClientSecret', saml: 'samlCertificate', none: null } as const;
  const field = secret[after.provider];
  if (field !== null && !has(field)) say(field, 'is required while single sign-on is enabled');
  return problems;
}

const originOf = ({ oidcIssuer }: SsoSettings): string | null =>
  oidcIssuer !== null && URL.canParse(oidcIssuer) ? new URL(oidcIssuer).origin : null;

function issuerProblem(issuer: string, urlProblem: OutboundRules['urlProblem']): string | null {
  // docs/design/api-access.md 22 "SSO": any port.
  const problem = urlProblem(issuer, { anyPort: true });
  if (problem !== null) return problem;
  const { search, hash, username, password } = new URL(issuer);
  return search + hash + username + password === '' ? null : 'must not have a query, fragment or credentials';
}

/** A page that browsers are sent to. We never call it, so only its form is checked. */
function pageProblem(text: string): string | null {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return 'must be an http or https URL';
  const { username, password, hash } = new URL(text);
  return username + password + hash === '' ? null : 'must not have a fragment or credentials';
}
