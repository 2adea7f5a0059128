import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import type { Outbound } from './outbound/outbound.ts';

/** Our registration at an OpenID provider. */
export interface OidcRegistration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** State of a sign-in that its return is checked against. Each value is generated for this one sign-in. */
export interface OidcAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** The signed-in person, according to the provider. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Null when the provider doesn't report it. */
  readonly emailVerified: boolean | null;
  readonly name: string | null;
}

/**
 * A failed sign-in. `provider`: it couldn't be reached. `refused`: it rejected the sign-in, or its answer can't be
 * trusted.
 */
export class OidcError extends Error {
  readonly reason: 'provider' | 'refused';

  constructor(reason: 'provider' | 'refused', cause: unknown) {
    super(`OpenID Connect: ${reason}`, { cause });
    this.name = 'OidcError';
    this.reason = reason;
  }
}

/** Sign-in by the authorization code flow (OpenID Connect Core 1.0, section 3.1). */
export interface OidcClient {
  /** The address where the sign-in begins. Throws OidcError. */
  begin(registration: OidcRegistration, attempt: OidcAttempt, scope: string): Promise<string>;
  /** The person of an answer of the provider. `answer`: the query with which the browser came back. Throws OidcError. */
  finish(
    registration: OidcRegistration,
    attempt: OidcAttempt,
    answer: Readonly<Record<string, string>>,
  ): Promise<OidcPerson>;
}

/** A sign-in that waits for a provider is answered within 5 s (docs/design/api-access.md 22 "SSO"). */
const everythingWithinMs = 4_500;
/** No key set is larger. */
const maxBytes = 1_048_576;

/**
 * Creates a client that follows the rules of outbound calls. It fetches metadata and keys for each sign-in, so a
 * rotated key or a new endpoint works immediately.
 */
export function createOidcClient(
  outbound: Outbound,
  {
    allowHttp,
    withinMs = everythingWithinMs,
  }: {
    readonly allowHttp: boolean;
    /** Tests: milliseconds that a sign-in waits for a provider in all. */
    readonly withinMs?: number;
  },
): OidcClient {
  async function discover(registration: OidcRegistration, calls: OidcCalls): Promise<Configuration> {
    try {
      const config = await discovery(
        new URL(registration.issuer),
        registration.clientId,
        { client_secret: registration.clientSecret },
        secretAuth(registration.clientSecret),
        { [customFetch]: calls.fetch, execute: allowHttp ? [allowInsecureRequests] : [] },
      );
      // Otherwise the library trusts an ID token from the token endpoint for its connection, without checking the
      // signature.
      enableNonRepudiationChecks(config);
      return config;
    } catch (error) {
      throw new OidcError('provider', error);
    }
  }

  return {
    async begin(registration, attempt, scope) {
      const config = await discover(registration, callsBy(outbound, withinMs));
      if (config.serverMetadata().authorization_endpoint === undefined) {
        throw new OidcError('provider', new Error('the metadata has no authorization_endpoint'));
      }
      return buildAuthorizationUrl(config, {
        redirect_uri: attempt.redirectUri,
        scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      }).href;
    },

    async finish(registration, attempt, answer) {
      const calls = callsBy(outbound, withinMs);
      const config = await discover(registration, calls);
      const answered = new URL(attempt.redirectUri);
      for (const [name, value] of Object.entries(answer)) answered.searchParams.set(name, value);
      try {
        const tokens = await authorizationCodeGrant(config, answered, {
          pkceCodeVerifier: attempt.codeVerifier,
          expectedNonce: attempt.nonce,
          expectedState: attempt.state,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('no ID token');
        // A client that authenticates only itself must be the party to whom the token was issued.
        if (claims.azp !== undefined && claims.azp !== registration.clientId)
          throw new Error('azp is a different client');
        if (!isSubject(claims.sub)) throw new Error('sub is empty, too long or not plain text');
        const needsUserinfo = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
        const facts = needsUserinfo ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: textOf(facts.email),
          emailVerified: typeof facts.email_verified === 'boolean' ? facts.email_verified : null,
          name: textOf(facts.name) ?? textOf(claims.name),
        };
      } catch (error) {
        throw new OidcError(calls.failed() || isBroken(error) ? 'provider' : 'refused', error);
      }
    },
  };
}

/** The person's id at the provider. The standard allows 255 ASCII characters; some providers send more. */
const isSubject = (subject: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no column holds them.
  subject.trim() !== '' && [...subject].length <= 1_024 && !/[\u0000-\u001f\u007f]/.test(subject);

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Codes of openid-client for answers that are no answers. */
const brokenCodes = ['OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_MISSING_SERVER_METADATA'];

const isBroken = (error: unknown): boolean =>
  error instanceof Error && brokenCodes.includes(String(Reflect.get(error, 'code')));

/**
 * Uses HTTP Basic, which every provider must support (RFC 6749 section 2.3.1), unless this one supports only the body.
 */
function secretAuth(secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = !methods.includes('client_secret_basic') && methods.includes('client_secret_post') ? post : basic;
    auth(server, client, body, headers);
  };
}

/** The calls of one sign-in, which share its time. */
interface OidcCalls {
  readonly fetch: CustomFetch;
  /** Returns true when the provider couldn't be reached, or reported that it can't answer. */
  failed(): boolean;
}

function callsBy(outbound: Outbound, withinMs: number): OidcCalls {
  const until = performance.now() + withinMs;
  let failed = false;
  return {
    failed: () => failed,
    async fetch(url, { method, headers, body }) {
      try {
        const answer = await outbound.call(url, {
          method: method === 'POST' ? 'POST' : 'GET',
          headers,
          ...(body === undefined || body === null ? {} : { body: bodyText(body) }),
          timeoutMs: Math.max(1, Math.round(until - performance.now())),
          maxBytes,
          anyPort: true,
        });
        // A failed read is the provider's fault; of writes only 5xx is.
        if (answer.status >= 500 || (method === 'GET' && answer.status !== 200)) failed = true;
        const isEmpty = [101, 204, 205, 304].includes(answer.status);
        return new Response(isEmpty ? null : new Uint8Array(answer.body), {
          status: answer.status,
          headers: answer.headers,
        });
      } catch (error) {
        failed = true;
        throw error;
      }
    },
  };
}

function bodyText(body: NonNullable<Parameters<CustomFetch>[1]['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error('a sign-in only sends forms');
}
