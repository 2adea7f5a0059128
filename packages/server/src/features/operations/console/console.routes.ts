import { randomBytes } from 'node:crypto';
import type { ConsoleBoot, Session, SignInFacts, TenantSettingsAnswer, TenantStatus } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { pageHeaders } from '../../../http/answers/form-page.ts';
import { cookieOf } from '../../../http/binding/cookies.ts';
import { sessionCookie } from '../../../http/binding/credentials.ts';
import { type AnyHandler, type Handlers, type RequestFacts, reply } from '../../../http/handler.ts';
import type { Principal } from '../../../http/principal.ts';
import { basePath } from '../../../http/web-paths.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { lastTenantCookie } from '../../identity/sign-in-pages/index.ts';
import { hasSso } from '../../identity/sso/index.ts';
import type { consoleOperations } from './console.operations.ts';
import type { ConsolePorts } from './console.ports.ts';
import { notBuiltPage, renderShell, shellHeaders } from './shell.ts';

const aYearSeconds = 31_536_000;

/** The console's page, which carries what its first screen needs (docs/design/console.md 5.4). */
export function consoleRoutes(ports: ConsolePorts): Handlers<typeof consoleOperations> {
  const { publicUrl } = ports;
  const base = basePath(publicUrl);
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const attributes = `; Max-Age=${aYearSeconds}; Path=${base}/; HttpOnly; SameSite=Lax${secure}`;
  return {
    page: async (request) => {
      const { headers, params } = request;
      const build = await ports.consoleDist.read();
      const { pathname, searchParams } = new URL(`http://self${params.target}`);
      if (build === null) {
        if (pathname === '/') return reply(200, notBuiltPage(base), pageHeaders);
        throw new AppError('not_found', { detail: 'This page does not exist.' });
      }
      const cookie = headers.Cookie ?? '';
      const lastTenant = cookieOf(cookie, lastTenantCookie);
      const principal = await provenBy(ports, cookie);
      const boot =
        (principal === null ? null : await signedIn(ports, principal, cookie, request)) ??
        (await signedOut(ports, uuidOf(searchParams.get('tenantId') ?? lastTenant), request));
      const nonce = randomBytes(18).toString('base64');
      // One answer sets one cookie: the session's first, the other at the next page.
      const setCookie =
        principal === null || !boot.authenticated
          ? undefined
          : (principal.setCookie ??
            (lastTenant === principal.tenantId ? undefined : `${lastTenantCookie}=${principal.tenantId}${attributes}`));
      return reply(200, renderShell(build.page, { base, nonce, boot }), {
        ...shellHeaders(nonce),
        ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
      });
    },
  };
}

/** What the first screen needs without a session. */
async function signedOut(
  ports: ConsolePorts,
  tenantId: string | null,
  { requestId, until }: RequestFacts,
): Promise<ConsoleBoot> {
  const sso =
    tenantId !== null &&
    (await ports.database.withTenant(tenantId, systemActor('sign-in'), hasSso, { requestId, until }));
  return { authenticated: false, signIn: signInFacts(ports, tenantId, sso) };
}

/** What the first screen needs with a session: the answers of three operations, by their own handlers. */
async function signedIn(
  ports: ConsolePorts,
  principal: Principal,
  cookie: string,
  facts: RequestFacts,
): Promise<ConsoleBoot | null> {
  const { tenantId, actor, role, credentialId } = principal;
  const call = { ...facts, tenantId, actor, role, credentialId, headers: { Cookie: cookie } };
  const session = bodyOf<Session>(await freely(handlerOf(ports, 'auth.session'))(call));
  if (!session.authenticated) return null;
  return ports.database.withTenant(
    tenantId,
    actor,
    async (tx): Promise<ConsoleBoot> => ({
      authenticated: true,
      session,
      tenantStatus: bodyOf<TenantStatus>(await inTenant(handlerOf(ports, 'tenant.status'))(tx, call)),
      settings: bodyOf<TenantSettingsAnswer>(await inTenant(handlerOf(ports, 'tenantSettings.get'))(tx, call)),
      version: ports.version,
      signIn: signInFacts(ports, tenantId, await hasSso(tx)),
    }),
    { requestId: facts.requestId, until: facts.until },
  );
}

const signInFacts = (ports: ConsolePorts, tenantId: string | null, sso: boolean): SignInFacts => ({
  google: ports.google !== null,
  registration: ports.signUp.isOpen,
  ...(tenantId === null ? {} : { tenantId }),
  sso,
});

function handlerOf({ operationHandlers }: ConsolePorts, id: string): AnyHandler {
  const handler = operationHandlers().get(id);
  if (handler === undefined) throw new Error(`the operation ${id} does not exist`);
  return handler;
}

/** Returns the person of the cookie's session; null without a session, and for one that has ended. */
async function provenBy({ authenticate }: ConsolePorts, cookie: string): Promise<Principal | null> {
  const value = cookieOf(cookie, sessionCookie);
  if (value === null) return null;
  try {
    return await authenticate({ kind: 'session', value });
  } catch (error) {
    // Sessions cannot be proven while the server has no secret for them: then nobody is signed in.
    if (error instanceof AppError && error.code === 'unauthorized') return null;
    throw error;
  }
}

const uuidOf = (text: string | null): string | null => (text !== null && isUuid(text) ? text : null);

/** Handlers are kept without their types (`http/handler.ts`); what these three take and answer, their operations say. */
const freely = (handler: AnyHandler) => handler as (call: object) => Promise<unknown>;
const inTenant = (handler: AnyHandler) => handler as (tx: Tx, call: object) => Promise<unknown>;
const bodyOf = <Body>(answer: unknown): Body => (answer as { readonly body: Body }).body;
