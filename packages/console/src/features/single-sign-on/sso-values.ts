import type { SsoConfig, SsoConfigInput } from '@arbiter/contract/identity/sso';
import { realChanges, type Values } from '../../forms/editing/changes.ts';

/** What the API takes as "keep the stored secret". */
export const bullets = '••••••••';

/** Pointers of values that the browser must not store. */
export const ssoSecrets: readonly string[] = ['/config/oidcClientSecret', '/config/samlCertificate'];

/** The stored configuration as the form edits it, with bullets for stored secrets. */
export function formValues(config: SsoConfig): Values {
  const { configured: _configured, hasOidcClientSecret, hasSamlCertificate, samlAcsUrl: _acs, ...settings } = config;
  return {
    config: {
      enabled: false,
      oidcScopes: 'openid email profile',
      defaultRole: 'viewer',
      allowedDomains: [],
      autoProvision: false,
      enforceForAllUsers: false,
      samlAllowUnsolicited: true,
      ...settings,
      ...(hasOidcClientSecret === true ? { oidcClientSecret: bullets } : {}),
      ...(hasSamlCertificate === true ? { samlCertificate: bullets } : {}),
    },
  };
}

/** Returns the changed values only. Emptied ones are null. */
export function configToSend(stored: Values, edited: Values): SsoConfigInput {
  const before = (stored.config ?? {}) as Values;
  const after = (edited.config ?? {}) as Values;
  const emptied = Object.keys(before).filter((name) => before[name] !== null && !(name in after));
  const changed = { ...realChanges(before, after), ...Object.fromEntries(emptied.map((name) => [name, null])) };
  return Object.fromEntries(
    Object.entries(changed).map(([name, value]) => [name, value === undefined || value === '' ? null : value]),
  );
}
