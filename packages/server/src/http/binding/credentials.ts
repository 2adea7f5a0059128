import { type Role, roles } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { headerValues, sentOtherwise } from '../input/request-headers.ts';
import type { PresentedCredential, Principal } from '../principal.ts';

/** Headers of a request as node gives them. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
}

/** Form of an API key, bootstrap keys included (docs/design/api-access.md 4.1). Anything longer is not looked up at all. */
const apiKeyForm = /^krn_[A-Za-z0-9_-]{20,128}$/;

/**
 * The credential that a request presents: `Authorization: Bearer` before `X-API-Key` before the session's cookie
 * (docs/design/api-access.md 4). Null when it presents none; throws `unauthorized` for a bearer that cannot be a key and
 * for two that differ.
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
  // A bearer that does not begin like a key is an access token (docs/design/api-access.md 4).
  if (bearer === null || value.startsWith('krn_')) throw new WrongCredential();
  return { kind: 'accessToken', value };
}

/** A credential was presented and refused: counted against guessing, unlike a missing one. */
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
  // Node keeps the first of several and drops the rest without a word.
  if (sentOtherwise(request.rawHeaders, 'authorization', first)) {
    throw unauthorized('The request has two different credentials.');
  }
  return bearerToken(first);
}

const bearerScheme = /^bearer(\s|$)/i;

/** The token of `Bearer <token>`; null when the header is of another scheme; blank counts as absent (T5). */
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
  // A key holds no comma, so node has joined several headers.
  const distinct = [...new Set(headerValues(request.rawHeaders, 'x-api-key').map((each) => each.trim()))];
  if (distinct.length > 1) throw unauthorized('The request has two different credentials.');
  return distinct[0] ?? null;
}

/** Name of the cookie that holds a session. */
export const sessionCookie = 'arbiter_session';

/** The session's cookie; null when there is none. Two that differ cannot both be the caller's: 401. */
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
 * A browser sends the cookie along with whatever page makes it call; `Origin` says which page that was. Own are the public
 * address, the allowed origins and the address that was called (docs/design/api-access.md 22).
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

/** `X-Tenant-Id` must name the credential's tenant: 403 `tenant_mismatch`, 400 when sent with two values (T13). */
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
 * The role of this request: `X-User-Role` lowers, never raises; an unknown value changes nothing (docs/design/api-access.md 3).
 * Node joins repeated headers with commas; the lowest of them counts.
 */
export function effectiveRole(request: RequestHeaders, principal: Principal): Role {
  const asked = request.headers['x-user-role'];
  if (typeof asked !== 'string') return principal.role;
  const names: readonly string[] = roles;
  const ranks = asked.split(',').map((role) => names.indexOf(role.trim()));
  const lowest = Math.min(roles.indexOf(principal.role), ...ranks.filter((rank) => rank >= 0));
  return roles[lowest] ?? principal.role;
}

export function reaches(role: Role, minimum: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(minimum);
}

const apiScopes = ['read', 'write', 'admin'];

/** A credential with only the scope `scim` opens SCIM routes and nothing else (docs/design/api-access.md 4.1). */
export function opensTheApi(principal: Principal): boolean {
  return principal.scopes.some(isApiScope);
}

const isApiScope = (scope: string): boolean => apiScopes.includes(scope);
