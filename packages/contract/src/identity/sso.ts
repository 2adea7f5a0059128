import Type, { type Static } from 'typebox';
import { operation, roles } from '../core/operation.ts';
import { IdText, Nullable, StringEnum } from '../core/schemas.ts';

/** Single sign-on of a tenant's people (docs/design/api-access.md 4.3 and 22 "SSO"). */

export const ssoProviders = ['oidc', 'saml', 'none'] as const;
export type SsoProvider = (typeof ssoProviders)[number];

/** The placeholder of a stored secret. Sent back, it keeps the secret. */
export const ssoSecretBullets = '••••••••';

/** Seconds a user has to return from the identity provider. */
export const ssoStateSeconds = 600;

const url = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 2_048, description: 'A URL.' }), { description });
const text = (maxLength: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength, pattern: '\\S', description: 'A string.' }), { description });

const settings = {
  enabled: Type.Boolean({ description: 'True: users of the tenant can sign in through the identity provider.' }),
  samlEntityId: text(
    1_024,
    "Entity ID of the identity provider, sent as the Issuer of its assertions. Find Arbiter's entity ID in the service provider metadata.",
  ),
  samlSsoUrl: url('URL to send users to, with the redirect binding.'),
  samlAcsUrl: url('URL to post assertions to. Null: `/api/v1/sso/callback` at the public address.'),
  samlAllowUnsolicited: Type.Boolean({
    description:
      "True: accept assertions that don't answer a request of ours (sign-in started at the identity provider).",
  }),
  oidcIssuer: url('Issuer of the OpenID provider. Its metadata is discovered from there.'),
  oidcClientId: text(255, 'Our client ID at the OpenID provider.'),
  oidcScopes: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
    description: 'Scopes to request, separated by spaces. Must include `openid`.',
    examples: ['openid email profile'],
  }),
  defaultRole: StringEnum(roles, { description: 'Role of users created by their first sign-in.' }),
  allowedDomains: Type.Array(
    Type.String({ minLength: 1, maxLength: 253, description: 'A domain, such as `example.com`.' }),
    { maxItems: 100, description: 'Email domains that can sign in. Empty allows every domain.' },
  ),
  autoProvision: Type.Boolean({ description: 'True: unknown people become users when they first sign in.' }),
  enforceForAllUsers: Type.Boolean({
    description: 'True: signing in with a password or Google is disabled. Requires `enabled`.',
  }),
};
const provider = StringEnum(ssoProviders, {
  description: 'Protocol of the identity provider. none: not configured.',
});

/** A configuration as returned, without secrets. */
export const SsoConfig = Type.Object(
  {
    configured: Type.Boolean({
      description: 'False while no provider is chosen. In that case only `provider` follows.',
    }),
    provider,
    ...Type.Partial(Type.Object(settings)).properties,
    hasOidcClientSecret: Type.Optional(Type.Boolean({ description: 'True if a client secret is stored.' })),
    hasSamlCertificate: Type.Optional(Type.Boolean({ description: 'True if a certificate is stored.' })),
  },
  { description: 'Single sign-on of the tenant.' },
);
export type SsoConfig = Static<typeof SsoConfig>;

const secret = (maxLength: number, description: string) =>
  Nullable(
    Type.String({ minLength: 1, maxLength, pattern: '\\S', description: 'The secret, or eight bullets to keep it.' }),
    {
      description: `${description} Never returned. If it is omitted or sent as eight bullets, the stored value stays; null removes it.`,
    },
  );

/** The input of `configure`. Missing values don't change. */
export const SsoConfigInput = Type.Object(
  {
    provider: Type.Optional(provider),
    ...Type.Partial(Type.Object(settings)).properties,
    oidcClientSecret: Type.Optional(secret(4_096, 'Our client secret at the OpenID provider.')),
    samlCertificate: Type.Optional(
      secret(65_536, 'Signing certificates of the identity provider: PEM or plain base64, one after another.'),
    ),
  },
  { description: 'A configuration, or the parts of it to change.' },
);
export type SsoConfigInput = Static<typeof SsoConfigInput>;

const SsoAction = Type.Object(
  {
    action: StringEnum(['configure', 'get_auth_url'], { description: 'Action to take.' }),
    config: Type.Optional(SsoConfigInput),
    state: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'Required for get_auth_url: your nonce. The URL carries `<tenantId>:<nonce>`.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'Required for get_auth_url: where the provider redirects the browser. Must have the origin of ' +
          'NEXTAUTH_URL or be listed in SSO_REDIRECT_ALLOWLIST. SAML responses always go to `samlAcsUrl`.',
      }),
    ),
  },
  {
    description: 'A single sign-on action.',
    examples: [
      {
        action: 'configure',
        config: {
          provider: 'oidc',
          enabled: true,
          oidcIssuer: 'https://id.example.com',
          oidcClientId: 'arbiter',
          oidcClientSecret: 'a secret of the provider',
          allowedDomains: ['example.com'],
          autoProvision: true,
        },
      },
    ],
  },
);
export type SsoAction = Static<typeof SsoAction>;

const SsoActionAnswer = Type.Object(
  {
    success: Type.Optional(Type.Boolean({ description: 'configure: true.' })),
    message: Type.Optional(Type.String({ description: 'configure: what was done.' })),
    authUrl: Type.Optional(Type.String({ description: 'get_auth_url: where to send the browser.' })),
  },
  { description: 'Result of the action.' },
);

/** The signed-in person. */
export const SsoSignIn = Type.Object(
  {
    userId: Type.String({ format: 'uuid', description: 'ID of the user.' }),
    email: Type.String({ description: 'Email address of the user.' }),
    name: Type.String({ description: 'Name of the user.' }),
    created: Type.Boolean({ description: 'True if this sign-in created the user.' }),
    provider: StringEnum(['oidc', 'saml'], { description: 'Protocol that was used.' }),
  },
  { description: 'User who signed in.' },
);
export type SsoSignIn = Static<typeof SsoSignIn>;

const browserHeaders = Type.Object(
  {
    Cookie: Type.Optional(
      Type.String({ description: 'Cookie `arbiter_sso`, which binds the sign-in to the browser that started it.' }),
    ),
  },
  { description: 'Browser cookies.' },
);
const tenantQuery = IdText('ID of the tenant.');

const shared = { tag: 'Single sign-on', loadClass: 'crud' } as const;
const open = { ...shared, auth: 'none', role: null, errors: ['not_found'], audit: [] } as const;
const admin = { ...shared, auth: 'credential', role: 'admin' } as const;
const callback = {
  ...shared,
  auth: 'none',
  role: null,
  path: '/api/v1/sso/callback',
  // GET and POST together.
  rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip', bucket: 'sso.callback' }],
  failurePage: 'sso',
  errors: ['validation_failed', 'unauthorized', 'forbidden', 'not_configured', 'upstream_failed'],
  transaction: 'own',
} as const;
/**
 * Audit rows of a first sign-in: the user is created, linked and signed in. Later sign-ins leave only the last of
 * these.
 */
const firstSignIn = [
  { action: 'create', entityType: 'user' },
  { action: 'login', entityType: 'user' },
  { action: 'login', entityType: 'user' },
] as const;
const signedIn = {
  200: { description: 'Signed in. The session cookie is set.', schema: SsoSignIn },
  302: {
    description:
      'For browsers (`Accept: text/html`): redirects to the requested page, or to the login page with `error=sso`.',
    schema: null,
  },
} as const;

export const ssoOperations = {
  get: operation({
    ...admin,
    id: 'sso.get',
    method: 'GET',
    path: '/api/v1/sso',
    summary: 'Get the single sign-on configuration',
    responses: { 200: { description: 'The configuration without secrets.', schema: SsoConfig } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  act: operation({
    ...admin,
    id: 'sso.act',
    method: 'POST',
    path: '/api/v1/sso',
    summary: 'Configure single sign-on, or get a sign-in URL',
    headers: browserHeaders,
    body: SsoAction,
    responses: { 200: { description: 'Result of the action.', schema: SsoActionAnswer } },
    errors: ['not_configured', 'upstream_failed'],
    audit: [{ action: 'update', entityType: 'sso' }],
    transaction: 'own',
  }),
  login: operation({
    ...open,
    id: 'sso.login',
    method: 'GET',
    path: '/api/v1/sso/login',
    summary: 'Start a sign-in at the identity provider',
    head: false,
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    failurePage: 'sso',
    headers: browserHeaders,
    query: Type.Object(
      {
        tenantId: tenantQuery,
        returnTo: Type.Optional(
          Type.String({ description: 'Path on this server to open afterwards. Anything else is treated as `/`.' }),
        ),
      },
      { description: 'Tenant whose identity provider to use.' },
    ),
    responses: { 302: { description: 'Redirects to the identity provider.', schema: null } },
    errors: ['not_found', 'not_configured', 'upstream_failed'],
    transaction: 'own',
  }),
  callback: operation({
    ...callback,
    id: 'sso.callback',
    method: 'GET',
    summary: 'Complete an OpenID Connect sign-in',
    head: false,
    headers: browserHeaders,
    query: Type.Object(
      {
        code: Type.Optional(Type.String({ description: 'The authorization code. Required unless `error` is set.' })),
        state: Type.Optional(Type.String({ description: 'Required: `<tenantId>:<nonce>`, as it was sent.' })),
        iss: Type.Optional(
          Type.String({ description: "The issuer (RFC 9207). If it isn't the configured one, the call returns 401." }),
        ),
        error: Type.Optional(Type.String({ description: 'Error code from the provider.' })),
        error_description: Type.Optional(Type.String({ description: 'Error description from Google.' })),
      },
      { description: 'Response of the provider.' },
    ),
    responses: signedIn,
    audit: firstSignIn,
  }),
  receive: operation({
    ...callback,
    id: 'sso.receive',
    method: 'POST',
    summary: 'Complete a SAML sign-in (POST binding)',
    csrfExempt: true,
    bodyKind: 'jsonOrForm',
    // Assertions of users with many groups are large.
    bodyLimit: 1_048_576,
    body: Type.Object(
      {
        SAMLResponse: Type.String({ minLength: 1, description: 'The SAML response in base64.' }),
        RelayState: Type.String({ minLength: 1, description: 'ID of the tenant.' }),
      },
      {
        description: 'Response of the identity provider.',
        examples: [{ SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=', RelayState: '0199a000-0000-7000-8000-00000000000a' }],
      },
    ),
    responses: signedIn,
    audit: firstSignIn,
  }),
  metadata: operation({
    ...open,
    id: 'sso.metadata',
    method: 'GET',
    path: '/api/v1/sso/metadata',
    summary: 'Get our SAML metadata for a tenant',
    query: Type.Object({ tenantId: tenantQuery }, { description: 'Tenant to get metadata for.' }),
    responses: {
      200: {
        description: 'Metadata of the service provider.',
        schema: Type.String({ description: 'XML.' }),
        mediaType: 'application/samlmetadata+xml',
        kind: 'text',
      },
    },
    transaction: 'own',
  }),
} as const;
