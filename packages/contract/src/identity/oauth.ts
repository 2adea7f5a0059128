import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, Name, StringEnum, Timestamp } from '../core/schemas.ts';

/** Scopes of a client and of its tokens, in the order in which they are returned (docs/design/api-access.md 4.1). */
export const oauthScopes = ['read', 'write', 'admin'] as const;
export type OAuthScope = (typeof oauthScopes)[number];

/** Clients that a list shows at most. */
export const oauthClientsListed = 1_000;

/** Seconds that an access token lives. */
export const accessTokenSeconds = 3_600;

const Scopes = Type.Array(StringEnum(oauthScopes, { description: 'A scope.' }), {
  description: 'What tokens of the client can do: read, write (role editor) or admin.',
});

const described = {
  id: Id('ID of the record.'),
  name: Type.String({ description: 'Name of the client.' }),
  clientId: Type.String({ description: '`client_id` for token requests.' }),
  scopes: Scopes,
  createdAt: Timestamp('When the client was created.'),
};

/** A client as lists show it; its secret is never shown again. */
export const OAuthClient = Type.Object(
  { ...described, clientIdPrefix: Type.String({ description: 'First 12 characters of `clientId`.' }) },
  { description: 'An OAuth client.' },
);
export type OAuthClient = Static<typeof OAuthClient>;

const OAuthClientCreate = Type.Object(
  {
    name: Type.Optional(Name('Name of the client. Default `oauth-client-` and the time.', 120)),
    scopes: Type.Optional(
      // Whatever is no scope is dropped, texts or not (docs/design/quality.md E4).
      Type.Array(Type.Unknown({ description: 'A scope. Unknown scopes are dropped.' }), {
        maxItems: 16,
        description: 'Some of read, write and admin. Default: read, also if no given scope is known.',
      }),
    ),
  },
  { description: 'A new OAuth client.', examples: [{ name: 'Campaign tool', scopes: ['read', 'write'] }] },
);
export type OAuthClientCreate = Static<typeof OAuthClientCreate>;

const OAuthClientCreated = Type.Object(
  {
    ...described,
    clientSecret: Type.String({ description: 'The client secret. Shown only once; only its HMAC is stored.' }),
    warning: Type.String({ description: 'Reminder to save the secret now.' }),
  },
  { description: 'A new OAuth client.' },
);
export type OAuthClientCreated = Static<typeof OAuthClientCreated>;

const Parameter = (description: string) => Type.Optional(Type.String({ description }));

const TokenRequest = Type.Object(
  {
    grant_type: Parameter('Must be `client_credentials`.'),
    client_id: Parameter('ID of the client. Can also be the user name of HTTP Basic.'),
    client_secret: Parameter('Secret of the client. Can also be the password of HTTP Basic.'),
    scope: Parameter('Scopes to request, separated by spaces. Default: all scopes of the client.'),
  },
  {
    description: 'A token request (RFC 6749 section 4.4).',
    examples: [
      {
        grant_type: 'client_credentials',
        client_id: 'kci_00112233445566778899aabbccddeeff',
        client_secret: 'kcs_0011223344556677889900112233445566778899001122334455667788990011',
        scope: 'read',
      },
    ],
  },
);

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT to send as `Authorization: Bearer`.' }),
    token_type: Type.Literal('Bearer', { description: 'How to send the token.' }),
    expires_in: Type.Integer({ description: 'Seconds until the token expires.' }),
    scope: Type.String({ description: 'Granted scopes, separated by spaces.' }),
  },
  { description: 'An access token.' },
);
export type TokenAnswer = Static<typeof TokenAnswer>;

const shared = {
  tag: 'Access',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  transaction: 'tenant',
} as const;
const revoke = {
  ...shared,
  method: 'DELETE',
  responses: {
    204: { description: 'The client gets no new tokens. Existing tokens stay valid until they expire.', schema: null },
  },
  errors: ['not_found'],
  audit: [{ action: 'revoke', entityType: 'oauthClient' }],
} as const;

export const oauthOperations = {
  createClient: operation({
    ...shared,
    id: 'oauthClients.create',
    method: 'POST',
    path: '/api/v1/oauth/clients',
    summary: 'Create an OAuth client',
    body: OAuthClientCreate,
    record: OAuthClient,
    responses: { 201: { description: 'The client with its secret. Shown only once.', schema: OAuthClientCreated } },
    errors: ['not_configured'],
    audit: [{ action: 'create', entityType: 'oauthClient' }],
  }),
  listClients: operation({
    ...shared,
    id: 'oauthClients.list',
    method: 'GET',
    path: '/api/v1/oauth/clients',
    summary: 'List active OAuth clients, newest first',
    responses: {
      200: {
        description: `The newest ${oauthClientsListed} clients.`,
        schema: Type.Object(
          {
            data: Type.Array(OAuthClient, { description: 'Clients, newest first.' }),
            total: Type.Integer({ description: 'Number of active clients.' }),
          },
          { description: 'Active clients.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
  revokeClient: operation({
    ...revoke,
    id: 'oauthClients.revoke',
    path: '/api/v1/oauth/clients/{id}',
    summary: 'Revoke an OAuth client',
    params: Type.Object({ id: Type.String({ description: 'ID of the record.' }) }),
  }),
  revokeClientByQuery: operation({
    ...revoke,
    id: 'oauthClients.revokeByQuery',
    path: '/api/v1/oauth/clients',
    summary: 'Revoke an OAuth client by query parameter',
    query: Type.Object({ id: Type.String({ minLength: 1, description: 'ID of the record.' }) }),
  }),
  token: operation({
    id: 'oauth.token',
    method: 'POST',
    path: '/api/v1/oauth/token',
    tag: 'Access',
    summary: 'Get an access token',
    description:
      'Uses the client credentials grant of RFC 6749 section 4.4. Send the credentials either in the body ' +
      'or as HTTP Basic, not both. Limited to 20 calls per 60 s for each `client_id`, or for each IP ' +
      'address if none is given; every call counts.',
    auth: 'none',
    role: null,
    csrfExempt: true,
    errorFormat: 'oauth',
    loadClass: 'crud',
    rateLimits: [{ limit: 300, windowSeconds: 60, per: 'ip' }],
    headers: Type.Object(
      { Authorization: Type.Optional(Type.String({ description: '`Basic <client_id:client_secret in base64>`.' })) },
      { description: 'Client credentials, if they are not in the body.' },
    ),
    body: TokenRequest,
    // Read by the handler: a call counts also when its body cannot be read.
    bodyKind: 'raw',
    mediaTypes: ['application/json', 'application/x-www-form-urlencoded'],
    responses: { 200: { description: 'The token.', schema: TokenAnswer } },
    errors: ['validation_failed', 'unauthorized', 'rate_limited', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
} as const;
