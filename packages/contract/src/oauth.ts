import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, Name, StringEnum, Timestamp } from './core/schemas.ts';

/** Scopes of a client and of its tokens, in the order in which they are returned (docs/design/api-access.md 4.1). */
export const oauthScopes = ['read', 'write', 'admin'] as const;
export type OAuthScope = (typeof oauthScopes)[number];

/** Clients that a list shows at most. */
export const oauthClientsListed = 1_000;

/** Seconds that an access token lives. */
export const accessTokenSeconds = 3_600;

const Scopes = Type.Array(StringEnum(oauthScopes, { description: 'A scope.' }), {
  description: 'What tokens of the client may do: read, write (role editor), admin.',
});

const described = {
  id: Id('Id of the record.'),
  name: Type.String({ description: 'Name of the client.' }),
  clientId: Type.String({ description: 'The `client_id` of token requests.' }),
  scopes: Scopes,
  createdAt: Timestamp('When the client was made.'),
};

/** A client as lists show it; its secret is never shown again. */
export const OAuthClient = Type.Object(
  { ...described, clientIdPrefix: Type.String({ description: 'First 12 characters of `clientId`.' }) },
  { description: 'An OAuth client.' },
);
export type OAuthClient = Static<typeof OAuthClient>;

const OAuthClientCreate = Type.Object(
  {
    name: Type.Optional(Name('Name of the client; default `oauth-client-<timestamp>`.', 120)),
    scopes: Type.Optional(
      // Whatever is no scope is dropped, texts or not (docs/design/quality.md E4).
      Type.Array(Type.Unknown({ description: 'A scope; what is none is dropped.' }), {
        maxItems: 16,
        description: 'Of read, write, admin; default, and where none is known: read.',
      }),
    ),
  },
  { description: 'A client to be made.', examples: [{ name: 'Campaign tool', scopes: ['read', 'write'] }] },
);
export type OAuthClientCreate = Static<typeof OAuthClientCreate>;

const OAuthClientCreated = Type.Object(
  {
    ...described,
    clientSecret: Type.String({ description: 'The secret. Shown this once; only its HMAC is stored.' }),
    warning: Type.String({ description: 'Reminder to keep the secret now.' }),
  },
  { description: 'A new OAuth client.' },
);
export type OAuthClientCreated = Static<typeof OAuthClientCreated>;

const Parameter = (description: string) => Type.Optional(Type.String({ description }));

const TokenRequest = Type.Object(
  {
    grant_type: Parameter('Must be `client_credentials`.'),
    client_id: Parameter('The client; also as user of HTTP Basic.'),
    client_secret: Parameter('Its secret; also as password of HTTP Basic.'),
    scope: Parameter('Scopes separated by spaces, to narrow those of the client; default all of them.'),
  },
  {
    description: 'A request for a token (RFC 6749 section 4.4).',
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
    access_token: Type.String({ description: 'A JWT, to be sent as `Authorization: Bearer`.' }),
    token_type: Type.Literal('Bearer', { description: 'How the token is sent.' }),
    expires_in: Type.Integer({ description: 'Seconds until it ends.' }),
    scope: Type.String({ description: 'The granted scopes, separated by spaces.' }),
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
    204: { description: 'The client gets no new token; those it has live on until they end.', schema: null },
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
    summary: 'Make an OAuth client',
    body: OAuthClientCreate,
    record: OAuthClient,
    responses: { 201: { description: 'The client with its secret, shown this once.', schema: OAuthClientCreated } },
    errors: ['not_configured'],
    audit: [{ action: 'create', entityType: 'oauthClient' }],
  }),
  listClients: operation({
    ...shared,
    id: 'oauthClients.list',
    method: 'GET',
    path: '/api/v1/oauth/clients',
    summary: 'List the active OAuth clients, newest first',
    responses: {
      200: {
        description: `The newest ${oauthClientsListed} clients.`,
        schema: Type.Object(
          {
            data: Type.Array(OAuthClient, { description: 'Clients, newest first.' }),
            total: Type.Integer({ description: 'Active clients in all.' }),
          },
          { description: 'The active clients.' },
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
    params: Type.Object({ id: Type.String({ description: 'Id of the record.' }) }),
  }),
  revokeClientByQuery: operation({
    ...revoke,
    id: 'oauthClients.revokeByQuery',
    path: '/api/v1/oauth/clients',
    summary: 'Revoke an OAuth client, its id in the query',
    query: Type.Object({ id: Type.String({ minLength: 1, description: 'Id of the record.' }) }),
  }),
  token: operation({
    id: 'oauth.token',
    method: 'POST',
    path: '/api/v1/oauth/token',
    tag: 'Access',
    summary: 'Get an access token for a client',
    description:
      'Client credentials of RFC 6749 section 4.4, in the body or by HTTP Basic, never both. 20 calls per 60 s for a ' +
      '`client_id`, or for an address where none is named; each call counts.',
    auth: 'none',
    role: null,
    csrfExempt: true,
    errorFormat: 'oauth',
    loadClass: 'crud',
    rateLimits: [{ limit: 300, windowSeconds: 60, per: 'ip' }],
    headers: Type.Object(
      { Authorization: Type.Optional(Type.String({ description: '`Basic <client_id:client_secret in base64>`.' })) },
      { description: 'The client, instead of in the body.' },
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
