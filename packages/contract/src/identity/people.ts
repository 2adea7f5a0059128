import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { IdText, Name, StringEnum } from '../core/schemas.ts';
import { Email, GivenPassword, NewPassword } from './accounts.ts';
import { User } from './users.ts';

/** Invitations, and what persons change of themselves (docs/design/api-access.md 5.2). */

const shared = { tag: 'Users', loadClass: 'crud' } as const;
const changesUser = [{ action: 'update', entityType: 'user' }] as const;

const Invited = Type.Object(
  { ...User.properties, message: Type.String({ description: 'What happens next, as a sentence.' }) },
  { description: 'The invited user.' },
);
export type Invited = Static<typeof Invited>;

export const invitationOperations = {
  invite: operation({
    ...shared,
    id: 'users.create',
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Invite a user',
    description: 'Creates the user and emails a link for setting a password. The link is valid for seven days.',
    auth: 'credential',
    role: 'admin',
    body: Type.Object(
      {
        email: Email('Email address of the user.'),
        name: Type.Optional(Name('Name of the user. Default: the email address.', 100)),
        role: Type.Optional(
          StringEnum(['admin', 'editor', 'viewer'], { description: 'Role of the user.', default: 'viewer' }),
        ),
      },
      { description: 'User to invite.', examples: [{ email: 'ada@example.com', name: 'Ada', role: 'editor' }] },
    ),
    record: User,
    responses: { 201: { description: 'The user, and what happens next.', schema: Invited } },
    errors: ['duplicate_email', 'not_configured'],
    audit: [{ action: 'create', entityType: 'user' }],
    transaction: 'tenant',
  }),
  resend: operation({
    ...shared,
    id: 'users.resendInvite',
    method: 'POST',
    path: '/api/v1/users/{id}/resend-invite',
    summary: 'Resend an invitation',
    description: 'The new link replaces the earlier one. At most five per hour for one address, across all tenants.',
    auth: 'credential',
    role: 'admin',
    params: Type.Object({ id: IdText('ID of the user.') }, { description: 'User to invite again.' }),
    responses: { 200: { description: 'The user.', schema: User } },
    errors: ['not_found', 'invalid_transition', 'not_configured'],
    audit: changesUser,
    transaction: 'tenant',
  }),
} as const;

const self = { ...shared, auth: 'session', role: 'viewer', path: '/api/v1/users/me', transaction: 'own' } as const;

export const selfOperations = {
  read: operation({
    ...self,
    id: 'users.readMe',
    method: 'GET',
    summary: 'Get the signed-in user',
    responses: { 200: { description: 'The user.', schema: User } },
    errors: [],
    audit: [],
  }),
  update: operation({
    ...self,
    id: 'users.updateMe',
    method: 'PUT',
    summary: 'Change your name or password',
    description:
      "A new password requires the current one and ends the user's other sessions. A wrong current " +
      'password counts as a failed sign-in.',
    // Guessing the current password of an open session is slowed down as guessing at the door.
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    body: Type.Object(
      {
        name: Type.Optional(Name('New name.', 100)),
        currentPassword: Type.Optional(GivenPassword('The current password. Only with `newPassword`.')),
        newPassword: Type.Optional(NewPassword('The new password.')),
      },
      {
        description: 'Changes to your account.',
        examples: [{ name: 'Ada', currentPassword: 'Passw0rd', newPassword: 'Another 1' }],
      },
    ),
    record: User,
    responses: { 200: { description: 'The user.', schema: User } },
    errors: [],
    audit: changesUser,
  }),
} as const;
