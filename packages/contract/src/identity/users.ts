import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, IdText, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

export const userRoles = ['admin', 'editor', 'viewer', 'member'] as const;
export const userStatuses = ['invited', 'active', 'locked', 'deactivated'] as const;
export type UserStatus = (typeof userStatuses)[number];
const userSources = ['registration', 'invite', 'scim', 'sso', 'google', 'bootstrap'] as const;

const Role = StringEnum(userRoles, {
  description: 'Role of the user. A member, provisioned by a directory, has read access like a viewer.',
});
const Status = StringEnum(userStatuses, {
  description: 'invited: the email address is not verified. locked: too many wrong passwords. deactivated: no access.',
});
const instantOrNull = (description: string) => Nullable(Timestamp('Point in time, RFC 3339.'), { description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

/** A person of the tenant (docs/design/api-access.md 5.2). */
export const User = Type.Object(
  {
    id: Id('ID of the user.'),
    name: Type.String({ description: 'Name, as entered.' }),
    email: Type.String({ description: 'Email address, as entered.' }),
    image: textOrNull('URL of a picture, or null.'),
    role: Role,
    status: Status,
    source: StringEnum(userSources, { description: 'How the user was created.' }),
    externalId: textOrNull('ID in the provisioning directory, or null.'),
    emailVerifiedAt: instantOrNull('When the email address was verified, or null.'),
    lastLoginAt: instantOrNull('When the user last signed in, or null.'),
    lockedUntil: instantOrNull('When the password lock ends, or null.'),
    secondFactor: Type.Boolean({ description: 'True: a second factor is set up and required for password sign-in.' }),
    createdAt: Timestamp('When the user was created.'),
    updatedAt: Timestamp('When the user last changed.'),
  },
  { description: 'A user of the tenant.' },
);
export type User = Static<typeof User>;

const common = {
  method: 'GET',
  tag: 'Users',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  audit: [],
  transaction: 'tenant',
} as const;

const one = {
  ...common,
  params: Type.Object({ id: IdText('ID of the user.') }, { description: 'User to use.' }),
  responses: { 200: { description: 'The user.', schema: User } },
} as const;

const changesUser = [{ action: 'update', entityType: 'user' }] as const;

const GivenRole = StringEnum(['admin', 'editor', 'viewer'], {
  description: 'Role of the user. The role member can only be assigned by a directory.',
});

export const userOperations = {
  list: operation({
    ...common,
    id: 'users.list',
    path: '/api/v1/users',
    summary: 'List the users, newest first',
    query: Type.Object(
      {
        ...cursorQuery(defaultPage),
        search: Type.Optional(
          Type.String({ maxLength: 255, description: 'Text to find in the name or email address, ignoring case.' }),
        ),
        q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as `search`.' })),
        role: Type.Optional(Role),
        status: Type.Optional(Status),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of users.', schema: cursorPage(User) } },
    errors: ['invalid_cursor'],
  }),
  get: operation({
    ...one,
    id: 'users.get',
    path: '/api/v1/users/{id}',
    summary: 'Get a user',
    errors: ['not_found'],
  }),
  update: operation({
    ...one,
    id: 'users.update',
    method: 'PUT',
    path: '/api/v1/users/{id}',
    summary: 'Update the name or role of a user',
    description:
      "The user's sessions, API keys, OAuth clients and issued tokens keep working and are limited to the new role within a second.",
    body: Type.Object(
      {
        id: Type.Optional(Id('ID of the user. Can be sent back unchanged.')),
        name: Type.Optional(Name('New name.', 100)),
        role: Type.Optional(GivenRole),
      },
      { description: 'Changes to the user.', examples: [{ name: 'Ada Lovelace', role: 'editor' }] },
    ),
    record: User,
    errors: ['not_found', 'last_admin'],
    audit: changesUser,
  }),
  deactivate: operation({
    ...one,
    id: 'users.deactivate',
    method: 'DELETE',
    path: '/api/v1/users/{id}',
    summary: 'Deactivate a user',
    description:
      'Ends every session, emailed link, API key, OAuth client and issued token of the user within a ' +
      'second. The record is kept. Repeating the call has no further effect. To keep integrations running, ' +
      'first reassign what `GET /users/{id}/credentials` lists.',
    responses: { 204: { description: 'The user was deactivated.', schema: null } },
    errors: ['not_found', 'last_admin'],
    audit: changesUser,
  }),
  reactivate: operation({
    ...one,
    id: 'users.reactivate',
    method: 'POST',
    path: '/api/v1/users/{id}/reactivate',
    summary: 'Reactivate a user',
    description: 'Also ends a lock after wrong passwords. Has no effect on an active user.',
    errors: ['not_found'],
    audit: changesUser,
  }),
  unlock: operation({
    ...one,
    id: 'users.unlock',
    method: 'POST',
    path: '/api/v1/users/{id}/unlock',
    summary: 'Unlock a user',
    description:
      "Ends the lock after wrong passwords. Has no effect if the user isn't locked; a deactivated user stays deactivated.",
    errors: ['not_found'],
    audit: changesUser,
  }),
} as const;
