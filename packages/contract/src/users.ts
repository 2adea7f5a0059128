import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, usualPage } from './core/pages.ts';
import { Id, IdText, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

export const userRoles = ['admin', 'editor', 'viewer', 'member'] as const;
export const userStatuses = ['invited', 'active', 'locked', 'deactivated'] as const;
export type UserStatus = (typeof userStatuses)[number];
const userSources = ['registration', 'invite', 'scim', 'sso', 'google', 'bootstrap'] as const;

const Role = StringEnum(userRoles, {
  description: 'What the person may do; a member, whom a directory made, may look as a viewer does.',
});
const Status = StringEnum(userStatuses, {
  description: 'invited: the address is not verified; locked: too many wrong passwords; deactivated: may do nothing.',
});
const instantOrNull = (description: string) => Nullable(Timestamp('An instant.'), { description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

/** A person of the tenant (docs/design/api-access.md 5.2). */
export const User = Type.Object(
  {
    id: Id('Id of the user.'),
    name: Type.String({ description: 'Name, as it was given.' }),
    email: Type.String({ description: 'Address, as it was given.' }),
    image: textOrNull('Address of a picture, or null.'),
    role: Role,
    status: Status,
    source: StringEnum(userSources, { description: 'How the user came to be.' }),
    externalId: textOrNull('Id in the directory that provisions the user, or null.'),
    emailVerifiedAt: instantOrNull('When the address was proven, or null.'),
    lastLoginAt: instantOrNull('When the user last signed in, or null.'),
    lockedUntil: instantOrNull('Until when no password is taken, or null.'),
    secondFactor: Type.Boolean({ description: 'True: signing in by password takes a second factor, which is set up.' }),
    createdAt: Timestamp('When the user was made.'),
    updatedAt: Timestamp('When the user last changed.'),
  },
  { description: 'A person of the tenant.' },
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
  params: Type.Object({ id: IdText('Id of the user.') }, { description: 'Which user.' }),
  responses: { 200: { description: 'The user.', schema: User } },
} as const;

const changesUser = [{ action: 'update', entityType: 'user' }] as const;

const GivenRole = StringEnum(['admin', 'editor', 'viewer'], {
  description: 'What the person may do. The role member is given by directories alone.',
});

export const userOperations = {
  list: operation({
    ...common,
    id: 'users.list',
    path: '/api/v1/users',
    summary: 'List the users, newest first',
    query: Type.Object(
      {
        ...cursorQuery(usualPage),
        search: Type.Optional(Type.String({ maxLength: 255, description: 'Contained in name or address, any case.' })),
        q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as search.' })),
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
    summary: 'Read one user',
    errors: ['not_found'],
  }),
  update: operation({
    ...one,
    id: 'users.update',
    method: 'PUT',
    path: '/api/v1/users/{id}',
    summary: 'Change name or role of a user',
    description:
      'Sessions, API keys, OAuth clients and issued tokens of the user keep working, limited to the new role within a second.',
    body: Type.Object(
      {
        id: Type.Optional(Id('Id of the user; may be sent as it is.')),
        name: Type.Optional(Name('New name.', 100)),
        role: Type.Optional(GivenRole),
      },
      { description: 'What changes.', examples: [{ name: 'Ada Lovelace', role: 'editor' }] },
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
      'Ends every session, every mailed link, and every API key, OAuth client and issued token of the user within a second; the ' +
      'record stays. Repeatable. To keep integrations running, reassign what `GET /users/{id}/credentials` lists first.',
    responses: { 204: { description: 'The user is deactivated.', schema: null } },
    errors: ['not_found', 'last_admin'],
    audit: changesUser,
  }),
  reactivate: operation({
    ...one,
    id: 'users.reactivate',
    method: 'POST',
    path: '/api/v1/users/{id}/reactivate',
    summary: 'Bring a deactivated user back',
    description: 'Ends a lock after wrong passwords too. An active user stays as it is.',
    errors: ['not_found'],
    audit: changesUser,
  }),
  unlock: operation({
    ...one,
    id: 'users.unlock',
    method: 'POST',
    path: '/api/v1/users/{id}/unlock',
    summary: 'End the lock after wrong passwords',
    description: 'A user who is not locked stays as it is; a deactivated one stays deactivated.',
    errors: ['not_found'],
    audit: changesUser,
  }),
} as const;
