import Type from 'typebox';
import { operation } from './core/operation.ts';

/** Sign-in with Google (contract part 1, 4.3 and 5; docs/design/api-access.md 4.2 and 22). */

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
    summary: 'Begin a sign-in with Google',
    query: Type.Object(
      {
        returnTo: Type.Optional(
          Type.String({ description: 'Own path that the browser is sent to afterwards; anything else counts as `/`.' }),
        ),
      },
      { description: 'Where to go on.' },
    ),
    responses: { 302: { description: 'To Google, or to the login page with `error=google`.', schema: null } },
    errors: ['not_found'],
    audit: [],
  }),
  callback: operation({
    ...browser,
    id: 'google.callback',
    path: '/api/auth/callback/google',
    summary: 'Finish a sign-in with Google',
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: '`arbiter_google` holds what the sign-in began with.' })) },
      { description: 'Of the browser.' },
    ),
    query: Type.Object(
      {
        code: Type.Optional(Type.String({ description: 'The authorization code.' })),
        state: Type.Optional(Type.String({ description: 'As it was sent.' })),
        iss: Type.Optional(Type.String({ description: 'The issuer (RFC 9207).' })),
        scope: Type.Optional(Type.String({ description: 'Scopes that were granted.' })),
        error: Type.Optional(Type.String({ description: 'What Google says went wrong.' })),
        error_description: Type.Optional(Type.String({ description: 'The same for people.' })),
      },
      { description: "Google's answer." },
    ),
    responses: {
      302: {
        description:
          'Signed in: the page that was asked for, with the cookie of the session. Else the login page with ' +
          '`error=google`, `registration-disabled` or `sso-required`.',
        schema: null,
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
} as const;
