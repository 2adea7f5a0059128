import { randomBytes } from 'node:crypto';
import { type OAuthScope, oauthScopes } from '@arbiter/contract';

/** A new client id: `kci_` and 16 random bytes as hex. */
export const makeClientId = (): string => `kci_${randomBytes(16).toString('hex')}`;

/** A new secret: `kcs_` and 32 random bytes as hex. */
export const makeClientSecret = (): string => `kcs_${randomBytes(32).toString('hex')}`;

/** The part of a client id that lists show as its prefix: `kci_` and 8 characters (docs/design/api-access.md 4.1). */
export const clientPrefixOf = (clientId: string): string => clientId.slice(0, 12);

/** Returns the existing scopes, each once, in the contract's order; `read` when there are none. */
export function knownScopes(asked: readonly unknown[]): OAuthScope[] {
  const known = oauthScopes.filter((scope) => asked.includes(scope));
  return known.length === 0 ? ['read'] : known;
}

/**
 * Returns a token's scopes: the requested ones, or all of the client's when none were requested. Null: one is unknown,
 * or not the client's (RFC 6749 section 5.2, `invalid_scope`).
 */
export function grantedScopes(ofClient: readonly OAuthScope[], asked: string | null): OAuthScope[] | null {
  const words = (asked ?? '').split(' ').filter((word) => word !== '');
  if (words.length === 0) return oauthScopes.filter((scope) => ofClient.includes(scope));
  const granted = ofClient.filter((scope) => words.includes(scope));
  const isWider = words.some((word) => !granted.some((scope) => scope === word));
  return isWider ? null : oauthScopes.filter((scope) => granted.includes(scope));
}
