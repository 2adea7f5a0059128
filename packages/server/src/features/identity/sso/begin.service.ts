import { randomBytes } from 'node:crypto';
import { ssoStateSeconds } from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/index.ts';
import { invalid } from '../../../platform/app-error.ts';
import { isCanonicalUuid, newId } from '../../../platform/ids.ts';
import type { OidcAttempt } from '../../../platform/oidc.ts';
import { isLivingTenant } from '../tenants/index.ts';
import { authnRequestUrl } from './saml-request.ts';
import type { SsoDependencies, SsoRequestTerms } from './sso.ports.ts';
import { callbackUrl } from './sso-addresses.ts';
import { oidcFailure } from './sso-failures.ts';
import { type Provider, readProvider, type SamlProvider } from './sso-settings.ts';
import { insertState, nameHash } from './sso-states.store.ts';

/** Name of the cookie that binds a sign-in to the browser that began it. */
export const ssoCookie = 'arbiter_sso';

/** A sign-in to begin. */
export interface Beginning {
  readonly tenantId: string;
  /** Where the browser goes afterwards: one of our own paths. */
  readonly returnTo: string;
  /** The browser's cookie value; null for a program, whose sign-in isn't bound to a browser and opens no session. */
  readonly browser: string | null;
  /** The caller's nonce; null: a new one. */
  readonly nonce: string | null;
  /** Where an OpenID provider sends the browser back to; null: to us. */
  readonly redirectUri: string | null;
}

const random = (): string => randomBytes(32).toString('base64url');

/** The browser's own value when it has one, so that two of its pages can sign in at once. */
export const browserOf = (sent: string | null): string =>
  sent !== null && /^[A-Za-z0-9_-]{43}$/.test(sent) ? sent : random();

/**
 * Stores a sign-in and answers with the address where it begins; null when the tenant is unknown or has no single sign-on.
 * Throws 502 `upstream_failed` when its provider does not answer.
 */
export async function beginSignIn(
  deps: SsoDependencies,
  begin: Beginning,
  actor: Actor,
  terms: SsoRequestTerms,
): Promise<string | null> {
  if (!isCanonicalUuid(begin.tenantId)) return null;
  const { database } = deps;
  const provider = await database.withTenant(begin.tenantId, actor, (tx) => readLivingProvider(tx, deps), terms);
  if (provider === null) return null;
  if (provider.kind === 'saml') {
    return database.withTenant(begin.tenantId, actor, (tx) => beginSaml(tx, provider, begin), terms);
  }
  const nonce = begin.nonce ?? random();
  const attempt: OidcAttempt = {
    redirectUri: begin.redirectUri ?? callbackUrl(deps.publicUrl),
    state: `${begin.tenantId}:${nonce}`,
    nonce: random(),
    codeVerifier: random(),
  };
  const url = await deps.oidc
    .begin(provider.registration, attempt, provider.settings.oidcScopes)
    .catch((error: unknown) => Promise.reject(oidcFailure(error)));
  await database.withTenant(
    begin.tenantId,
    actor,
    async (tx) => {
      const isNew = await insertState(tx, newId(), nonce, {
        ...stateOf(tx, begin),
        provider: 'oidc',
        oidcNonce: attempt.nonce,
        codeVerifier: attempt.codeVerifier,
        redirectUri: attempt.redirectUri,
      });
      if (!isNew) throw invalid('/state', 'was already used');
    },
    terms,
  );
  return url;
}

/** Returns the tenant's provider; null without one, or without such a tenant. */
async function readLivingProvider(
  tx: Tx,
  deps: Pick<SsoDependencies, 'envelope' | 'publicUrl'>,
): Promise<Provider | null> {
  return (await isLivingTenant(tx)) ? readProvider(tx, deps) : null;
}

async function beginSaml(tx: Tx, provider: SamlProvider, begin: Beginning): Promise<string> {
  // An XML id begins with a letter or an underscore.
  const id = `_${randomBytes(20).toString('hex')}`;
  const nothing = { oidcNonce: null, codeVerifier: null, redirectUri: null };
  await insertState(tx, newId(), id, { ...stateOf(tx, begin), provider: 'saml', ...nothing });
  return authnRequestUrl({
    id,
    issuedAt: tx.now,
    issuer: provider.entityId,
    ssoUrl: provider.ssoUrl,
    acsUrl: provider.acsUrl,
    relayState: tx.tenantId,
  });
}

const stateOf = (tx: Tx, { browser, returnTo }: Beginning) => ({
  browserHash: browser === null ? null : nameHash(browser),
  opensSession: browser !== null,
  returnTo,
  expiresAt: new Date(tx.now.getTime() + ssoStateSeconds * 1000),
});
