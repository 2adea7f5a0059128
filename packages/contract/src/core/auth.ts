/** How a caller authenticates: the values of an operation's `auth` (docs/design/api-access.md 4). */

/**
 * A secret from the operator's configuration. The first of `headers` that is sent is the only one checked; without any,
 * `Authorization: Bearer` is. The first of `variables` that is set holds the secret; while none is set, every call
 * returns 401.
 */
export interface SecretAuth {
  readonly kind: 'secret';
  /** Variables of the configuration, the preferred one first: `CRON_TOKEN`, `CRON_SECRET`. */
  readonly variables: readonly [string, ...string[]];
  /** Headers that may carry the secret, lower case, the preferred one first. */
  readonly headers: readonly string[];
}

/**
 * A keyed hash over the body's bytes as received, checked before parsing (RFC 2104). While the variable is unset, every
 * call is 401.
 */
export interface SignatureAuth {
  readonly kind: 'signature';
  /** Variable of the configuration that holds the key. */
  readonly variable: string;
  /** Header that carries `<prefix><hex HMAC-SHA256>`, lower case. */
  readonly header: string;
  readonly prefix: string;
  /** True: a provider's own signature of the bytes is accepted too, where its key is configured. */
  readonly orProviders?: true;
}

/**
 * `credential`: API key, access token or session; `session`: a person's session only; `scim`: an API key with
 * scope `scim`, or an administrator's session; `none`: open.
 */
export type Auth = 'credential' | 'session' | 'scim' | 'none' | SecretAuth | SignatureAuth;

/** Declares a shared secret from the configuration. */
export function secret<const V extends readonly [string, ...string[]]>(variables: V, headers: readonly string[] = []) {
  return { kind: 'secret', variables, headers } as const satisfies SecretAuth;
}

/** Declares a signature over the raw body. */
export function signature(
  variable: string,
  header: string,
  prefix = 'sha256=',
  options: Pick<SignatureAuth, 'orProviders'> = {},
): SignatureAuth {
  return { kind: 'signature', variable, header, prefix, ...options };
}

export function isSecret(auth: Auth): auth is SecretAuth {
  return typeof auth === 'object' && auth.kind === 'secret';
}

export function isSignature(auth: Auth): auth is SignatureAuth {
  return typeof auth === 'object' && auth.kind === 'signature';
}

/** True if the caller belongs to a tenant, which the credential determines. */
export function namesTenant(auth: Auth): boolean {
  return auth === 'credential' || auth === 'session' || auth === 'scim';
}
