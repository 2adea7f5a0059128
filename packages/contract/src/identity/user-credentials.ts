import Type, { type Static } from 'typebox';
import { operation, roles } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { apiKeyScopes } from './api-keys.ts';

/** Credentials that one answer lists at most. */
export const userCredentialsListed = 1_000;

/** An API key or OAuth client that a user owns (docs/adr/0068). */
export const UserCredential = Type.Object(
  {
    kind: StringEnum(['api_key', 'oauth_client'], { description: 'Kind of credential.' }),
    id: Id('ID of the key or client.'),
    name: Type.String({ description: 'Name of the key or client.' }),
    prefix: Type.String({ description: 'First 12 characters of the key, or of the `client_id`.' }),
    scopes: Type.Array(StringEnum(apiKeyScopes, { description: 'A scope.' }), {
      description: "Scopes it was given. They are limited by the owner's role.",
    }),
    role: Nullable(StringEnum(roles, { description: 'A role.' }), {
      description: 'Current role; null if the key has the scope `scim` only, or no access.',
    }),
    createdAt: Timestamp('When it was created.'),
    lastUsedAt: Nullable(Timestamp('Point in time, RFC 3339.'), {
      description: 'When the key was last used, to the minute; null before the first use, and for clients.',
    }),
    expiresAt: Nullable(Timestamp('Point in time, RFC 3339.'), {
      description: 'When the key expires; null if it does not.',
    }),
  },
  { description: 'An active API key or OAuth client of a user.' },
);
export type UserCredential = Static<typeof UserCredential>;

const UserCredentials = Type.Object(
  {
    data: Type.Array(UserCredential, { description: 'Credentials, newest first.' }),
    total: Type.Integer({ minimum: 0, description: 'Total number of credentials.' }),
  },
  { description: 'API keys and OAuth clients of a user.' },
);

const CredentialsReassign = Type.Object(
  {
    toUserId: Id('New owner: an active admin of the tenant.'),
    credentialIds: Type.Optional(
      Type.Array(Id('ID of a key or client of the user.'), {
        minItems: 1,
        maxItems: userCredentialsListed,
        uniqueItems: true,
        description: 'Credentials to reassign. Default: all.',
      }),
    ),
  },
  {
    description: 'New owner and credentials.',
    examples: [{ toUserId: '0190a0b0-0000-7000-8000-000000000002' }],
  },
);
export type CredentialsReassign = Static<typeof CredentialsReassign>;

const shared = {
  tag: 'Users',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  transaction: 'tenant',
  params: Type.Object({ id: IdText('ID of the user.') }, { description: 'User to use.' }),
} as const;

export const userCredentialOperations = {
  list: operation({
    ...shared,
    id: 'users.listCredentials',
    method: 'GET',
    path: '/api/v1/users/{id}/credentials',
    summary: 'List the API keys and OAuth clients of a user',
    description:
      'Lists what stops working if you deactivate the user, and what loses access if you lower their role: up to ' +
      `${userCredentialsListed} credentials that are neither revoked nor expired.`,
    responses: { 200: { description: 'The credentials.', schema: UserCredentials } },
    errors: ['not_found'],
    audit: [],
  }),
  reassign: operation({
    ...shared,
    id: 'users.reassignCredentials',
    method: 'POST',
    path: '/api/v1/users/{id}/credentials/reassign',
    summary: "Reassign a user's API keys and OAuth clients to another admin",
    description:
      "Secrets stay the same, so integrations keep running. From now on the new owner's role limits the credentials. For " +
      "approvals, everyone who has owned a credential counts as one person until it's revoked.",
    body: CredentialsReassign,
    responses: { 200: { description: 'The credentials that were reassigned.', schema: UserCredentials } },
    errors: ['not_found', 'reference_not_found'],
    audit: [
      { action: 'update', entityType: 'apiKey' },
      { action: 'update', entityType: 'oauthClient' },
    ],
  }),
} as const;
