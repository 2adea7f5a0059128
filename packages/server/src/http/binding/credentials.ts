import { type Role, roles } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { headerValues, sentOtherwise } from '../input/request-headers.ts';
import type { PresentedCredential, Principal } from '../principal.ts';

/** Request headers as Node provides them. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
}

/**
 * Form of an API key, including bootstrap keys (docs/design/api-access.md 4.1). Longer values aren't looked up at all.
 */
const apiKeyForm = /^krn_[A-Za-z0-9_-]{20,128}$/;

/**
 * Returns the credential of a request: `Authorization: Bearer` before `X-API-Key` before the session cookie
 * (docs/design/api-access.md 4). Null when there is none. Throws `unauthorized` for a bearer that can't be a key and
 * for two credentials that differ.
 */
export function presentedCredential(request: RequestHeaders): PresentedCredential | null {
  const bearer = bearerOf(request);
  const key = apiKeyOf(request);
  if (bearer !== null && key !== null && bearer !== key) {
    throw unauthorized('The request has two different credentials.');
  }
  const value = bearer ?? key;
  if (value === null) {
    const session = sessionOf(request);
    return session === null ? null : { kind: 'session', value: session };
  }
  if (apiKeyForm.test(value)) return { kind: 'apiKey', value };
  // A bearer that doesn't start like a key is an access token (docs/design/api-access.md 4).
  if (bearer === null || value.startsWith('krn_')) throw new WrongCredential();
  return { kind: 'accessToken', value };
}

/** The credential was rejected. Counts as an attempt to guess, unlike a missing one. */
export class WrongCredential extends AppError {
  constructor() {
    // RFC 6750 section 3.1.
    const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
    super('unauthorized', { detail: 'The credential is invalid.', headers });
  }
}

export function unauthorized(detail: string): AppError {
  return new AppError('unauthorized', { detail });
}

function bearerOf(request: RequestHeaders): string | null {
  const first = request.headers.authorization;
  if (typeof first !== 'string') return null;
  // Node keeps the first of several values and silently drops the rest.
  if (sentOtherwise(request.rawHeaders, 'authorization', first)) {
    throw unauthorized('The request has two different credentials.');
  }
  return bearerToken(first);
}

const bearerScheme = /^bearer(\s|$)/i;

/** Returns the token of `Bearer <token>`; null when the header uses another scheme. Blank counts as absent (T5). */
export function bearerToken(header: string): string | null {
  if (!bearerScheme.test(header)) return null;
  const token = header.slice('bearer'.length).trim();
  return token === '' ? null : token;
}

function apiKeyOf(request: RequestHeaders): string | null {
  const value = request.headers['x-api-key'];
  if (typeof value !== 'string') return null;
  const key = value.trim();
  if (key === '') return null;
  if (!key.includes(',')) return key;
  // A key contains no comma, so Node has joined several headers.
  const distinct = [...new Set(headerValues(request.rawHeaders, 'x-api-key').map((each) => each.trim()))];
  if (distinct.length > 1) throw unauthorized('The request has two different credentials.');
  return distinct[0] ?? null;
}

/** Name of the session cookie. */
export const sessionCookie = 'arbiter_session';

/** Returns the session cookie's value, or null. Two different ones can't both be the caller's: 401. */
function sessionOf(request: RequestHeaders): string | null {
  const header = request.headers.cookie;
  if (typeof header !== 'string' || !header.includes(sessionCookie)) return null;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${sessionCookie}=`))
    .map((pair) => pair.slice(sessionCookie.length + 1))
    .filter((value) => value !== '');
  if (new Set(values).size > 1) throw unauthorized('The request has two different sessions.');
  return values[0] ?? null;
}

/**
 * A browser sends the cookie for any page that calls us, and `Origin` says which page that was. Our own origins are the
 * public address, the allowed origins and the address that was called (docs/design/api-access.md 22).
 */
export function isOwnOrigin(
  { headers }: RequestHeaders,
  own: { readonly publicUrl: string; readonly corsAllowedOrigins: readonly string[] },
): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (typeof origin !== 'string') return false;
  if (origin === new URL(own.publicUrl).origin || own.corsAllowedOrigins.includes(origin)) return true;
  return typeof host === 'string' && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Throws unless `X-Tenant-Id` names the credential's tenant: 403 `tenant_mismatch`, or 400 for two values (T13). */
export function checkTenantHeader(request: RequestHeaders, tenantId: string): void {
  const sent = request.headers['x-tenant-id'];
  if (typeof sent !== 'string' || sent === tenantId) return;
  const values = new Set(headerValues(request.rawHeaders, 'x-tenant-id').map((value) => value.trim().toLowerCase()));
  if (values.size > 1) {
    const message = 'was sent with two different values';
    const path = 'header.X-Tenant-Id';
    throw new AppError('malformed_request', { detail: `${path} ${message}`, errors: [{ path, message }] });
  }
  const [value] = values;
  if (value !== undefined && value !== '' && value !== tenantId) {
    throw new AppError('tenant_mismatch', { detail: "X-Tenant-Id doesn't match the tenant of the credential." });
  }
}

/**
 * Returns the role of this request. `X-User-Role` lowers it but never raises it; unknown values change nothing
 * (docs/design/api-access.md 3). Node joins repeated headers with commas, and the lowest one counts.
 */
export function effectiveRole(request: RequestHeaders, principal: Principal): Role {
  const requestedRole = request.headers['x-user-role'];
  if (typeof requestedRole !== 'string') return principal.role;
  const names: readonly string[] = roles;
  const ranks = requestedRole.split(',').map((role) => names.indexOf(role.trim()));
  const lowest = Math.min(roles.indexOf(principal.role), ...ranks.filter((rank) => rank >= 0));
  return roles[lowest] ?? principal.role;
}

export function reaches(role: Role, minimum: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(minimum);
}

const apiScopes = ['read', 'write', 'admin'];

/** A credential with only the scope `scim` opens nothing but SCIM routes (docs/design/api-access.md 4.1). */
export function opensTheApi(principal: Principal): boolean {
  return principal.scopes.some(isApiScope);
}

const isApiScope = (scope: string): boolean => apiScopes.includes(scope);
