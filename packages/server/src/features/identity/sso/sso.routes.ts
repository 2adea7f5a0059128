import { type ssoOperations, ssoStateSeconds } from '@arbiter/contract';
import { createPages, ownPath } from '../../../http/answers/pages.ts';
import { cookieOf } from '../../../http/binding/cookies.ts';
import { type HandlerRequest, type Handlers, reply } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isCanonicalUuid } from '../../../platform/ids.ts';
import { sessionIdOf } from '../sessions/index.ts';
import { isLivingTenant } from '../tenants/index.ts';
import { beginSignIn, browserOf, ssoCookie } from './begin.service.ts';
import { type Finished, finishOidc, finishSaml, nobody } from './finish.service.ts';
import { redirectProblem } from './redirects.rules.ts';
import { metadataXml } from './saml-request.ts';
import type { SsoDependencies } from './sso.ports.ts';
import { callbackUrl, entityIdOf } from './sso-addresses.ts';
import { configureSso, readSsoConfig } from './sso-config.service.ts';
import { selectConfig } from './sso-config.store.ts';

/** Handlers of single sign-on (docs/design/api-access.md 4.3 and 22). */
export function ssoRoutes(deps: SsoDependencies): Handlers<typeof ssoOperations> {
  const pages = createPages(deps.publicUrl);
  const secure = deps.publicUrl.startsWith('https:') ? '; Secure' : '';
  const browserCookie = (browser: string) =>
    `${ssoCookie}=${browser}; Max-Age=${ssoStateSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  const unknown = () => new AppError('not_found', { detail: 'Single sign-on is not set up on this server.' });

  /** Browsers continue to a page; programs, and sign-ins begun by a program, get the answer. */
  function shown({ answer, cookie, returnTo }: Finished, wantsPage: boolean) {
    if (cookie === null) return reply(200, answer);
    if (wantsPage) return reply(302, null, { 'set-cookie': cookie, location: pages.own(returnTo) });
    return reply(200, answer, { 'set-cookie': cookie });
  }

  return {
    get: async (tx) => reply(200, await readSsoConfig(tx, deps.publicUrl)),

    act: async (request) =>
      request.body.action === 'configure' ? configure(deps, request) : begin(deps, request, browserCookie),

    login: async ({ query, headers, requestId, until }) => {
      const browser = browserOf(cookieOf(headers.Cookie, ssoCookie));
      const { tenantId, returnTo } = query;
      const signIn = { tenantId, returnTo: ownPath(returnTo), browser, nonce: null, redirectUri: null };
      const location = await beginSignIn(deps, signIn, nobody, { requestId, until });
      if (location === null) throw unknown();
      return reply(302, null, { location, 'set-cookie': browserCookie(browser) });
    },

    callback: async ({ query, headers, wantsPage, requestId, until }) =>
      shown(await finishOidc(deps, query, cookieOf(headers.Cookie, ssoCookie), { requestId, until }), wantsPage),

    receive: async ({ body, wantsPage, requestId, until }) =>
      shown(await finishSaml(deps, body, { requestId, until }), wantsPage),

    metadata: async ({ query: { tenantId }, requestId, until }) => {
      if (!isCanonicalUuid(tenantId)) throw unknown();
      const acsUrl = await deps.database.withTenant(
        tenantId,
        nobody,
        async (tx) => {
          if (!(await isLivingTenant(tx))) throw unknown();
          return (await selectConfig(tx))?.samlAcsUrl ?? callbackUrl(deps.publicUrl);
        },
        { requestId, until },
      );
      return reply(200, metadataXml({ entityId: entityIdOf(deps.publicUrl, tenantId), acsUrl }));
    },
  };
}

type ActRequest = HandlerRequest<(typeof ssoOperations)['act']>;

async function configure(deps: SsoDependencies, request: ActRequest) {
  const { body, tenantId, actor, credentialId, requestId, until } = request;
  const { config } = body;
  if (config === undefined) throw invalid('/config', 'is required');
  const session = sessionIdOf(credentialId);
  const terms = { requestId, until };
  await deps.database.withTenant(tenantId, actor, (tx) => configureSso(tx, deps, config, session), terms);
  return reply(200, { success: true, message: 'Single sign-on was configured.' });
}

/** Begins a sign-in for a program. A session's browser gets the cookie that `browserCookie` writes. */
async function begin(deps: SsoDependencies, request: ActRequest, browserCookie: (browser: string) => string) {
  const { body, headers, tenantId, actor, credentialId, requestId, until } = request;
  const { state, redirectUri } = body;
  if (state === undefined) throw invalid('/state', 'is required');
  if (redirectUri === undefined) throw invalid('/redirectUri', 'is required');
  const problem = redirectProblem(redirectUri, [deps.publicUrl, ...deps.ssoRedirectOrigins]);
  if (problem !== null) throw invalid('/redirectUri', problem);
  const own = `${tenantId}:`;
  const nonce = state.startsWith(own) ? state.slice(own.length) : state;
  if (nonce === '') throw invalid('/state', 'must contain a nonce');
  const browser = sessionIdOf(credentialId) === null ? null : browserOf(cookieOf(headers.Cookie, ssoCookie));
  const signIn = { tenantId, returnTo: '/', browser, nonce, redirectUri };
  const authUrl = await beginSignIn(deps, signIn, actor, { requestId, until });
  if (authUrl === null) throw new AppError('validation_failed', { detail: 'Single sign-on is not configured.' });
  return reply(200, { authUrl }, browser === null ? {} : { 'set-cookie': browserCookie(browser) });
}
