import Type, { type Static } from 'typebox';
import { SignedIn } from './accounts.ts';
import { operation } from './core/operation.ts';
import { IdText, StringEnum } from './core/schemas.ts';
import { User } from './users.ts';

/** Second factor of people who sign in by password: codes of an authenticator app, RFC 6238 (docs/design/api-access.md 22). */

const SecondFactorStep = Type.Object(
  {
    action: StringEnum(['setup', 'enable', 'verify', 'disable'], {
      description:
        'setup: get a secret for the app. enable: prove that the app has it. verify: go on with a sign-in. disable: switch it off.',
    }),
    mfaToken: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'Of the sign-in that asked for the second factor: verify needs it; setup and enable take it in place of a session.',
      }),
    ),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description:
          'Six digits from the app; for verify and disable also a backup code. Spaces and dashes do not matter.',
      }),
    ),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_024, description: 'Your password; disable needs it.' }),
    ),
  },
  {
    description: 'A step.',
    examples: [{ action: 'setup' }, { action: 'enable', code: '287082' }],
  },
);
export type SecondFactorStep = Static<typeof SecondFactorStep>;

/** Answers of all steps in one: what a step does not say is left out. */
const SecondFactorAnswer = Type.Object(
  {
    secret: Type.Optional(Type.String({ description: 'setup: the secret in base32, to be typed into the app.' })),
    otpauthUrl: Type.Optional(Type.String({ description: 'setup: the same as an address, to be shown as a QR code.' })),
    enabled: Type.Optional(Type.Boolean({ description: 'enable and disable: whether the second factor is on.' })),
    backupCodes: Type.Optional(
      Type.Array(Type.String({ description: 'A code that opens once.' }), {
        description: 'enable: codes for who has lost the app. They are shown this once.',
      }),
    ),
    ...Type.Partial(SignedIn).properties,
  },
  { description: 'What the step led to; user, tenant and expiresAt when it opened a session.' },
);
export type SecondFactorAnswer = Static<typeof SecondFactorAnswer>;

export const secondFactorOperations = {
  step: operation({
    id: 'auth.mfa',
    method: 'POST',
    path: '/api/v1/auth/mfa',
    tag: 'Accounts',
    summary: 'Set up, prove or switch off the second factor',
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
      { Cookie: Type.Optional(Type.String({ description: 'With `arbiter_session`, the session.' })) },
      { description: 'The session of setup, enable and disable.' },
    ),
    body: SecondFactorStep,
    responses: { 200: { description: 'Done.', schema: SecondFactorAnswer } },
    errors: ['unauthorized', 'invalid_credentials', 'sso_required', 'invalid_transition', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
  reset: operation({
    id: 'users.resetMfa',
    method: 'POST',
    path: '/api/v1/users/{id}/reset-mfa',
    tag: 'Users',
    summary: 'Take the second factor of a user away',
    description:
      'For who has lost app and backup codes. It ends the sessions of the user, who is told by mail. For a user without a ' +
      'second factor nothing happens.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    params: Type.Object({ id: IdText('Id of the user.') }, { description: 'Which user.' }),
    responses: { 200: { description: 'The user.', schema: User } },
    errors: ['not_found', 'not_configured'],
    audit: [{ action: 'update', entityType: 'user' }],
    transaction: 'tenant',
  }),
} as const;
