import Type from 'typebox';
import { operation } from '../core/operation.ts';

/** Sign-in with Google (docs/design/api-access.md 4.2 and 22). */

const browser = {
  tag: 'Access',
  method: 'GET',
  auth: 'none',
  role: null,
  loadClass: 'crud',
  head: false,
  rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
  failurePage: 'google',
  transaction: 'own',
} as const;

export const googleOperations = {
  signIn: operation({
    ...browser,
    id: 'google.signIn',
    path: '/api/auth/signin/google',
    summary: 'Start a sign-in with Google',
    query: Type.Object(
      {
        returnTo: Type.Optional(
          Type.String({ description: 'Path on this server to open afterwards. Anything else is treated as `/`.' }),
        ),
      },
      { description: 'Where to continue.' },
    ),
    responses: { 302: { description: 'Redirects to Google, or to the login page with `error=google`.', schema: null } },
    errors: ['not_found'],
    audit: [],
  }),
  callback: operation({
    ...browser,
    id: 'google.callback',
    path: '/api/auth/callback/google',
    summary: 'Complete a sign-in with Google',
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: 'Cookie `arbiter_google`, set when the sign-in started.' })) },
      { description: 'Browser cookies.' },
    ),
    query: Type.Object(
      {
        code: Type.Optional(Type.String({ description: 'The authorization code.' })),
        state: Type.Optional(Type.String({ description: 'State, as it was sent.' })),
        iss: Type.Optional(Type.String({ description: 'The issuer (RFC 9207).' })),
        scope: Type.Optional(Type.String({ description: 'Granted scopes.' })),
        error: Type.Optional(Type.String({ description: 'Error code from Google.' })),
        error_description: Type.Optional(Type.String({ description: 'Error description from Google.' })),
      },
      { description: 'Response of Google.' },
    ),
    responses: {
      302: {
        description:
          'Signed in: redirects to the requested page and sets the session cookie. Otherwise redirects to the ' +
          'login page with `error=google`, `registration-disabled` or `sso-required`.',
        schema: null,
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
} as const;
