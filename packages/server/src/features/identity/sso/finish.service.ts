import { isUtf8 } from 'node:buffer';
import type { SsoSignIn } from '@arbiter/contract';
import { type Actor, systemActor, type Tx } from '../../../db/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { insist } from '../../../platform/deadline.ts';
import { isCanonicalUuid } from '../../../platform/ids.ts';
import { actorOf, openSession } from '../accounts/index.ts';
import { isLivingTenant } from '../tenants/index.ts';
import { lockSigningIn } from '../users/index.ts';
import { type Claimed, recognize } from './people.service.ts';
import { readAssertion } from './saml-assertion.rules.ts';
import { verifyResponse } from './saml-signature.ts';
import type { SsoDependencies, SsoRequestTerms } from './sso.ports.ts';
import { samlIssuer } from './sso-addresses.ts';
import { oidcFailure, samlFailure, ssoError } from './sso-failures.ts';
import { notEnabled, type OidcProvider, type Provider, readProvider, type SamlProvider } from './sso-settings.ts';
import { findState, insertAssertion, isAssertionUsed, nameHash, type SsoState, takeState } from './sso-states.store.ts';

/** A sign-in that came back and was good. */
export interface Finished {
  readonly answer: SsoSignIn;
  /** `Set-Cookie` of the session; null: the sign-in was begun by a program, and opens none. */
  readonly cookie: string | null;
  /** Own path that the browser is sent to. */
  readonly returnTo: string;
}

/** The actor before anyone is verified. */
export const nobody: Actor = systemActor('sso');

const badState = () => ssoError('This sign-in was not started here, has expired or was already used.');

/** The answer of an OpenID provider, as the browser brings it. */
export interface OidcAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
}

/**
 * Finishes an OpenID Connect sign-in. The tenant comes from `state`, which works once, in the browser that began the
 * sign-in. Throws 400 for missing parameters, 401 when nothing proves a person, 403 when the tenant doesn't admit the
 * person, 502 when the provider doesn't answer.
 */
export async function finishOidc(
  deps: SsoDependencies,
  sent: OidcAnswer,
  browser: string | null,
  terms: SsoRequestTerms,
): Promise<Finished> {
  if (sent.state === undefined || sent.state === '') throw invalid('query.state', 'is required');
  if (!sent.code && !sent.error) throw invalid('query.code', 'is required');
  const [tenantId = '', ...rest] = sent.state.split(':');
  const nonce = rest.join(':');
  const { provider, state } = await inTenant(deps, tenantId, terms, async (tx) => {
    const own = requireKind(await readProvider(tx, deps), 'oidc');
    return { provider: own, state: await takeState(tx, 'oidc', nonce) };
  });
  if (state === undefined || !isOwnBrowser(state, browser)) throw badState();
  const { redirectUri, oidcNonce, codeVerifier } = state;
  if (redirectUri === null || oidcNonce === null || codeVerifier === null) throw new Error('an OIDC state is complete');
  const answer = Object.entries(sent).filter((each): each is [string, string] => each[1] !== undefined);
  const claimed = await deps.oidc
    .finish(
      provider.registration,
      { redirectUri, nonce: oidcNonce, codeVerifier, state: sent.state },
      Object.fromEntries(answer),
    )
    .catch((error: unknown) => Promise.reject(oidcFailure(error)));
  // State and code are used up, and no call could bring them again: this ends in spite of the call's deadline.
  const anyTime = { ...terms, until: Infinity };
  return insist(() => enterTenant(deps, tenantId, provider, claimed, state, anyTime));
}

/** False for a browser that didn't start this sign-in. Programs have no such check. */
const isOwnBrowser = ({ browserHash }: SsoState, browser: string | null): boolean =>
  browserHash === null || (browser !== null && nameHash(browser).equals(browserHash));

/**
 * Finishes a SAML sign-in, begun by us or, where the tenant allows it, by the identity provider. It is bound to our request
 * by InResponseTo, for a POST from another site brings no cookie. Errors as in `finishOidc`.
 */
export async function finishSaml(
  deps: SsoDependencies,
  sent: { readonly SAMLResponse: string; readonly RelayState: string },
  terms: SsoRequestTerms,
): Promise<Finished> {
  const tenantId = sent.RelayState;
  const { provider, now } = await inTenant(deps, tenantId, terms, async (tx) => ({
    provider: requireKind(await readProvider(tx, deps), 'saml'),
    now: tx.now,
  }));
  const read = readResponse(sent.SAMLResponse, provider, now);
  const { assertionId: id, expiresAt, inResponseTo } = read;
  const { issuer } = read.person;
  const replayed = () => ssoError('This assertion was already used.');
  const state = await inTenant(deps, tenantId, terms, async (tx) => {
    if (await isAssertionUsed(tx, { issuer, id })) throw replayed();
    return inResponseTo === null ? undefined : findState(tx, 'saml', inResponseTo);
  });
  if (state === undefined && (inResponseTo !== null || !provider.settings.samlAllowUnsolicited)) throw badState();
  const useUp = async (tx: Tx): Promise<void> => {
    if (!(await insertAssertion(tx, { issuer, id, expiresAt }))) throw replayed();
    if (inResponseTo !== null && (await takeState(tx, 'saml', inResponseTo)) === undefined) throw badState();
  };
  // The tenant has pinned the key of its own provider, which answers for the addresses.
  const claimed: Claimed = { ...read.person, issuer: samlIssuer(read.person.issuer), emailVerified: true };
  const unsolicited = { opensSession: true, returnTo: '/' };
  return enterTenant(deps, tenantId, provider, claimed, state ?? unsolicited, terms, useUp);
}

function readResponse(encoded: string, provider: SamlProvider, now: Date) {
  try {
    const verified = verifyResponse(decode(encoded), provider.certificates);
    const { issuer, entityId: audience, acsUrl: recipient } = provider;
    return readAssertion(verified, { issuer, audience, recipient, now });
  } catch (error) {
    throw samlFailure(error);
  }
}

function decode(encoded: string): string {
  const packed = encoded.replace(/\s+/g, '');
  const bytes = Buffer.from(packed, 'base64');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || !isUtf8(bytes)) throw ssoError('SAMLResponse must be XML in base64.');
  return bytes.toString('utf8');
}

/** Runs in the tenant that the answer names. Throws 401 for an unknown tenant. */
async function inTenant<T>(
  deps: Pick<SsoDependencies, 'database'>,
  tenantId: string,
  terms: SsoRequestTerms,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (!isCanonicalUuid(tenantId)) throw badState();
  return deps.database.withTenant(
    tenantId,
    nobody,
    async (tx) => {
      if (!(await isLivingTenant(tx))) throw badState();
      return work(tx);
    },
    terms,
  );
}

function requireKind<K extends Provider['kind']>(provider: Provider | null, kind: K): Extract<Provider, { kind: K }>;
function requireKind(provider: Provider | null, kind: Provider['kind']): Provider {
  if (provider?.kind !== kind) throw notEnabled(kind === 'oidc' ? 'OpenID Connect' : 'SAML');
  return provider;
}

/**
 * Finds or creates the user, and opens the session. `useUp` consumes the proof in the transaction after which nothing
 * can fail, so an answer that was shed before can be sent again.
 */
async function enterTenant(
  deps: SsoDependencies,
  tenantId: string,
  { kind, settings }: OidcProvider | SamlProvider,
  claimed: Claimed,
  { opensSession, returnTo }: Pick<SsoState, 'opensSession' | 'returnTo'>,
  terms: SsoRequestTerms,
  useUp: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<Finished> {
  if (opensSession) deps.sessions.assertConfigured();
  const find = async (tx: Tx) => {
    const recognized = await recognize(tx, settings, claimed);
    if (!opensSession || recognized instanceof AppError) await useUp(tx);
    return recognized;
  };
  const found = await deps.database.withTenant(tenantId, nobody, find, terms);
  if (found instanceof AppError) throw found;
  const { person, created } = found;
  const { id: userId, email, name } = person;
  const answer: SsoSignIn = { userId, email, name, created, provider: kind };
  if (!opensSession) return { answer, cookie: null, returnTo };
  // From here on, the audit log names the person.
  const { cookie } = await deps.database.withTenant(
    tenantId,
    actorOf(person),
    async (tx) => {
      await useUp(tx);
      const current = await lockSigningIn(tx, userId);
      if (current === undefined || current.deactivatedAt !== null) {
        throw new AppError('forbidden', { detail: 'This user is deactivated.' });
      }
      return openSession(tx, deps.sessions, current, kind);
    },
    terms,
  );
  return { answer, cookie, returnTo };
}
