import { type Operation, operation } from '@arbiter/contract';
import Type from 'typebox';

/**
 * The pages as operations, so that limits, sizes, load and log are those of the API; the API's documents leave them out
 * (docs/design/api-settled.md "Access and console"). Whatever a field holds, the page itself says what is wrong with it.
 */

const text = (description: string, maxLength = 2_048) => Type.Optional(Type.String({ maxLength, description }));

const html = { schema: Type.String({ description: 'A page.' }), mediaType: 'text/html; charset=utf-8' } as const;
const elsewhere = { description: 'Where to continue.', schema: null } as const;

const page = {
  auth: 'none',
  role: null,
  errorFormat: 'page',
  tag: 'Pages',
  loadClass: 'crud',
  errors: [],
  audit: [],
  transaction: 'own',
} as const;

const Cookie = Type.Optional(Type.String({ description: 'Sealed state of the previous step.' }));
const shown = {
  ...page,
  method: 'GET',
  headers: Type.Object({ Cookie }, { description: 'Headers.' }),
  responses: { 200: { description: 'The page.', ...html }, 303: elsewhere },
} as const;
const sent = {
  ...page,
  method: 'POST',
  // Forms cannot send the header; `Origin` replaces it.
  csrfExempt: true,
  bodyKind: 'form',
  headers: Type.Object(
    {
      Cookie,
      Origin: Type.Optional(Type.String({ description: 'Page that contains the form.' })),
      Host: Type.Optional(Type.String({ description: 'Requested URL.' })),
    },
    { description: 'Headers.' },
  ),
  responses: { 200: { description: 'Result that is shown once.', ...html }, 303: elsewhere },
} as const;

/** The same windows as those of the operations behind the forms: calls there and here count together. */
const perMinute = { limit: 20, windowSeconds: 60, per: 'ip', bucket: 'auth.login' } as const;
const tenPerHour = (bucket: string) => ({ limit: 10, windowSeconds: 3_600, per: 'ip', bucket }) as const;

const returnTo = text('Path to open after signing in.');
const tenantId = text('Tenant to sign in to.', 64);
const error = text('Error to show.', 64);
const token = text('Token of the emailed link.');

export const pageOperations = {
  login: operation({
    ...shown,
    id: 'pages.login',
    path: '/login',
    summary: 'Sign in',
    query: Type.Object(
      {
        returnTo,
        tenantId,
        error,
        step: text('code or setup: step of the second factor.', 16),
        verified: text('`true` if the email address is verified.', 8),
        reset: text('`true` if the password is set.', 8),
        sent: text('`true` if an email was sent.', 8),
        backup: text('`true` to use a backup code instead of the app.', 8),
      },
      { description: 'What the page shows.' },
    ),
  }),
  signIn: operation({
    ...sent,
    id: 'pages.signIn',
    path: '/login',
    summary: 'Submit a sign-in step',
    rateLimits: [perMinute],
    body: Type.Object(
      {
        step: text('Step: password, code, setup or resend.', 16),
        email: text('Email address.'),
        password: text('The password.'),
        code: text('Code of the second factor.'),
        backup: text('`true` if a backup code was requested.', 8),
        returnTo,
        tenantId,
      },
      { description: 'The form.' },
    ),
  }),
  resetPassword: operation({
    ...shown,
    id: 'pages.resetPassword',
    path: '/reset-password',
    summary: 'Show the password reset page',
    query: Type.Object(
      { token, error, sent: text('`true` if an email was sent.', 8) },
      { description: 'What the page shows.' },
    ),
  }),
  setPassword: operation({
    ...sent,
    id: 'pages.setPassword',
    path: '/reset-password',
    summary: 'Request a link, or set a new password with it',
    rateLimits: [tenPerHour('auth.forgotPassword'), tenPerHour('auth.resetPassword')],
    body: Type.Object(
      {
        token,
        email: text('Email address.'),
        password: text('The new password.'),
        repeated: text('The new password again.'),
      },
      { description: 'The form.' },
    ),
  }),
  register: operation({
    ...shown,
    id: 'pages.register',
    path: '/register',
    summary: 'Create an account',
    query: Type.Object({ sent: text('`true` if an email was sent.', 8) }, { description: 'What the page shows.' }),
  }),
  signUp: operation({
    ...sent,
    id: 'pages.signUp',
    path: '/register',
    summary: 'Create an account with a password',
    // As at the operation behind it, a form that is filled in wrongly does not count.
    rateLimits: [{ limit: 5, windowSeconds: 3_600, per: 'ip', bucket: 'auth.register', countsFound: true }],
    body: Type.Object(
      {
        name: text('Name of the user.'),
        email: text('Email address.'),
        tenantName: text('Name of the new tenant.'),
        password: text('The password.'),
        repeated: text('The new password again.'),
      },
      { description: 'The form.' },
    ),
  }),
  acceptInvite: operation({
    ...shown,
    id: 'pages.acceptInvite',
    path: '/accept-invite',
    summary: 'Accept an invitation',
    query: Type.Object({ token, error }, { description: 'What the page shows.' }),
  }),
  join: operation({
    ...sent,
    id: 'pages.join',
    path: '/accept-invite',
    summary: 'Accept an invitation and set a password',
    rateLimits: [tenPerHour('auth.acceptInvite')],
    body: Type.Object(
      {
        token,
        name: text('Name of the user.'),
        password: text('The new password.'),
        repeated: text('The new password again.'),
      },
      { description: 'The form.' },
    ),
  }),
} as const satisfies Record<string, Operation>;
