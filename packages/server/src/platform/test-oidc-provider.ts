import { createPrivateKey } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

/** An OpenID provider for tests: oidc-provider, behind a front that can be slow, broken or a liar. */

/** The user signed in at the provider. */
export interface TestPerson {
  readonly subject: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
}

/** How a test alters an answer. */
export interface Altered {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestOidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person that everyone who visits signs in as. */
  person: TestPerson;
  /** Alters an answer of a path (`/jwks`, `/token`, `/.well-known/openid-configuration`); undefined leaves it. */
  alter: ((path: string, body: string) => Altered | undefined | Promise<Altered | undefined>) | null;
  /** Alters the claims of ID tokens, which are then signed again with the provider's own key. */
  claims: ((claims: Record<string, unknown>) => Record<string, unknown>) | null;
  /** From now on another key signs, under another id. */
  rotateKeys(): Promise<void>;
  /** A key that the provider does not have. */
  readonly foreignKey: JWK;
  /** Requests so far, as `METHOD /path`. */
  readonly asked: string[];
  /** Acts as a browser at the start address of a sign-in. Returns where it's sent back to. */
  visit(url: string): Promise<URL>;
  close(): Promise<void>;
}

export interface TestOidcOptions {
  readonly redirectUris: readonly string[];
  /** Put the person's claims in the ID token; otherwise only the userinfo endpoint returns them. */
  readonly claimsInIdToken?: boolean;
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
}

let made = 0;

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  made += 1;
  return { ...(await exportJWK(privateKey)), kid: `key-${made}`, alg: 'RS256', use: 'sig' };
}

export async function startOidcProvider(options: TestOidcOptions): Promise<TestOidcProvider> {
  const front = await listen((incoming, outgoing) => void forward(incoming, outgoing));
  const issuer = `http://127.0.0.1:${portOf(front)}`;
  const clientId = 'arbiter';
  const clientSecret = 'a secret: with odd % characters & +';
  let person: TestPerson = { subject: 'subject-1', email: 'ann@good.example', emailVerified: true, name: 'Ann' };
  let alter: TestOidcProvider['alter'] = null;
  let claims: TestOidcProvider['claims'] = null;
  let signingKey = await newKey();
  const asked: string[] = [];
  const stored = new Map<string, AdapterPayload>();
  const build = (key: JWK) =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [...options.redirectUris],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: options.authMethod ?? 'client_secret_basic',
        },
      ],
      // Codes outlive the instance that gave them, as they outlive a key.
      adapter: (model) => storeOf(stored, model),
      jwks: { keys: [key] },
      conformIdTokenClaims: options.claimsInIdToken !== true,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, subject) => ({
        accountId: subject,
        claims: () => ({
          sub: subject,
          ...(person.email === undefined ? {} : { email: person.email }),
          ...(person.emailVerified === undefined ? {} : { email_verified: person.emailVerified }),
          ...(person.name === undefined ? {} : { name: person.name }),
        }),
      }),
      cookies: { keys: ['a key of the tests'] },
    });
  let provider = build(signingKey);
  const inner = await listen((incoming, outgoing) => {
    if (incoming.url?.startsWith('/interaction/') === true) void interact(incoming, outgoing);
    else void provider.callback()(incoming, outgoing);
  });

  /** Signs in and consents, like a person who clicks through both pages. */
  async function interact(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(incoming, outgoing);
    const grant = new provider.Grant({ accountId: person.subject, clientId });
    grant.addOIDCScope(String(params.scope));
    const grantId = await grant.save();
    await provider.interactionFinished(
      incoming,
      outgoing,
      { login: { accountId: person.subject }, consent: { grantId } },
      { mergeWithLastSubmission: false },
    );
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').split('?')[0] ?? '/';
    asked.push(`${incoming.method} ${path}`);
    const answer = await passOn(incoming, portOf(inner));
    let body = answer.body;
    if (path === '/token' && claims !== null && answer.status === 200) body = await resigned(body, claims, signingKey);
    const altered = (await alter?.(path, body)) ?? {};
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = answer.headers;
    outgoing.writeHead(altered.status ?? answer.status, { ...headers, ...altered.headers });
    outgoing.end(altered.body ?? body);
  }

  return {
    issuer,
    clientId,
    clientSecret,
    foreignKey: await newKey(),
    asked,
    get person() {
      return person;
    },
    set person(value) {
      person = value;
    },
    get alter() {
      return alter;
    },
    set alter(value) {
      alter = value;
    },
    get claims() {
      return claims;
    },
    set claims(value) {
      claims = value;
    },
    async rotateKeys() {
      signingKey = await newKey();
      provider = build(signingKey);
    },
    visit: (url) => visit(url, issuer),
    async close() {
      for (const server of [front, inner]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Stores the provider's data in memory. */
function storeOf(stored: Map<string, AdapterPayload>, model: string): Adapter {
  const keyOf = (id: string) => `${model}:${id}`;
  const find = async (matches: (payload: AdapterPayload) => boolean) => [...stored.values()].find(matches);
  return {
    upsert: async (id, payload) => void stored.set(keyOf(id), payload),
    find: async (id) => stored.get(keyOf(id)),
    findByUid: (uid) => find((payload) => payload.uid === uid),
    findByUserCode: (userCode) => find((payload) => payload.userCode === userCode),
    consume: async (id) => {
      const payload = stored.get(keyOf(id));
      if (payload !== undefined) stored.set(keyOf(id), { ...payload, consumed: Math.floor(Date.now() / 1000) });
    },
    destroy: async (id) => void stored.delete(keyOf(id)),
    revokeByGrantId: async (grantId) => {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
    },
  };
}

/** Returns the same token answer with other claims in the ID token, signed with this key. */
export async function resigned(
  body: string,
  change: (claims: Record<string, unknown>) => Record<string, unknown>,
  key: JWK,
): Promise<string> {
  const tokens: Record<string, unknown> = JSON.parse(body);
  const payload = Buffer.from(String(tokens.id_token).split('.')[1] ?? '', 'base64url').toString('utf8');
  const id_token = await new SignJWT(change(JSON.parse(payload)))
    .setProtectedHeader({ alg: 'RS256', ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .sign(createPrivateKey({ key: { ...key }, format: 'jwk' }));
  return JSON.stringify({ ...tokens, id_token });
}

/** Follows redirects at the provider, with its cookies, up to the first that leads elsewhere. */
async function visit(start: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let steps = 0; url.origin === new URL(issuer).origin; steps += 1) {
    if (steps > 10) throw new Error(`the provider leads nowhere: ${url.href}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of answer.headers.getSetCookie()) {
      const [pair = ''] = each.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
  }
  return url;
}

async function listen(handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface PassedOn {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function passOn(incoming: IncomingMessage, port: number): Promise<PassedOn> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = incoming;
    const outgoing = request({ port, host: '127.0.0.1', method, path: url, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    outgoing.on('error', reject);
    incoming.pipe(outgoing);
  });
}
