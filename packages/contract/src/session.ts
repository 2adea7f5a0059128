import Type, { type Static } from 'typebox';
import { operation, roles } from './core/operation.ts';
import { Id, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

const SessionPrincipal = Type.Object(
  {
    kind: StringEnum(['user', 'api_key', 'oauth_client'], { description: 'What the credential is.' }),
    id: Id('Id of the user, key or client.'),
    name: Type.String({ description: 'Its name.' }),
    userId: Nullable(Id('Id of a user.'), {
      description: 'The user it acts for; null for a credential of the operator.',
    }),
    email: Type.Optional(Type.String({ description: 'Address of a user.' })),
    role: Nullable(StringEnum(roles, { description: 'A role.' }), {
      description: 'Highest role of the credential; null for a key of SCIM routes only.',
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ description: 'A scope.' }), { description: 'Scopes of a key or client.' }),
    ),
  },
  { description: 'Who the credential stands for.' },
);

/** Who calls (docs/design/api-access.md 4.2). Without a valid credential only `authenticated: false`. */
export const Session = Type.Object(
  {
    authenticated: Type.Boolean({ description: 'True when a valid credential was sent.' }),
    principal: Type.Optional(SessionPrincipal),
    tenant: Type.Optional(
      Type.Object(
        {
          id: Id('Id of the tenant.'),
          name: Type.String({ description: 'Display label of the tenant.' }),
          isPlayground: Type.Boolean({ description: 'True for a playground.' }),
        },
        { description: 'Tenant of the credential.' },
      ),
    ),
    expiresAt: Type.Optional(
      Nullable(Timestamp('An instant.'), { description: 'When the credential ends, null when it does not.' }),
    ),
  },
  { description: 'Who calls.' },
);
export type Session = Static<typeof Session>;

export const sessionOperations = {
  session: operation({
    id: 'auth.session',
    method: 'GET',
    path: '/api/v1/auth/session',
    tag: 'Access',
    summary: 'Say who the credential stands for',
    description: 'Answers 200 also without a valid credential, then with `authenticated: false` only.',
    auth: 'none',
    role: null,
    loadClass: 'crud',
    // The same limit as for wrong credentials elsewhere, so that guessing is not easier here (docs/design/api-access.md 17).
    rateLimits: [{ limit: 600, windowSeconds: 60, per: 'ip' }],
    headers: Type.Object(
      {
        Authorization: Type.Optional(Type.String({ description: '`Bearer <API key>`.' })),
        'X-API-Key': Type.Optional(Type.String({ description: 'An API key.' })),
        Cookie: Type.Optional(Type.String({ description: 'With `arbiter_session`, a session.' })),
      },
      { description: 'The credential, in one of these places.' },
    ),
    responses: { 200: { description: 'Who calls.', schema: Session } },
    errors: [],
    audit: [],
    transaction: 'own',
  }),
} as const;
