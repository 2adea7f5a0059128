import Type, { type Static } from 'typebox';
import { Email, GivenPassword, NewPassword } from './accounts.ts';
import { operation } from './core/operation.ts';
import { IdText, Name, StringEnum } from './core/schemas.ts';
import { User } from './users.ts';

/** Invitations, and what persons change of themselves (docs/design/api-access.md 5.2). */

const shared = { tag: 'Users', loadClass: 'crud' } as const;
const changesUser = [{ action: 'update', entityType: 'user' }] as const;

const Invited = Type.Object(
  { ...User.properties, message: Type.String({ description: 'What happens next, in a sentence.' }) },
  { description: 'A person who was invited.' },
);
export type Invited = Static<typeof Invited>;

export const invitationOperations = {
  invite: operation({
    ...shared,
    id: 'users.create',
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Invite a person',
    description: 'Creates the user and emails a link for setting a password. The link is valid for seven days.',
    auth: 'credential',
    role: 'admin',
    body: Type.Object(
      {
        email: Email('Address of the person.'),
        name: Type.Optional(Name('Name of the person. Default: the address.', 100)),
        role: Type.Optional(
          StringEnum(['admin', 'editor', 'viewer'], { description: 'What the person may do.', default: 'viewer' }),
        ),
      },
      { description: 'Who is invited.', examples: [{ email: 'ada@example.com', name: 'Ada', role: 'editor' }] },
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
    summary: 'Mail an invitation again',
    description:
      'The new link takes the place of the earlier one. Five an hour for one address, whichever tenant mails them.',
    auth: 'credential',
    role: 'admin',
    params: Type.Object({ id: IdText('Id of the user.') }, { description: 'Which user.' }),
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
    summary: 'Read the signed-in user',
    responses: { 200: { description: 'The user.', schema: User } },
    errors: [],
    audit: [],
  }),
  update: operation({
    ...self,
    id: 'users.updateMe',
    method: 'PUT',
    summary: 'Change name or password of the signed-in user',
    description:
      'A new password needs the current one, and ends the other sessions of the user. A wrong current password counts as a ' +
      'failed sign-in.',
    // Guessing the current password of an open session is slowed down as guessing at the door.
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'ip' }],
    body: Type.Object(
      {
        name: Type.Optional(Name('New name.', 100)),
        currentPassword: Type.Optional(GivenPassword('The current password; with `newPassword` only.')),
        newPassword: Type.Optional(NewPassword('The new password.')),
      },
      {
        description: 'What changes.',
        examples: [{ name: 'Ada', currentPassword: 'Passw0rd', newPassword: 'Another 1' }],
      },
    ),
    record: User,
    responses: { 200: { description: 'The user.', schema: User } },
    errors: [],
    audit: changesUser,
  }),
} as const;
