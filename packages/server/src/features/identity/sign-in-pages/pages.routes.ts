import { passwordRules } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { pageHeaders } from '../../../http/answers/form-page.ts';
import { ownPath } from '../../../http/answers/pages.ts';
import { isOwnOrigin } from '../../../http/binding/credentials.ts';
import { type Handlers, type RequestFacts, reply } from '../../../http/handler.ts';
import { basePath } from '../../../http/web-paths.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isNewPassword } from '../../../platform/formats.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { RequestTerms } from '../accounts/index.ts';
import { readSetUp } from '../second-factor/index.ts';
import { hasSso } from '../sso/index.ts';
import { backupCodesView, codeView, setUpView, signInView, type ViewFacts } from './login-views.ts';
import { createCalls } from './page-calls.ts';
import { refusalOf } from './page-messages.ts';
import type { pageOperations } from './page-operations.ts';
import { lastTenantCookie, type PagePorts } from './pages.ports.ts';
import { forgotView, inviteView, newPasswordView } from './password-views.ts';
import { closedView, registeredView, registerView } from './register-views.ts';

/** Of the half sign-in that waits for its second factor. */
const stepCookie = 'arbiter_mfa';
/** The address that was typed, for the page that says what was wrong with it: it must not stand in the address bar. */
const typedCookie = 'arbiter_typed';
const stepSeconds = 300;
const typedSeconds = 120;

type Words = Readonly<Record<string, string>>;

/** Handlers of the pages without script (docs/design/api-settled.md "Access and console"). */
export function pageRoutes(ports: PagePorts): Handlers<typeof pageOperations> {
  const { publicUrl } = ports;
  const base = basePath(publicUrl);
  const call = createCalls(ports.operationHandlers);
  const attributes = `; Path=${base}/login; HttpOnly; SameSite=Strict${publicUrl.startsWith('https:') ? '; Secure' : ''}`;
  const cookieOf = (name: string, value: string, seconds: number): string =>
    `${name}=${encodeURIComponent(value)}; Max-Age=${seconds}${attributes}`;

  const show = (html: string, cookie?: string) =>
    reply(200, html, cookie === undefined ? pageHeaders : { ...pageHeaders, 'set-cookie': cookie });

  /** The tenant, when it has single sign-on; address and cookie may name anything. */
  async function ssoTenant(tenantId: string | null, terms: RequestTerms): Promise<string | null> {
    if (tenantId === null || !isUuid(tenantId)) return null;
    return (await ports.database.withTenant(tenantId, systemActor('sign-in'), hasSso, terms)) ? tenantId : null;
  }

  /** On to a page of ours. What is not said stays out of the address. */
  function on(path: string, query: Readonly<Record<string, string | undefined>>, cookie?: string) {
    const said = Object.entries(query).filter(
      (each): each is [string, string] => each[1] !== undefined && each[1] !== '',
    );
    const text = new URLSearchParams(said).toString();
    const location = base + (text === '' ? path : `${path}?${text}`);
    return reply(303, null, { ...noStore, location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) });
  }

  /** A form of another site must not sign anybody in, or out of what they do (docs/design/quality.md T32). */
  function assertOwn({ Origin, Host }: { readonly Origin?: string; readonly Host?: string }): void {
    const sent = { headers: { origin: Origin, host: Host }, rawHeaders: [] };
    if (Origin !== undefined && isOwnOrigin(sent, { publicUrl, corsAllowedOrigins: [] })) return;
    throw new AppError('csrf_header_required', {
      detail: 'This form was submitted from another page. Submit it here instead.',
    });
  }

  /** Where a sign-in goes on: into the tenant, or to the second factor. */
  async function entered(
    facts: RequestFacts,
    answer: { readonly body: { readonly mfaToken?: string; readonly setupRequired?: true }; readonly headers?: Words },
    returnTo: string | undefined,
  ) {
    const { mfaToken, setupRequired } = answer.body;
    if (mfaToken === undefined) return on(ownPath(returnTo), {}, answer.headers?.['set-cookie']);
    if (setupRequired === true) await call('auth.mfa', facts, { action: 'setup', mfaToken });
    const step = setupRequired === true ? 'setup' : 'code';
    return on('/login', { step, returnTo }, cookieOf(stepCookie, mfaToken, stepSeconds));
  }

  return {
    login: async ({ query, headers, requestId, until }) => {
      const { step, returnTo, tenantId } = query;
      const facts: ViewFacts = { base, refused: refusalOf(query.error), returnTo, tenantId };
      if (step !== 'code' && step !== 'setup') {
        const good = [
          query.verified === 'true' ? 'Your email address is verified. You can sign in now.' : null,
          query.reset === 'true' ? 'Your password has been set. Sign in with it.' : null,
          query.sent === 'true' ? "If this address still needs to be verified, we've sent you a link." : null,
        ].find((each) => each !== null);
        const shown = {
          email: cookieFrom(headers.Cookie, typedCookie) ?? '',
          good: facts.refused === null ? (good ?? null) : null,
          ways: {
            google: ports.google !== null,
            sso: await ssoTenant(tenantId ?? cookieFrom(headers.Cookie, lastTenantCookie), { requestId, until }),
            registration: ports.signUp.isOpen,
          },
          offersResend: query.error === 'email-not-verified' || query.error === 'expired-token',
        };
        return show(signInView(facts, shown));
      }
      const mfaToken = cookieFrom(headers.Cookie, stepCookie);
      if (mfaToken === null) return on('/login', { error: 'expired-step', returnTo });
      if (step === 'code') return show(codeView(facts, query.backup === 'true'));
      const begun = await readSetUp(ports, mfaToken, { requestId, until });
      return begun === null ? on('/login', { error: 'expired-step', returnTo }) : show(setUpView(facts, begun));
    },

    signIn: async (request) => {
      const { body, headers } = request;
      assertOwn(headers);
      const { step, email = '', password = '', code = '', returnTo, tenantId } = body;
      if (step === 'resend') {
        const error = await refusedBy({ rate_limited: 'too-many', validation_failed: 'invalid-email' }, () =>
          call('auth.resendVerification', request, { email }),
        );
        return on('/login', typeof error === 'string' ? { error } : { sent: 'true' });
      }
      if (step !== 'code' && step !== 'setup') {
        const given = { email, password, ...(tenantId === undefined || tenantId === '' ? {} : { tenantId }) };
        const answer = await refusedBy(signInWords, () => call('auth.login', request, given));
        if (typeof answer !== 'string') return entered(request, answer, returnTo);
        return on(
          '/login',
          { error: answer, returnTo, tenantId },
          cookieOf(typedCookie, email.slice(0, 255), typedSeconds),
        );
      }
      const mfaToken = cookieFrom(headers.Cookie, stepCookie);
      if (mfaToken === null) return on('/login', { error: 'expired-step', returnTo });
      if (step === 'code') {
        const isBackup = body.backup === 'true';
        const wrong = isBackup ? 'invalid-backup-code' : 'invalid-code';
        const answer = await refusedBy(
          { invalid_credentials: wrong, validation_failed: wrong, sso_required: 'sso-required' },
          () => call('auth.mfa', request, { action: 'verify', mfaToken, code }),
        );
        if (answer === 'sso-required') return on('/login', { error: answer, returnTo });
        if (typeof answer !== 'string') return entered(request, { ...answer, body: {} }, returnTo);
        return on('/login', { step, error: answer, backup: isBackup ? 'true' : undefined, returnTo });
      }
      const answer = await refusedBy(
        {
          validation_failed: 'invalid-code',
          invalid_credentials: 'expired-step',
          invalid_transition: 'on',
          sso_required: 'sso-required',
        },
        () => call('auth.mfa', request, { action: 'enable', mfaToken, code }),
      );
      if (answer === 'invalid-code') return on('/login', { step, error: answer, returnTo });
      // It is on by now, maybe from another window: the code is all that is missing.
      if (answer === 'on') return on('/login', { step: 'code', returnTo });
      if (typeof answer === 'string') return on('/login', { error: answer, returnTo });
      const next = base + ownPath(returnTo);
      return show(backupCodesView(next, answer.body.backupCodes ?? []), answer.headers?.['set-cookie']);
    },

    resetPassword: async ({ query }) => {
      const refused = refusalOf(query.error);
      const { token } = query;
      if (token !== undefined && token !== '') return show(newPasswordView(base, refused, token));
      return show(forgotView(base, refused, query.sent === 'true'));
    },

    setPassword: async (request) => {
      const { body, headers } = request;
      assertOwn(headers);
      const { token, email = '', password = '', repeated } = body;
      if (token === undefined || token === '') {
        const error = isLikeAnAddress(email)
          ? await refusedBy({ rate_limited: 'too-many', validation_failed: 'invalid-email' }, () =>
              call('auth.forgotPassword', request, { email }),
            )
          : 'invalid-email';
        return on('/reset-password', typeof error === 'string' ? { error } : { sent: 'true' });
      }
      const answer =
        passwordProblem(password, repeated) ??
        (await refusedBy({ validation_failed: 'weak-password', token_invalid: 'invalid-token' }, () =>
          call('auth.resetPassword', request, { token, password }),
        ));
      if (typeof answer !== 'string') return on('/login', { reset: 'true' });
      return on('/reset-password', { error: answer, token: answer === 'invalid-token' ? undefined : token });
    },

    register: async ({ query }) => {
      if (query.sent === 'true') return show(registeredView(base));
      return show(ports.signUp.isOpen ? registerView(base, null, {}) : closedView(base));
    },

    signUp: async (request) => {
      const { body, headers } = request;
      assertOwn(headers);
      if (!ports.signUp.isOpen) return show(closedView(base));
      const { email = '', password = '', repeated } = body;
      const [name, tenantName] = [body.name?.trim() ?? '', body.tenantName?.trim() ?? ''];
      const given = { name, email: email.trim(), password, ...(tenantName === '' ? {} : { tenantName }) };
      const error =
        (name === '' || name.length > longestName ? 'no-name' : null) ??
        (isLikeAnAddress(email) ? null : 'invalid-email') ??
        (tenantName.length > longestName ? 'invalid-tenant-name' : null) ??
        passwordProblem(password, repeated) ??
        (await refusedBy(
          { rate_limited: 'too-many', validation_failed: 'invalid-email', not_configured: 'no-mail' },
          async () => {
            await request.countCall();
            return call('auth.register', request, given);
          },
        ));
      if (typeof error !== 'string') return on('/register', { sent: 'true' });
      // Shown and not led to: names and addresses must not stand in the address bar, and need not be typed again.
      return show(registerView(base, refusalOf(error), { name, email, tenantName }));
    },

    acceptInvite: async ({ query }) => show(inviteView(base, refusalOf(query.error), query.token)),

    join: async (request) => {
      const { body, headers } = request;
      assertOwn(headers);
      const { token = '', password = '', repeated } = body;
      const name = body.name?.trim() ?? '';
      if (token === '') return on('/accept-invite', { error: 'invalid-token' });
      if (name.length > longestName) return on('/accept-invite', { error: 'invalid-name', token });
      const answer =
        passwordProblem(password, repeated) ??
        (await refusedBy(
          { validation_failed: 'weak-password', token_invalid: 'invalid-token', sso_required: 'sso-required' },
          () => call('auth.acceptInvite', request, { token, password, ...(name === '' ? {} : { name }) }),
        ));
      if (answer === 'sso-required') return on('/login', { error: answer });
      if (typeof answer !== 'string') return entered(request, answer, '/');
      return on('/accept-invite', { error: answer, token: answer === 'invalid-token' ? undefined : token });
    },
  };
}

const noStore = { 'cache-control': 'no-store' } as const;
const longestName = 100;

const signInWords: Words = {
  invalid_credentials: 'invalid-credentials',
  // A field that is empty or longer than any password.
  validation_failed: 'invalid-credentials',
  email_not_verified: 'email-not-verified',
  sso_required: 'sso-required',
};

/** What the work answers, or the word for what it refused with. Other refusals are thrown on. */
async function refusedBy<T>(words: Words, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    const word = error instanceof AppError ? words[error.code] : undefined;
    if (word === undefined) throw error;
    return word;
  }
}

function passwordProblem(password: string, repeated: string | undefined): 'weak-password' | 'no-match' | null {
  const isLongEnough = password.length >= passwordRules.minimum && password.length <= passwordRules.maximum;
  if (!isLongEnough || !isNewPassword(password)) return 'weak-password';
  return password === repeated ? null : 'no-match';
}

const isLikeAnAddress = (text: string): boolean => /^[^@\s]+@[^@\s]+$/.test(text.trim());

/** A cookie of the request; null when there is none, or it was not written here. */
function cookieFrom(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key !== name || value === '') continue;
    try {
      return decodeURIComponent(value);
    } catch {
      // Half an escape: somebody else's.
      return null;
    }
  }
  return null;
}
