import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { IdText, StringEnum } from '../core/schemas.ts';
import { SignedIn } from './accounts.ts';
import { User } from './users.ts';

/**
 * Second factor for people who sign in with a password: codes of an authenticator app, RFC 6238
 * (docs/design/api-access.md 22).
 */

const SecondFactorStep = Type.Object(
  {
    action: StringEnum(['setup', 'enable', 'verify', 'disable'], {
      description:
        'setup: get a secret for the authenticator app. enable: confirm that the app has it. verify: complete a sign-in. disable: turn it off.',
    }),
    mfaToken: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'Token from the sign-in that requires a second factor. Required for verify; setup and enable accept it instead of a session.',
      }),
    ),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description:
          'Six digits from the authenticator app. verify and disable also accept a backup code. Spaces and dashes are ignored.',
      }),
    ),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_024, description: 'Your password. Required for disable.' }),
    ),
  },
  {
    description: 'A step.',
    examples: [{ action: 'setup' }, { action: 'enable', code: '287082' }],
  },
);
export type SecondFactorStep = Static<typeof SecondFactorStep>;

/** Answers of all steps in one schema. A step leaves out what it doesn't have. */
const SecondFactorAnswer = Type.Object(
  {
    secret: Type.Optional(Type.String({ description: 'setup: the secret in base32, to type into the app.' })),
    otpauthUrl: Type.Optional(Type.String({ description: 'setup: the same secret as a URI, to show as a QR code.' })),
    enabled: Type.Optional(Type.Boolean({ description: 'enable and disable: whether the second factor is on.' })),
    backupCodes: Type.Optional(
      Type.Array(Type.String({ description: 'A single-use code.' }), {
        description: 'enable: backup codes in case you lose the app. Shown only once.',
      }),
    ),
    ...Type.Partial(SignedIn).properties,
  },
  { description: 'Result of the step. Includes user, tenant and expiresAt if it opened a session.' },
);
export type SecondFactorAnswer = Static<typeof SecondFactorAnswer>;

export const secondFactorOperations = {
  step: operation({
    id: 'auth.mfa',
    method: 'POST',
    path: '/api/v1/auth/mfa',
    tag: 'Accounts',
    summary: 'Set up, verify or disable the second factor',
    description:
      'When a password sign-in needs a second factor, it answers `mfaRequired` with an `mfaToken` that is ' +
      'valid for five minutes, and sets no cookie. `verify` completes the sign-in. With `setupRequired`, ' +
      'the tenant requires a second factor and the user has none yet: call `setup` and `enable` with the ' +
      '`mfaToken`, and `enable` opens the session. Each code and each backup code works once. A wrong code ' +
      'counts as a failed sign-in.',
    auth: 'none',
    role: null,
    loadClass: 'crud',
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    headers: Type.Object(
      { Cookie: Type.Optional(Type.String({ description: 'Session cookie, `arbiter_session`.' })) },
      { description: 'Session, for setup, enable and disable.' },
    ),
    body: SecondFactorStep,
    responses: { 200: { description: 'Result of the step.', schema: SecondFactorAnswer } },
    errors: ['unauthorized', 'invalid_credentials', 'sso_required', 'invalid_transition', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
  reset: operation({
    id: 'users.resetMfa',
    method: 'POST',
    path: '/api/v1/users/{id}/reset-mfa',
    tag: 'Users',
    summary: 'Remove the second factor of a user',
    description:
      'For users who have lost both app and backup codes. Ends their sessions and notifies them by email. ' +
      'Has no effect for a user without a second factor.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    params: Type.Object({ id: IdText('ID of the user.') }, { description: 'User to use.' }),
    responses: { 200: { description: 'The user.', schema: User } },
    errors: ['not_found', 'not_configured'],
    audit: [{ action: 'update', entityType: 'user' }],
    transaction: 'tenant',
  }),
} as const;
