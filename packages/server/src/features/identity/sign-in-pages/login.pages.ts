import { systemActor } from '../../../db/index.ts';
import { ownPath } from '../../../http/answers/pages.ts';
import type { HandlerRequest, Handlers } from '../../../http/handler.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { RequestTerms } from '../accounts/index.ts';
import { readSetUp } from '../second-factor/index.ts';
import { hasSso } from '../sso/index.ts';
import { backupCodesView, codeView, setUpView, signInView, type ViewFacts } from './login-views.ts';
import { refusalOf } from './page-messages.ts';
import type { pageOperations } from './page-operations.ts';
import { cookieFrom, type PageReplies, pageCookies, refusedBy } from './page-replies.ts';
import { lastTenantCookie, type PagePorts } from './pages.ports.ts';

type PageOperations = typeof pageOperations;
type LoginRequest = HandlerRequest<PageOperations['login']>;
type SignInRequest = HandlerRequest<PageOperations['signIn']>;

/** Signing in: the password, the second factor, and turning the second factor on. */
export function loginPages(ports: PagePorts, pages: PageReplies): Pick<Handlers<PageOperations>, 'login' | 'signIn'> {
  return {
    login: async (request) => {
      const { step, returnTo, tenantId, error, backup } = request.query;
      const facts: ViewFacts = { base: pages.base, refused: refusalOf(error), returnTo, tenantId };
      if (step !== 'code' && step !== 'setup') return pages.show(await signInPage(ports, facts, request));
      const mfaToken = cookieFrom(request.headers.Cookie, pageCookies.step.name);
      if (mfaToken === null) return pages.redirect('/login', { error: 'expired-step', returnTo });
      if (step === 'code') return pages.show(codeView(facts, backup === 'true'));
      const setUp = await readSetUp(ports, mfaToken, { requestId: request.requestId, until: request.until });
      if (setUp === null) return pages.redirect('/login', { error: 'expired-step', returnTo });
      return pages.show(setUpView(facts, setUp));
    },
    signIn: async (request) => {
      const { body, headers } = request;
      pages.checkOwnForm(headers);
      const { step, returnTo } = body;
      if (step === 'resend') return resendVerification(pages, request);
      if (step !== 'code' && step !== 'setup') return checkPassword(pages, request);
      const mfaToken = cookieFrom(headers.Cookie, pageCookies.step.name);
      if (mfaToken === null) return pages.redirect('/login', { error: 'expired-step', returnTo });
      return step === 'code' ? checkCode(pages, request, mfaToken) : turnFactorOn(pages, request, mfaToken);
    },
  };
}

async function signInPage(ports: PagePorts, facts: ViewFacts, request: LoginRequest): Promise<string> {
  const { query, headers, requestId, until } = request;
  const good = [
    query.verified === 'true' ? 'Your email address is verified. You can sign in now.' : null,
    query.reset === 'true' ? 'Your password has been set. Sign in with it.' : null,
    query.sent === 'true' ? "If this address still needs to be verified, we've sent you a link." : null,
  ].find((each) => each !== null);
  const tenantId = query.tenantId ?? cookieFrom(headers.Cookie, lastTenantCookie);
  return signInView(facts, {
    email: cookieFrom(headers.Cookie, pageCookies.typed.name) ?? '',
    good: facts.refused === null ? (good ?? null) : null,
    ways: {
      google: ports.google !== null,
      sso: await ssoTenant(ports, tenantId, { requestId, until }),
      registration: ports.signUp.isOpen,
    },
    offersResend: query.error === 'email-not-verified' || query.error === 'expired-token',
  });
}

/** Returns the tenant if it has single sign-on. Address and cookie may name anything. */
async function ssoTenant(
  { database }: PagePorts,
  tenantId: string | null,
  terms: RequestTerms,
): Promise<string | null> {
  if (tenantId === null || !isUuid(tenantId)) return null;
  return (await database.withTenant(tenantId, systemActor('sign-in'), hasSso, terms)) ? tenantId : null;
}

async function resendVerification(pages: PageReplies, request: SignInRequest) {
  const { email = '' } = request.body;
  const error = await refusedBy({ rate_limited: 'too-many', validation_failed: 'invalid-email' }, () =>
    pages.call('auth.resendVerification', request, { email }),
  );
  return pages.redirect('/login', typeof error === 'string' ? { error } : { sent: 'true' });
}

const passwordErrors = {
  invalid_credentials: 'invalid-credentials',
  // A field that is empty or longer than any password.
  validation_failed: 'invalid-credentials',
  email_not_verified: 'email-not-verified',
  sso_required: 'sso-required',
} as const;

async function checkPassword(pages: PageReplies, request: SignInRequest) {
  const { email = '', password = '', returnTo, tenantId } = request.body;
  const credentials = { email, password, ...(tenantId === undefined || tenantId === '' ? {} : { tenantId }) };
  const answer = await refusedBy(passwordErrors, () => pages.call('auth.login', request, credentials));
  if (typeof answer !== 'string') return pages.enter(request, answer, returnTo);
  const cookie = pages.cookie(pageCookies.typed, email.slice(0, 255));
  return pages.redirect('/login', { error: answer, returnTo, tenantId }, cookie);
}

async function checkCode(pages: PageReplies, request: SignInRequest, mfaToken: string) {
  const { code = '', backup, returnTo } = request.body;
  const isBackup = backup === 'true';
  const wrong = isBackup ? 'invalid-backup-code' : 'invalid-code';
  const answer = await refusedBy(
    { invalid_credentials: wrong, validation_failed: wrong, sso_required: 'sso-required' },
    () => pages.call('auth.mfa', request, { action: 'verify', mfaToken, code }),
  );
  if (answer === 'sso-required') return pages.redirect('/login', { error: answer, returnTo });
  if (typeof answer !== 'string') return pages.enter(request, { ...answer, body: {} }, returnTo);
  const query = { step: 'code', error: answer, backup: isBackup ? 'true' : undefined, returnTo };
  return pages.redirect('/login', query);
}

const factorErrors = {
  validation_failed: 'invalid-code',
  invalid_credentials: 'expired-step',
  invalid_transition: 'on',
  sso_required: 'sso-required',
} as const;

async function turnFactorOn(pages: PageReplies, request: SignInRequest, mfaToken: string) {
  const { code = '', returnTo } = request.body;
  const answer = await refusedBy(factorErrors, () =>
    pages.call('auth.mfa', request, { action: 'enable', mfaToken, code }),
  );
  if (answer === 'invalid-code') return pages.redirect('/login', { step: 'setup', error: answer, returnTo });
  // It's already on, maybe from another window. Only the code is missing.
  if (answer === 'on') return pages.redirect('/login', { step: 'code', returnTo });
  if (typeof answer === 'string') return pages.redirect('/login', { error: answer, returnTo });
  const next = pages.base + ownPath(returnTo);
  return pages.show(backupCodesView(next, answer.body.backupCodes ?? []), answer.headers?.['set-cookie']);
}
