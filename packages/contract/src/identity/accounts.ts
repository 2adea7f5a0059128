import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdFilter, Name, StringEnum, Timestamp } from '../core/schemas.ts';
import { userRoles } from './users.ts';

/** Accounts of persons: registration, sign-in, forgotten passwords (docs/design/api-access.md 4.2 and 22). */

/** Length limits of a new password, in characters. */
export const passwordRules = { minimum: 8, maximum: 128 } as const;

/** A new password. */
export const NewPassword = (description: string) =>
  Type.String({
    minLength: passwordRules.minimum,
    maxLength: passwordRules.maximum,
    format: 'new-password',
    description: `${description} 8 to 128 characters, with at least one uppercase letter and one digit.`,
  });

/** A password that is compared: whatever is wrong with it, the answer is that of a wrong one. */
export const GivenPassword = (description: string) => Type.String({ minLength: 1, maxLength: 1_024, description });

/** An email address to store and send email to. */
export const Email = (description: string) => Type.String({ maxLength: 255, format: 'email', description });

/** An address that is looked up. Its form is not checked, so that a refusal tells nothing about it. */
const GivenEmail = Type.String({ minLength: 1, maxLength: 255, description: 'Email address.' });

/** The token of a mailed link: whatever is wrong with it, the answer is that of an unknown one. */
const LinkToken = Type.String({ minLength: 1, maxLength: 255, description: 'Token from the emailed link.' });

const Registration = Type.Object(
  {
    name: Name('Name of the user.', 100),
    email: Email('Email address. We send a link to verify it.'),
    password: NewPassword('Password to sign in with.'),
    tenantName: Type.Optional(Name("Display name of the new tenant. Default: derived from the user's name.", 100)),
  },
  {
    description: 'A registration.',
    examples: [{ name: 'Ada Lovelace', email: 'ada@example.com', password: 'Passw0rd', tenantName: 'Engines' }],
  },
);

const Login = Type.Object(
  {
    email: GivenEmail,
    password: GivenPassword('The password.'),
    tenantId: Type.Optional(
      IdFilter('Tenant to sign in to. Default: the one used most recently among the tenants this password opens.'),
    ),
  },
  { description: 'A sign-in.', examples: [{ email: 'ada@example.com', password: 'Passw0rd' }] },
);

const SignedInUser = Type.Object(
  {
    id: Id('ID of the user.'),
    name: Type.String({ description: 'Name of the user.' }),
    email: Type.String({ description: 'Email address of the user.' }),
    role: StringEnum(userRoles, { description: 'Role of the user in this tenant.' }),
  },
  { description: 'User who signed in.' },
);

const SignedInTenant = Type.Object(
  {
    id: Id('ID of the tenant.'),
    name: Type.String({ description: 'Display name of the tenant.' }),
    isPlayground: Type.Boolean({ description: 'True for a playground tenant.' }),
  },
  { description: 'Tenant of the session.' },
);

/** A sign-in that succeeded, with the cookie; or one that needs another step, without it. */
export const SignedIn = Type.Object(
  {
    user: Type.Optional(SignedInUser),
    tenant: Type.Optional(SignedInTenant),
    mfaRequired: Type.Optional(
      Type.Literal(true, {
        description:
          'The password is correct, but sign-in needs a second factor: continue with `POST /auth/mfa` and `mfaToken`.',
      }),
    ),
    mfaToken: Type.Optional(
      Type.String({ description: 'Token that stands for the accepted password in the next step.' }),
    ),
    setupRequired: Type.Optional(
      Type.Literal(true, { description: "The tenant requires a second factor and the user hasn't set one up." }),
    ),
    expiresAt: Timestamp("When the session expires if it isn't used. With `mfaRequired`: when `mfaToken` expires."),
  },
  { description: 'The user and tenant of the session or, with `mfaRequired`, the next step.' },
);
export type SignedIn = Static<typeof SignedIn>;

const Message = Type.Object(
  { message: Type.String({ description: 'What happens next, as a sentence.' }) },
  { description: 'What happens next.' },
);

/** A tenant that the person of a session may switch to. */
export const Membership = Type.Object(
  {
    id: Id('ID of the tenant.'),
    name: Type.String({ description: 'Display name of the tenant.' }),
    isPlayground: Type.Boolean({ description: 'True for a playground tenant.' }),
    role: StringEnum(userRoles, { description: 'Role of the user in this tenant.' }),
    current: Type.Boolean({ description: 'True for the tenant of the session.' }),
  },
  { description: 'A tenant of the user.' },
);
export type Membership = Static<typeof Membership>;

const open = {
  tag: 'Accounts',
  method: 'POST',
  auth: 'none',
  role: null,
  loadClass: 'crud',
  transaction: 'own',
} as const;

const signedIn = { description: 'The session, or the next step.', schema: SignedIn };
const updatesUser = { action: 'update', entityType: 'user' } as const;
const signInErrors = ['invalid_credentials', 'email_not_verified', 'sso_required', 'not_configured'] as const;
const tenPerHour = [{ limit: 10, windowSeconds: 3_600, per: 'ip' }] as const;
const perAddress = 'At most five calls an hour for one email address; further calls get 429.';

/** For links that work once. */
const LookingAhead = Type.Object(
  {
    'Sec-Purpose': Type.Optional(
      Type.String({
        description: 'With `prefetch`, the browser is loading the page ahead of time, and the link is not used up.',
      }),
    ),
  },
  { description: 'What the call is for.' },
);

export const accountOperations = {
  register: operation({
    ...open,
    id: 'auth.register',
    path: '/api/v1/auth/register',
    summary: 'Sign up',
    description:
      'The response is always the same. For a new address, we create a tenant with the user as its admin ' +
      'and email a link that must be followed before the first sign-in. For a known address, we send an ' +
      'email that says so.',
    rateLimits: [{ limit: 5, windowSeconds: 3_600, per: 'ip', countsValid: true }],
    body: Registration,
    responses: { 201: { description: 'An email was sent.', schema: Message } },
    errors: ['registration_disabled', 'not_configured'],
    // In the new tenant: its own rows and the user's.
    audit: [],
  }),
  verify: operation({
    ...open,
    id: 'auth.verify',
    method: 'GET',
    head: false,
    path: '/api/v1/auth/verify',
    summary: 'Verify an email address',
    description: 'Follows the link from the email. Redirects to `/login` with `verified=true` or `error` in the query.',
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    query: Type.Object(
      { token: Type.Optional(Type.String({ description: 'Token from the emailed link.' })) },
      { description: 'Link from the email.' },
    ),
    headers: LookingAhead,
    responses: { 302: { description: 'Redirects to `/login`.', schema: null } },
    errors: [],
    audit: [updatesUser],
  }),
  resendVerification: operation({
    ...open,
    id: 'auth.resendVerification',
    path: '/api/v1/auth/resend-verification',
    summary: 'Resend the verification link',
    description: `The response is always the same. ${perAddress}`,
    rateLimits: tenPerHour,
    body: Type.Object(
      { email: GivenEmail },
      { description: 'Address to verify.', examples: [{ email: 'ada@example.com' }] },
    ),
    responses: {
      202: { description: 'If the address still needs to be verified, an email was sent.', schema: Message },
    },
    errors: ['not_configured'],
    audit: [],
  }),
  login: operation({
    ...open,
    id: 'auth.login',
    path: '/api/v1/auth/login',
    summary: 'Sign in with email and password',
    description:
      'Sets the cookie `arbiter_session`. Five wrong passwords in a row lock the user for 15 minutes. ' +
      'Until the password is correct, the response is the same whatever is wrong with the address, the ' +
      'password or the user.',
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    body: Login,
    responses: { 200: signedIn },
    errors: signInErrors,
    audit: [{ action: 'login', entityType: 'user' }],
  }),
  logout: operation({
    ...open,
    id: 'auth.logout',
    path: '/api/v1/auth/logout',
    summary: 'Sign out',
    description: 'Ends the session of the cookie, if there is one, and clears the cookie.',
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: 'Session cookie, `arbiter_session`.' })) },
      { description: 'The session.' },
    ),
    responses: { 204: { description: 'Signed out.', schema: null } },
    errors: [],
    audit: [{ action: 'logout', entityType: 'user' }],
  }),
  forgotPassword: operation({
    ...open,
    id: 'auth.forgotPassword',
    path: '/api/v1/auth/forgot-password',
    summary: 'Request a password reset link',
    description: `Sends one link for each tenant of the address. The response is always the same. ${perAddress}`,
    rateLimits: tenPerHour,
    body: Type.Object(
      { email: GivenEmail },
      { description: 'Account whose password to reset.', examples: [{ email: 'ada@example.com' }] },
    ),
    responses: { 202: { description: 'If the address is known, an email was sent.', schema: Message } },
    errors: ['not_configured'],
    audit: [],
  }),
  resetPassword: operation({
    ...open,
    id: 'auth.resetPassword',
    path: '/api/v1/auth/reset-password',
    summary: 'Set a new password with an emailed link',
    description: 'Also verifies the address, ends every session of the user and lifts the lock after wrong passwords.',
    rateLimits: tenPerHour,
    body: Type.Object(
      { token: LinkToken, password: NewPassword('The new password.') },
      { description: 'The link and the new password.', examples: [{ token: 'u9…', password: 'Passw0rd' }] },
    ),
    responses: { 200: { description: 'The password was set.', schema: Message } },
    errors: ['token_invalid'],
    audit: [{ action: 'password_reset', entityType: 'user' }],
  }),
  acceptInvite: operation({
    ...open,
    id: 'auth.acceptInvite',
    path: '/api/v1/auth/accept-invite',
    summary: 'Accept an invitation',
    description: 'Sets the password, verifies the address and signs in.',
    rateLimits: tenPerHour,
    body: Type.Object(
      {
        token: LinkToken,
        name: Type.Optional(Name('Name of the user. Default: the name in the invitation.', 100)),
        password: NewPassword('Password to sign in with.'),
      },
      {
        description: 'The invitation and the new user.',
        examples: [{ token: 'u9…', name: 'Ada', password: 'Passw0rd' }],
      },
    ),
    responses: { 200: signedIn },
    errors: ['token_invalid', 'sso_required', 'not_configured'],
    audit: [updatesUser, { action: 'login', entityType: 'user' }],
  }),
  tenants: operation({
    ...open,
    id: 'auth.tenants',
    method: 'GET',
    auth: 'session',
    role: 'viewer',
    path: '/api/v1/auth/tenants',
    summary: 'List the tenants of the signed-in user',
    description:
      'For a session opened by password or Google: all tenants with an account whose address was verified ' +
      'by email or Google. For other sessions: the current tenant only.',
    responses: {
      200: {
        description: 'Tenants, most recently used first.',
        schema: Type.Object(
          { data: Type.Array(Membership, { description: 'Tenants of the user.' }) },
          { description: 'The tenants.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
  switchTenant: operation({
    ...open,
    id: 'auth.switchTenant',
    auth: 'session',
    role: 'viewer',
    path: '/api/v1/auth/switch-tenant',
    summary: 'Switch to another tenant',
    description: 'The account in the other tenant has its own password. Ends this session and starts one there.',
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    body: Type.Object(
      {
        tenantId: Id('Tenant to switch to, from `GET /auth/tenants`.'),
        password: Type.Optional(
          GivenPassword(
            'Password of the account in that tenant. Omit it for accounts that sign in with the same Google user.',
          ),
        ),
      },
      {
        description: 'The tenant to switch to.',
        examples: [{ tenantId: '0193f000-0000-7000-8000-000000000001', password: 'Passw0rd' }],
      },
    ),
    responses: { 200: signedIn },
    errors: ['reference_not_found', ...signInErrors],
    // In the other tenant: the sign-in.
    audit: [],
  }),
  firstRun: operation({
    ...open,
    id: 'auth.firstRun',
    method: 'GET',
    head: false,
    path: '/first-run',
    summary: 'Sign in with the link the server printed',
    description:
      'For the first start. Signs in the user the operator created the link for. The link works once, for ten minutes.',
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    query: Type.Object(
      { token: Type.Optional(Type.String({ description: 'Token from the printed link.' })) },
      { description: 'Link from the email.' },
    ),
    headers: LookingAhead,
    responses: { 303: { description: 'Redirects to `/`, or to `/login` with `error=expired-link`.', schema: null } },
    errors: ['not_found'],
    audit: [{ action: 'login', entityType: 'user' }],
  }),
} as const;
