import { type KeyObject, randomBytes } from 'node:crypto';
import {
  type ApiKeyScope,
  apiKeyPattern,
  apiKeyScopes,
  type OAuthScope,
  oauthScopes,
  type Role,
  roles,
} from '@arbiter/contract';
import { hmac } from '../../../platform/crypto/crypto.ts';

/**
 * The HMAC key derived from API_KEY_PEPPER (`keyOf`); null: unset or blank, and then nothing can be verified or
 * created.
 */
export type Pepper = KeyObject | null;

/** Returns what's stored and looked up instead of the key: HMAC-SHA256 under the pepper. */
export function hashApiKey(pepper: KeyObject, key: string): Buffer {
  return hmac(pepper, key);
}

const form = new RegExp(apiKeyPattern);

/** True for text that can be a key at all. */
export function isApiKey(text: string): boolean {
  return form.test(text);
}

/** Name of a credential that was created without one: `key-2026-11-30T04:31:00Z`. */
export function datedName(prefix: string, at: Date): string {
  return `${prefix}-${at.toISOString().slice(0, 19)}Z`;
}

/** A new key: `krn_` and 32 random bytes as hex (docs/design/api-access.md 4.1). */
export function makeApiKey(): string {
  return `krn_${randomBytes(32).toString('hex')}`;
}

/** The part of a key that may be shown: `krn_` and 8 characters. */
export function prefixOf(key: string): string {
  return key.slice(0, 12);
}

/** Role by the highest scope; null for a key that opens SCIM routes only (docs/design/api-access.md 4.1). */
export function roleOfScopes(scopes: readonly ApiKeyScope[]): Role | null {
  if (scopes.includes('admin')) return 'admin';
  if (scopes.includes('write')) return 'editor';
  return scopes.includes('read') ? 'viewer' : null;
}

const scopeOfRole = { admin: 'admin', editor: 'write', viewer: 'read' } as const;

/**
 * Returns a credential's current scopes: those it was given, as far as its owner's role allows. `scim` requires an
 * admin.
 * @param ownerRole null for the operator, who has no role and no limit
 */
export function scopesOfOwner<Scope extends ApiKeyScope>(
  scopes: readonly Scope[],
  ownerRole: Role | null,
): (Scope | OAuthScope)[] {
  if (ownerRole === null || ownerRole === 'admin') return [...scopes];
  const granted: readonly string[] = scopes;
  const role = roleOfScopes(scopes);
  if (role === null) return [];
  const highest = roles.indexOf(role) < roles.indexOf(ownerRole) ? role : ownerRole;
  // A key of `admin` alone is an admin's key; its owner as an editor keeps `write`.
  return oauthScopes
    .slice(0, roles.indexOf(highest) + 1)
    .filter((scope) => scope === scopeOfRole[highest] || granted.includes(scope));
}

/** Returns each scope once, in the contract's order. */
export function orderedScopes(scopes: readonly ApiKeyScope[]): ApiKeyScope[] {
  return apiKeyScopes.filter((scope) => scopes.includes(scope));
}

/**
 * Returns the person behind an actor (docs/design/quality.md E3), or the key or client whose person must be looked up.
 */
export function personOf(
  actorId: string,
): { readonly person: string } | { readonly apiKeyId: string } | { readonly oauthClientId: string } {
  if (actorId.startsWith('apikey:')) return { apiKeyId: actorId.slice('apikey:'.length) };
  if (actorId.startsWith('oauth:')) return { oauthClientId: actorId.slice('oauth:'.length) };
  return { person: actorId.startsWith('system:') ? 'system' : actorId };
}
