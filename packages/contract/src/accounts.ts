import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, IdFilter, StringEnum, Timestamp } from './core/schemas.ts';
import { userRoles } from './users.ts';

/** Accounts of persons: registration, sign-in, forgotten passwords (docs/design/api-access.md 4.2 and 22). */

/** Rules of passwords (contract part 1, 5.7). */
export const passwordRules = { minimum: 8, maximum: 128 } as const;

/** A password that is to be set. What it must hold besides its length the service says. */
export const NewPassword = (description: string) =>
  Type.String({
    minLength: passwordRules.minimum,
    maxLength: passwordRules.maximum,
    description: `${description} 8 to 128 characters, at least one upper-case letter and one digit.`,
  });

/** A password that is compared: whatever is wrong with it, the answer is that of a wrong one. */
const GivenPassword = Type.String({ minLength: 1, maxLength: 1_024, description: 'The password.' });

export const Address = (description: string) => Type.String({ maxLength: 255, format: 'email', description });

/** An address that is looked up: whether it can be one at all is not told. */
const GivenAddress = Type.String({ minLength: 1, maxLength: 255, description: 'The address.' });

const Login = Type.Object(
  {
    email: GivenAddress,
    password: GivenPassword,
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
      Type.Literal(true, { description: 'Nobody is signed in yet: `POST /auth/mfa` with `mfaToken` goes on.' }),
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

const open = {
  tag: 'Accounts',
  method: 'POST',
  auth: 'none',
  role: null,
  loadClass: 'crud',
  transaction: 'own',
} as const;

export const accountOperations = {
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
    responses: { 200: { description: 'Signed in, or the next step.', schema: SignedIn } },
    errors: ['invalid_credentials', 'email_not_verified', 'sso_required', 'not_configured'],
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
    errors: ['unauthorized'],
    audit: [{ action: 'logout', entityType: 'user' }],
  }),
} as const;
