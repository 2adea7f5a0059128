import Type, { type Static } from 'typebox';
import { operation, roles } from './core/operation.ts';
import { IdText, Nullable, StringEnum } from './core/schemas.ts';

/** Single sign-on of a tenant's people (contract part 1, 2 and 4.4; docs/design/api-access.md 4.3 and 22 "SSO"). */

export const ssoProviders = ['oidc', 'saml', 'none'] as const;
export type SsoProvider = (typeof ssoProviders)[number];

/** What a secret that is stored looks like when it is sent back: it then stays as it is. */
export const ssoSecretBullets = '••••••••';

/** Seconds in which a sign-in that was begun at the identity provider must come back. */
export const ssoStateSeconds = 600;

const url = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 2_048, description: 'A URL.' }), { description });
const text = (maxLength: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength, pattern: '\\S', description: 'A text.' }), { description });

const settings = {
  enabled: Type.Boolean({ description: 'True: people of the tenant may sign in through the identity provider.' }),
  samlEntityId: text(
    1_024,
    "Entity id of the identity provider: the Issuer of its assertions. Ours is our metadata's.",
  ),
  samlSsoUrl: url('Where people are sent to sign in, by the redirect binding.'),
  samlAcsUrl: url('Where the identity provider posts assertions; null: `/api/v1/sso/callback` of the public address.'),
  samlAllowUnsolicited: Type.Boolean({
    description:
      'True: assertions that answer no request of ours are taken (sign-in that begins at the identity provider).',
  }),
  oidcIssuer: url('Issuer of the OpenID provider; its metadata are found from there.'),
  oidcClientId: text(255, 'Our client id at the OpenID provider.'),
  oidcScopes: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
    description: 'Scopes that are asked for, separated by spaces; `openid` must be one of them.',
    examples: ['openid email profile'],
  }),
  defaultRole: StringEnum(roles, { description: 'Role of people whom their first sign-in makes users.' }),
  allowedDomains: Type.Array(
    Type.String({ minLength: 1, maxLength: 253, description: 'A domain, for example `example.com`.' }),
    { maxItems: 100, description: 'Domains of addresses that may sign in; empty: any.' },
  ),
  autoProvision: Type.Boolean({ description: 'True: strangers become users by their first sign-in.' }),
  enforceForAllUsers: Type.Boolean({
    description: 'True: passwords and Google open nothing any more. Needs `enabled`.',
  }),
};
const provider = StringEnum(ssoProviders, {
  description: 'Protocol of the identity provider; none: nothing is configured.',
});

/** A configuration as it is read. Secrets are not in it. */
export const SsoConfig = Type.Object(
  {
    configured: Type.Boolean({ description: 'False while no provider is chosen; then only `provider` follows.' }),
    provider,
    ...Type.Partial(Type.Object(settings)).properties,
    hasOidcClientSecret: Type.Optional(Type.Boolean({ description: 'True when the client secret is stored.' })),
    hasSamlCertificate: Type.Optional(Type.Boolean({ description: 'True when a certificate is stored.' })),
  },
  { description: 'Single sign-on of the tenant.' },
);
export type SsoConfig = Static<typeof SsoConfig>;

const secret = (maxLength: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength, pattern: '\\S', description: 'The secret, or eight bullets.' }), {
    description: `${description} Never shown again. Absent or sent as eight bullets it stays; null takes it away.`,
  });

/** What `configure` takes; what is left out stays. */
export const SsoConfigInput = Type.Object(
  {
    provider: Type.Optional(provider),
    ...Type.Partial(Type.Object(settings)).properties,
    oidcClientSecret: Type.Optional(secret(4_096, 'Our client secret at the OpenID provider.')),
    samlCertificate: Type.Optional(
      secret(65_536, "The identity provider's signing certificates: PEM or bare base64, several one after the other."),
    ),
  },
  { description: 'A configuration, or the parts of it that change.' },
);
export type SsoConfigInput = Static<typeof SsoConfigInput>;

const SsoAction = Type.Object(
  {
    action: StringEnum(['configure', 'get_auth_url'], { description: 'What to do.' }),
    config: Type.Optional(SsoConfigInput),
    state: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[\\x21-\\x7e]+$',
        description: "For get_auth_url, required: the caller's nonce. The url carries `<tenantId>:<nonce>`.",
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'For get_auth_url, required: where the provider sends the browser back to. Of the origin of NEXTAUTH_URL or one ' +
          'of SSO_REDIRECT_ALLOWLIST. SAML answers always go to `samlAcsUrl`.',
      }),
    ),
  },
  {
    description: 'A call of single sign-on.',
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
  { description: 'What came of it.' },
);

/** Who signed in (contract part 1, 4.4). */
export const SsoSignIn = Type.Object(
  {
    userId: Type.String({ format: 'uuid', description: 'Id of the user.' }),
    email: Type.String({ description: 'Address of the user.' }),
    name: Type.String({ description: 'Name of the user.' }),
    created: Type.Boolean({ description: 'True when this sign-in made the user.' }),
    provider: StringEnum(['oidc', 'saml'], { description: 'Protocol by which it was done.' }),
  },
  { description: 'Who signed in.' },
);
export type SsoSignIn = Static<typeof SsoSignIn>;

const browserHeaders = Type.Object(
  {
    Cookie: Type.Optional(
      Type.String({ description: '`arbiter_sso` binds the sign-in to the browser that began it.' }),
    ),
  },
  { description: 'Of the browser.' },
);
const tenantQuery = IdText('Id of the tenant.');

const shared = { tag: 'Single sign-on', loadClass: 'crud' } as const;
const open = { ...shared, auth: 'none', role: null, errors: ['not_found'], audit: [] } as const;
const admin = { ...shared, auth: 'credential', role: 'admin' } as const;
const callback = {
  ...shared,
  auth: 'none',
  role: null,
  path: '/api/v1/sso/callback',
  // GET and POST together (contract part 1, section 8).
  rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip', bucket: 'sso.callback' }],
  failurePage: 'sso',
  errors: ['validation_failed', 'unauthorized', 'forbidden', 'not_configured', 'upstream_failed'],
  transaction: 'own',
} as const;
/** Audit rows of a first sign-in: the user is made, linked and signed in. Later sign-ins leave only the last of these. */
const firstSignIn = [
  { action: 'create', entityType: 'user' },
  { action: 'login', entityType: 'user' },
  { action: 'login', entityType: 'user' },
] as const;
const signedIn = {
  200: { description: 'Signed in; the cookie of the session is set.', schema: SsoSignIn },
  302: {
    description: 'For browsers (`Accept: text/html`): the page that was asked for, or the login page with `error=sso`.',
    schema: null,
  },
} as const;

export const ssoOperations = {
  get: operation({
    ...admin,
    id: 'sso.get',
    method: 'GET',
    path: '/api/v1/sso',
    summary: 'Read the single sign-on configuration',
    responses: { 200: { description: 'The configuration without its secrets.', schema: SsoConfig } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  act: operation({
    ...admin,
    id: 'sso.act',
    method: 'POST',
    path: '/api/v1/sso',
    summary: 'Configure single sign-on, or get the address where a sign-in begins',
    headers: browserHeaders,
    body: SsoAction,
    responses: { 200: { description: 'What came of it.', schema: SsoActionAnswer } },
    errors: ['not_configured', 'upstream_failed'],
    audit: [{ action: 'update', entityType: 'sso' }],
    transaction: 'own',
  }),
  login: operation({
    ...open,
    id: 'sso.login',
    method: 'GET',
    path: '/api/v1/sso/login',
    summary: 'Begin a sign-in at the identity provider',
    head: false,
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'ip' }],
    failurePage: 'sso',
    headers: browserHeaders,
    query: Type.Object(
      {
        tenantId: tenantQuery,
        returnTo: Type.Optional(
          Type.String({ description: 'Own path that the browser is sent to afterwards; anything else counts as `/`.' }),
        ),
      },
      { description: 'Whose identity provider.' },
    ),
    responses: { 302: { description: 'To the identity provider.', schema: null } },
    errors: ['not_found', 'not_configured', 'upstream_failed'],
    transaction: 'own',
  }),
  callback: operation({
    ...callback,
    id: 'sso.callback',
    method: 'GET',
    summary: 'Finish an OpenID Connect sign-in',
    head: false,
    headers: browserHeaders,
    query: Type.Object(
      {
        code: Type.Optional(Type.String({ description: 'The authorization code; required unless `error` is there.' })),
        state: Type.Optional(Type.String({ description: 'Required: `<tenantId>:<nonce>`, as it was sent.' })),
        iss: Type.Optional(
          Type.String({ description: 'The issuer (RFC 9207); another one than the configured is 401.' }),
        ),
        error: Type.Optional(Type.String({ description: 'What the provider says went wrong.' })),
        error_description: Type.Optional(Type.String({ description: 'The same for people.' })),
      },
      { description: "The provider's answer." },
    ),
    responses: signedIn,
    audit: firstSignIn,
  }),
  receive: operation({
    ...callback,
    id: 'sso.receive',
    method: 'POST',
    summary: 'Finish a SAML sign-in (POST binding)',
    csrfExempt: true,
    bodyKind: 'jsonOrForm',
    // Assertions of users with many groups are large.
    bodyLimit: 1_048_576,
    body: Type.Object(
      {
        SAMLResponse: Type.String({ minLength: 1, description: 'The response in base64.' }),
        RelayState: Type.String({ minLength: 1, description: 'Id of the tenant.' }),
      },
      {
        description: "The identity provider's answer.",
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
    summary: 'Read our SAML metadata for a tenant',
    query: Type.Object({ tenantId: tenantQuery }, { description: 'Which tenant.' }),
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
