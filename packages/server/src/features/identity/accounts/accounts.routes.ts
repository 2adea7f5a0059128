import type { accountOperations } from '@arbiter/contract';
import { createPages } from '../../../http/answers/pages.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type AccountRequest, storeRequest } from './account-requests.service.ts';
import type { AccountDependencies, RequestTerms } from './accounts.ports.ts';
import { enterByLink } from './first-run.service.ts';
import { acceptInvitation } from './invitations.service.ts';
import { countMailTo, resetPassword } from './passwords.service.ts';
import { prepareRegistration } from './registration.service.ts';
import { type Entrance, signInByPassword } from './sign-in.service.ts';
import { signOut } from './sign-out.service.ts';
import { listTenants, switchTenant } from './tenants.service.ts';
import { verifyAddress } from './verification.service.ts';

const messages = {
  registered: 'Check your email and follow the link to continue.',
  verification: "If this address still needs to be verified, we've sent you a link.",
  forgot: "If this address is known, we've sent you a link.",
  reset: 'Your password has been set. Sign in with it.',
} as const;

/** Handlers of accounts (docs/design/api-access.md 4.2). */
export function accountRoutes(deps: AccountDependencies): Handlers<typeof accountOperations> {
  const pages = createPages(deps.publicUrl);
  return {
    register: async ({ body, requestId, until }) => {
      await evenly(deps, async () => {
        const given = await prepareRegistration(deps, body);
        await storeRequest(deps, { kind: 'register', given }, { requestId, until });
      });
      return reply(201, { message: messages.registered });
    },
    verify: async ({ query, headers, requestId, until }) => {
      refuseLookingAhead(headers);
      const outcome = await verifyAddress(deps, query.token ?? '', { requestId, until });
      return reply(302, null, { location: pages.login(outcome) });
    },
    resendVerification: async ({ body, requestId, until }) => {
      await evenly(deps, async () => {
        await countMailTo(deps.rateLimits, 'auth.resendVerification', body.email);
        await askForMail(deps, { kind: 'resendVerification', email: body.email }, { requestId, until });
      });
      return reply(202, { message: messages.verification });
    },
    login: async ({ body, requestId, until }) => {
      const { email, password, tenantId = null } = body;
      return replyOf(
        await evenly(deps, () => signInByPassword(deps, { email, password, tenantId }, { requestId, until })),
      );
    },
    logout: async ({ headers, requestId, until }) => {
      await signOut(deps, headers.Cookie, { requestId, until });
      return reply(204, null, { 'set-cookie': deps.sessions.clearedCookie });
    },
    forgotPassword: async ({ body, requestId, until }) => {
      await evenly(deps, async () => {
        await countMailTo(deps.rateLimits, 'auth.forgotPassword', body.email);
        await askForMail(deps, { kind: 'forgotPassword', email: body.email }, { requestId, until });
      });
      return reply(202, { message: messages.forgot });
    },
    resetPassword: async ({ body, requestId, until }) => {
      await resetPassword(deps, body, { requestId, until });
      return reply(200, { message: messages.reset });
    },
    acceptInvite: async ({ body, requestId, until }) =>
      replyOf(await acceptInvitation(deps, body, { requestId, until })),
    tenants: async (request) => reply(200, { data: await listTenants(deps.database, request) }),
    switchTenant: async (request) => replyOf(await switchTenant(deps, request, request.body)),
    firstRun: async ({ query, headers, requestId, until }) => {
      refuseLookingAhead(headers);
      const cookie = await enterByLink(deps, query.token ?? '', { requestId, until });
      if (cookie === null) return reply(303, null, { location: pages.login({ error: 'expired-link' }) });
      return reply(303, null, { location: pages.own('/'), 'set-cookie': cookie });
    },
  };
}

/** Refuse prefetches: the browser would show the cached page instead of calling us again. Throws 404. */
function refuseLookingAhead(headers: { readonly 'Sec-Purpose'?: string }): void {
  if (headers['Sec-Purpose']?.includes('prefetch') !== true) return;
  throw new AppError('not_found', { detail: "This link can't be opened by a prefetch." });
}

/** An answer that must not tell by its time whether the address is known, refusals included. */
async function evenly<T>({ evenly: wait }: AccountDependencies, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    await wait(startedAt);
  }
}

/** Throws 503 `not_configured` when links or email aren't possible. */
async function askForMail(deps: AccountDependencies, request: AccountRequest, terms: RequestTerms): Promise<void> {
  deps.links.assertConfigured();
  deps.enqueueMail.assertConfigured();
  await storeRequest(deps, request, terms);
}

const replyOf = ({ answer, cookie }: Entrance) =>
  cookie === null ? reply(200, answer) : reply(200, answer, { 'set-cookie': cookie });
