import Type, { type Static } from 'typebox';
import { operation, roles } from '../core/operation.ts';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

const SessionPrincipal = Type.Object(
  {
    kind: StringEnum(['user', 'api_key', 'oauth_client'], { description: 'Kind of credential.' }),
    id: Id('ID of the user, key or client.'),
    name: Type.String({ description: 'Name of the credential.' }),
    userId: Nullable(Id('ID of a user.'), {
      description: 'User it acts for; null for an operator credential.',
    }),
    email: Type.Optional(Type.String({ description: 'Email address of a user.' })),
    role: Nullable(StringEnum(roles, { description: 'A role.' }), {
      description: 'Highest role of the credential; null for a key with the scope `scim` only.',
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ description: 'A scope.' }), { description: 'Scopes of an API key or OAuth client.' }),
    ),
  },
  { description: 'Who the credential belongs to.' },
);

/** The current caller (docs/design/api-access.md 4.2). Without a valid credential only `authenticated: false`. */
export const Session = Type.Object(
  {
    authenticated: Type.Boolean({ description: 'True if a valid credential was sent.' }),
    principal: Type.Optional(SessionPrincipal),
    tenant: Type.Optional(
      Type.Object(
        {
          id: Id('ID of the tenant.'),
          name: Type.String({ description: 'Display name of the tenant.' }),
          isPlayground: Type.Boolean({ description: 'True for a playground tenant.' }),
        },
        { description: 'Tenant of the credential.' },
      ),
    ),
    expiresAt: Type.Optional(
      Nullable(Timestamp('Point in time, RFC 3339.'), {
        description: "When the credential expires; null if it doesn't.",
      }),
    ),
  },
  { description: 'The caller.' },
);
export type Session = Static<typeof Session>;

export const sessionOperations = {
  session: operation({
    id: 'auth.session',
    method: 'GET',
    path: '/api/v1/auth/session',
    tag: 'Access',
    summary: 'Get the current credential',
    description: 'Without a valid credential, returns 200 with `authenticated: false` only.',
    auth: 'none',
    role: null,
    loadClass: 'crud',
    // The same limit as for wrong credentials elsewhere, so that guessing is not easier here (docs/design/api-access.md 17).
    rateLimits: [{ limit: 600, windowSeconds: 60, per: 'ip' }],
    headers: Type.Object(
      {
        Authorization: Type.Optional(Type.String({ description: '`Bearer <API key>`.' })),
        'X-API-Key': Type.Optional(Type.String({ description: 'An API key.' })),
        Cookie: Type.Optional(Type.String({ description: 'Session cookie, `arbiter_session`.' })),
      },
      { description: 'The credential, in one of these places.' },
    ),
    responses: { 200: { description: 'The caller.', schema: Session } },
    errors: [],
    audit: [],
    transaction: 'own',
  }),
} as const;
