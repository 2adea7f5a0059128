import type { KeyObject } from 'node:crypto';
import type { googleOperations } from '@arbiter/contract';
import { createPages, ownPath } from '../../../http/answers/pages.ts';
import { cookieOf } from '../../../http/binding/cookies.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { insist } from '../../../platform/deadline.ts';
import { type OidcClient, OidcError, type OidcRegistration } from '../../../platform/oidc.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { type EntranceDependencies, enterByGoogle, vouchedFor } from './google.service.ts';
import { attemptSeconds, googleCookie, newAttempt, openAttempt, sealAttempt } from './google-attempt.ts';

/** Our registration at Google, from GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and GOOGLE_ISSUER_URL. */
export interface GoogleProvider {
  readonly registration: OidcRegistration;
  readonly oidc: OidcClient;
  /** Encrypts what the browser stores until it returns. */
  readonly key: KeyObject;
}

/** What sign-in with Google needs from the process. */
export interface GoogleDependencies extends EntranceDependencies {
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Null if it isn't configured, or nobody could sign in with it. */
  readonly google: GoogleProvider | null;
}

/** Refusals of which the login page tells more than that it failed (docs/design/api-access.md 22). */
const words: Readonly<Partial<Record<AppError['code'], string>>> = {
  registration_disabled: 'registration-disabled',
  sso_required: 'sso-required',
};

/** Handlers of the sign-in with Google (docs/design/api-access.md 4.2, 22). */
export function googleRoutes(deps: GoogleDependencies): Handlers<typeof googleOperations> {
  const pages = createPages(deps.publicUrl);
  const redirectUri = `${deps.publicUrl.replace(/\/+$/, '')}/api/auth/callback/google`;
  const secure = deps.publicUrl.startsWith('https:') ? '; Secure' : '';

  function provider(): GoogleProvider {
    if (deps.google !== null) return deps.google;
    throw new AppError('not_found', { detail: 'Google sign-in is not configured on this server.' });
  }

  /** The login page tells browsers. Our own faults are failures like any other. */
  function failed(error: unknown) {
    if (error instanceof OidcError) return reply(302, null, { location: pages.login({ error: 'google' }) });
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return reply(302, null, { location: pages.login({ error: words[error.code] ?? 'google' }) });
  }

  return {
    signIn: async ({ query }) => {
      const { registration, oidc, key } = provider();
      const attempt = newAttempt(redirectUri, ownPath(query.returnTo));
      try {
        const location = await oidc.begin(registration, attempt, 'openid email profile');
        const sealed = await sealAttempt(key, attempt, new Date(deps.clock.now()));
        const cookie = `${googleCookie}=${sealed}; Max-Age=${attemptSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
        return reply(302, null, { location, 'set-cookie': cookie });
      } catch (error) {
        return failed(error);
      }
    },

    callback: async ({ query, headers, requestId }) => {
      const { registration, oidc, key } = provider();
      const sealed = cookieOf(headers.Cookie, googleCookie);
      const now = new Date(deps.clock.now());
      const attempt = sealed === null ? null : await openAttempt(key, sealed, redirectUri, now);
      if (attempt === null) return reply(302, null, { location: pages.login({ error: 'google' }) });
      try {
        const answer = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
        const person = await oidc.finish(registration, attempt, Object.fromEntries(answer));
        // Google accepts a code once, so no later call could repeat this: finish despite the call's deadline.
        const cookie = await insist(() => enterByGoogle(deps, vouchedFor(person), { requestId, until: Infinity }));
        return reply(302, null, { location: pages.own(attempt.returnTo), 'set-cookie': cookie });
      } catch (error) {
        return failed(error);
      }
    },
  };
}
