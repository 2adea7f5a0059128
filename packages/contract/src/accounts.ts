import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, IdFilter, Name, StringEnum, Timestamp } from './core/schemas.ts';
import { userRoles } from './users.ts';

/** Accounts of persons: registration, sign-in, forgotten passwords (docs/design/api-access.md 4.2 and 22). */

/** Lengths of a password that is to be set, in characters (contract part 1, 5.7). */
export const passwordRules = { minimum: 8, maximum: 128 } as const;

/** A password that is to be set. */
export const NewPassword = (description: string) =>
  Type.String({
    minLength: passwordRules.minimum,
    maxLength: passwordRules.maximum,
    format: 'new-password',
    description: `${description} 8 to 128 characters, with at least one upper-case letter and one digit.`,
  });

/** A password that is compared: whatever is wrong with it, the answer is that of a wrong one. */
export const GivenPassword = (description: string) => Type.String({ minLength: 1, maxLength: 1_024, description });

/** An address that is to be stored, and that mail is sent to. */
export const Email = (description: string) => Type.String({ maxLength: 255, format: 'email', description });

/** An address that is looked up. Its form is not checked, so that a refusal tells nothing about it. */
const GivenEmail = Type.String({ minLength: 1, maxLength: 255, description: 'The address.' });

/** The token of a mailed link: whatever is wrong with it, the answer is that of an unknown one. */
const LinkToken = Type.String({ minLength: 1, maxLength: 255, description: 'The token of the mailed link.' });

const Registration = Type.Object(
  {
    name: Name('Name of the person.', 100),
    email: Email('Address, which is to be proven by a mailed link.'),
    password: NewPassword('Password to sign in with.'),
    tenantName: Type.Optional(Name('Display label of the new tenant. Default: made of the name.', 100)),
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
      IdFilter('Tenant to sign in to. Default: of the tenants that the password opens, the one last used.'),
    ),
  },
  { description: 'A sign-in.', examples: [{ email: 'ada@example.com', password: 'Passw0rd' }] },
);

const SignedInUser = Type.Object(
  {
    id: Id('Id of the user.'),
    name: Type.String({ description: 'Name of the user.' }),
    email: Type.String({ description: 'Address of the user.' }),
    role: StringEnum(userRoles, { description: 'What the user may do.' }),
  },
  { description: 'Who signed in.' },
);

const SignedInTenant = Type.Object(
  {
    id: Id('Id of the tenant.'),
    name: Type.String({ description: 'Display label of the tenant.' }),
    isPlayground: Type.Boolean({ description: 'True for a playground.' }),
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
    mfaToken: Type.Optional(Type.String({ description: 'Proves the password to the next step.' })),
    setupRequired: Type.Optional(
      Type.Literal(true, { description: 'The tenant wants a second factor and this user has none yet.' }),
    ),
    expiresAt: Timestamp('When the session ends unless it is used; else when `mfaToken` ends.'),
  },
  { description: 'Who signed in where; or, with `mfaRequired`, the next step.' },
);
export type SignedIn = Static<typeof SignedIn>;

const Message = Type.Object(
  { message: Type.String({ description: 'What happens next, in a sentence.' }) },
  { description: 'What happens next.' },
);

/** A tenant that the person of a session may switch to. */
export const Membership = Type.Object(
  {
    id: Id('Id of the tenant.'),
    name: Type.String({ description: 'Display label of the tenant.' }),
    isPlayground: Type.Boolean({ description: 'True for a playground.' }),
    role: StringEnum(userRoles, { description: 'What the person may do there.' }),
    current: Type.Boolean({ description: 'True for the tenant of the session.' }),
  },
  { description: 'A tenant of the person.' },
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

const signedIn = { description: 'Signed in, or the next step.', schema: SignedIn };
const updatesUser = { action: 'update', entityType: 'user' } as const;
const signInErrors = ['invalid_credentials', 'email_not_verified', 'sso_required', 'not_configured'] as const;
const tenPerHour = [{ limit: 10, windowSeconds: 3_600, per: 'ip' }] as const;
const perAddress = 'Five calls an hour for one e-mail address are answered; more are 429.';

/** Of links that are good once. */
const LookingAhead = Type.Object(
  {
    'Sec-Purpose': Type.Optional(
      Type.String({ description: 'With `prefetch`: the browser looks ahead, and the link stays as it is.' }),
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
      'The answer is always the same. A new address gets a tenant of its own, whose admin the person is, and a mail with a ' +
      'link, which must be followed before signing in; a known one gets a mail that says so.',
    rateLimits: [{ limit: 5, windowSeconds: 3_600, per: 'ip', countsValid: true }],
    body: Registration,
    responses: { 201: { description: 'A mail was sent.', schema: Message } },
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
    summary: 'Prove an address',
    description: 'The link of the mail: leads to `/login`, with `verified=true` or `error` in its query.',
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    query: Type.Object(
      { token: Type.Optional(Type.String({ description: 'The token of the mailed link.' })) },
      { description: 'The link.' },
    ),
    headers: LookingAhead,
    responses: { 302: { description: 'To `/login`.', schema: null } },
    errors: [],
    audit: [updatesUser],
  }),
  resendVerification: operation({
    ...open,
    id: 'auth.resendVerification',
    path: '/api/v1/auth/resend-verification',
    summary: 'Send the link that proves an address again',
    description: `The answer is always the same. ${perAddress}`,
    rateLimits: tenPerHour,
    body: Type.Object({ email: GivenEmail }, { description: 'Whose link.', examples: [{ email: 'ada@example.com' }] }),
    responses: { 202: { description: 'A mail was sent, if the address waits for one.', schema: Message } },
    errors: ['not_configured'],
    audit: [],
  }),
  login: operation({
    ...open,
    id: 'auth.login',
    path: '/api/v1/auth/login',
    summary: 'Sign in by address and password',
    description:
      'Sets the cookie `arbiter_session`. Five wrong passwords in a row lock the user for 15 minutes; whatever is wrong ' +
      'with address, password or user, the answer is the same until the password is right.',
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
    description: 'Ends the session of the cookie, if there is one, and takes the cookie away.',
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: 'With `arbiter_session`, the session.' })) },
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
    summary: 'Ask for a link that sets a new password',
    description: `One link for each tenant of the address. The answer is always the same. ${perAddress}`,
    rateLimits: tenPerHour,
    body: Type.Object(
      { email: GivenEmail },
      { description: 'Whose password.', examples: [{ email: 'ada@example.com' }] },
    ),
    responses: { 202: { description: 'A mail was sent, if the address is known.', schema: Message } },
    errors: ['not_configured'],
    audit: [],
  }),
  resetPassword: operation({
    ...open,
    id: 'auth.resetPassword',
    path: '/api/v1/auth/reset-password',
    summary: 'Set a new password with a mailed link',
    description: 'Also proves the address, ends every session of the user, and the lock after wrong passwords.',
    rateLimits: tenPerHour,
    body: Type.Object(
      { token: LinkToken, password: NewPassword('The new password.') },
      { description: 'The link and the new password.', examples: [{ token: 'u9…', password: 'Passw0rd' }] },
    ),
    responses: { 200: { description: 'The password is set.', schema: Message } },
    errors: ['token_invalid'],
    audit: [{ action: 'password_reset', entityType: 'user' }],
  }),
  acceptInvite: operation({
    ...open,
    id: 'auth.acceptInvite',
    path: '/api/v1/auth/accept-invite',
    summary: 'Accept an invitation',
    description: 'Sets the password, proves the address and signs in.',
    rateLimits: tenPerHour,
    body: Type.Object(
      {
        token: LinkToken,
        name: Type.Optional(Name('Name of the person. Default: the one of the invitation.', 100)),
        password: NewPassword('Password to sign in with.'),
      },
      { description: 'The link, and who accepts.', examples: [{ token: 'u9…', name: 'Ada', password: 'Passw0rd' }] },
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
    summary: 'List the tenants of the signed-in person',
    description:
      'All tenants with an account whose address was proven by a mailed link or by Google, for a session of such an account ' +
      'that was opened by password or Google; else the tenant of the session alone.',
    responses: {
      200: {
        description: 'The tenants, the one last used first.',
        schema: Type.Object(
          { data: Type.Array(Membership, { description: 'Tenants of the person.' }) },
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
    summary: 'Go on in another tenant of the person',
    description: 'The account there has a password of its own. The session here ends, another one begins there.',
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    body: Type.Object(
      {
        tenantId: Id('Tenant to go to, one of `GET /auth/tenants`.'),
        password: Type.Optional(GivenPassword('Password of the account there; none for accounts of one Google user.')),
      },
      {
        description: 'Where to go.',
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
    summary: 'Sign in by the link that the server printed',
    description:
      'For the first start: signs in the person whom the operator made the link for, once, within ten minutes.',
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    query: Type.Object(
      { token: Type.Optional(Type.String({ description: 'The token of the printed link.' })) },
      { description: 'The link.' },
    ),
    headers: LookingAhead,
    responses: { 303: { description: 'To `/`, or to `/login` with `error=expired-link`.', schema: null } },
    errors: ['not_found'],
    audit: [{ action: 'login', entityType: 'user' }],
  }),
} as const;
