import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from './core/pages.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

export const userRoles = ['admin', 'editor', 'viewer', 'member'] as const;
export const userStatuses = ['invited', 'active', 'locked', 'deactivated'] as const;
export type UserStatus = (typeof userStatuses)[number];
const userSources = ['registration', 'invite', 'scim', 'sso', 'google', 'bootstrap'] as const;

const Role = StringEnum(userRoles, {
  description: 'What the person may do; a member nothing until given another role.',
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
    createdAt: Timestamp('When the user was made.'),
    updatedAt: Timestamp('When the user last changed.'),
  },
  { description: 'A person of the tenant.' },
);
export type User = Static<typeof User>;

/** Page size of the list. */
export const userPage: PageLimits = { usual: 25, maximum: 100 };

const common = {
  method: 'GET',
  tag: 'Users',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  audit: [],
  transaction: 'tenant',
} as const;

export const userOperations = {
  list: operation({
    ...common,
    id: 'users.list',
    path: '/api/v1/users',
    summary: 'List the users, newest first',
    query: Type.Object(
      {
        ...cursorQuery(userPage),
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
    ...common,
    id: 'users.get',
    path: '/api/v1/users/{id}',
    summary: 'Read one user',
    params: Type.Object({ id: IdText('Id of the user.') }, { description: 'Which user.' }),
    responses: { 200: { description: 'The user.', schema: User } },
    errors: ['not_found'],
  }),
} as const;
