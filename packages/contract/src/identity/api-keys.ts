import Type, { type Static } from 'typebox';
import { operation, roles } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Scopes of an API key, in the order in which they are returned (docs/design/api-access.md 4.1). */
export const apiKeyScopes = ['read', 'write', 'admin', 'scim'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/**
 * Form of every key: generated ones are `krn_` + 64 hex digits, a bootstrap file may provide its own
 * (docs/design/api-access.md 4.1).
 */
export const apiKeyPattern = '^krn_[A-Za-z0-9_-]{20,128}$';

const Scopes = (description: string) =>
  Type.Array(StringEnum(apiKeyScopes, { description: 'A scope.' }), { minItems: 1, maxItems: 16, description });

const described = {
  id: Id('ID of the key.'),
  name: Type.String({ description: 'Name of the key.' }),
  prefix: Type.String({ description: 'First 12 characters of the key. Only these are shown later.' }),
  scopes: Scopes('What the key can do: `read`, `write`, `admin`, or `scim` for the SCIM routes.'),
  role: Nullable(StringEnum(roles, { description: 'A role.' }), {
    description:
      'Role of the highest scope: admin, write (editor) or read (viewer). Null for a key with the scope `scim` only.',
  }),
  expiresAt: Nullable(Timestamp('Point in time, RFC 3339.'), { description: 'When the key expires, or null.' }),
  createdAt: Timestamp('When the key was created.'),
};

/** An API key as lists show it; the key itself is never shown again. */
export const ApiKey = Type.Object(
  {
    ...described,
    lastUsedAt: Nullable(Timestamp('Point in time, RFC 3339.'), {
      description: 'When the key was last used, to the minute. Null before the first use.',
    }),
    createdBy: Type.String({
      description:
        'Owner, whose role limits the key: a user ID, or `system` for the operator. The creator until reassigned.',
    }),
  },
  { description: 'An API key.' },
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyCreate = Type.Object(
  {
    name: Type.Optional(Name('Name of the key. Default `key-` and the time: `key-2026-11-30T09:00:00Z`.', 120)),
    expiresAt: Type.Optional(
      Nullable(Timestamp('Point in time, RFC 3339.'), { description: 'When the key expires. Must be in the future.' }),
    ),
    scopes: Type.Optional(Scopes('What the key can do. Default: all four scopes.')),
  },
  { description: 'A new API key.', examples: [{ name: 'website', scopes: ['read', 'write'] }] },
);
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

/** The answer to a creation, the only one that carries the key. */
export const ApiKeyCreated = Type.Object(
  {
    ...described,
    key: Type.String({ description: 'The key. Shown only once; only its HMAC is stored.' }),
    warning: Type.String({ description: 'Reminder to save the key now.' }),
  },
  { description: 'A new API key.' },
);
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

const RevokeBody = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 500, description: 'Reason, stored in the audit log.' })) },
  { description: 'Reason for revoking the key.', examples: [{ reason: 'Found in a log file' }] },
);

const ApiKeyPage = cursorPage(ApiKey);

const shared = {
  tag: 'API keys',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  transaction: 'tenant',
} as const;
const revoke = {
  ...shared,
  method: 'DELETE',
  body: RevokeBody,
  responses: { 204: { description: 'Every node rejects the key within a second.', schema: null } },
  errors: ['not_found'],
  audit: [{ action: 'revoke', entityType: 'apiKey' }],
} as const;

export const apiKeyOperations = {
  create: operation({
    ...shared,
    id: 'apiKeys.create',
    method: 'POST',
    path: '/api/v1/api-keys',
    summary: 'Create an API key',
    body: ApiKeyCreate,
    record: ApiKey,
    responses: { 201: { description: 'The key. Shown only once.', schema: ApiKeyCreated } },
    errors: ['not_configured'],
    audit: [{ action: 'create', entityType: 'apiKey' }],
  }),
  list: operation({
    ...shared,
    id: 'apiKeys.list',
    method: 'GET',
    path: '/api/v1/api-keys',
    summary: 'List active API keys, newest first',
    query: Type.Object(cursorQuery(defaultPage)),
    responses: {
      200: {
        description: 'A page of keys.',
        schema: Type.Object(
          { ...ApiKeyPage.properties, total: Type.Integer({ description: 'Total number of active keys.' }) },
          { description: 'A page of API keys.' },
        ),
      },
    },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  get: operation({
    ...shared,
    id: 'apiKeys.get',
    method: 'GET',
    path: '/api/v1/api-keys/{id}',
    summary: 'Get an active API key',
    params: Type.Object({ id: Type.String({ description: 'ID of the key.' }) }),
    responses: { 200: { description: 'The key.', schema: ApiKey } },
    errors: ['not_found'],
    audit: [],
  }),
  revoke: operation({
    ...revoke,
    id: 'apiKeys.revoke',
    path: '/api/v1/api-keys/{id}',
    summary: 'Revoke an API key',
    params: Type.Object({ id: Type.String({ description: 'ID of the key.' }) }),
  }),
  revokeByQuery: operation({
    ...revoke,
    id: 'apiKeys.revokeByQuery',
    path: '/api/v1/api-keys',
    summary: 'Revoke an API key by query parameter',
    query: Type.Object({ id: Type.String({ minLength: 1, description: 'ID of the key.' }) }),
  }),
} as const;
