import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bullets, configToSend, formValues } from './sso-values.ts';

const stored = formValues({
  configured: true,
  provider: 'oidc',
  enabled: true,
  oidcIssuer: 'https://id.example.com',
  oidcClientId: 'arbiter',
  allowedDomains: ['example.com'],
  hasOidcClientSecret: true,
  hasSamlCertificate: false,
});
const edited = (change: object) => ({ config: { ...(stored.config as object), ...change } });

test('shows bullets only for a stored secret', () => {
  assert.equal(Reflect.get(stored.config as object, 'oidcClientSecret'), bullets);
  assert.equal(Reflect.get(stored.config as object, 'samlCertificate'), undefined);
});

test('sends only changes, without stored secrets', () => {
  assert.deepEqual(configToSend(stored, stored), {});
  assert.deepEqual(configToSend(stored, edited({ allowedDomains: [] })), { allowedDomains: [] });
  assert.deepEqual(configToSend(stored, edited({ oidcClientSecret: 'new' })), { oidcClientSecret: 'new' });
});

test('removes emptied values', () => {
  assert.deepEqual(configToSend(stored, edited({ oidcClientSecret: undefined, oidcIssuer: '' })), {
    oidcClientSecret: null,
    oidcIssuer: null,
  });
});

test('starts without a provider from the defaults', () => {
  const none = formValues({ configured: false, provider: 'none' });
  assert.deepEqual(configToSend(none, { config: { ...(none.config as object), provider: 'saml' } }), {
    provider: 'saml',
  });
});
