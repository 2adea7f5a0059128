import { AppError } from '../../../platform/app-error.ts';

/** A token request as sent, before any checks. `undefined`: not sent. */
export interface TokenRequest {
  readonly grantType: unknown;
  readonly clientId: unknown;
  readonly clientSecret: unknown;
  readonly scope: unknown;
}

/** The client that a request names, with its secret. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

const longestCountedId = 128;
const basicScheme = /^basic\s+/i;

/** A refusal in the words of RFC 6749 section 5.2. */
export const tokenError = (formatCode: string, detail: string): AppError =>
  new AppError(formatCode === 'invalid_client' ? 'unauthorized' : 'validation_failed', { formatCode, detail });

/**
 * Client and secret of `Authorization: Basic` (RFC 6749 section 2.3.1: each form-encoded); null when the header is absent or
 * of another scheme. Throws `invalid_request` for one that cannot be read.
 */
export function basicCredentials(header: string | undefined): ClientCredentials | null {
  if (header === undefined || !basicScheme.test(header)) return null;
  const text = Buffer.from(header.replace(basicScheme, '').trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    if (colon >= 0)
      return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) };
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw tokenError('invalid_request', "The Authorization header can't be read.");
}

const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Returns whom a call counts for (docs/design/api-access.md 22): the one client that it names, null when it names none
 * that can be counted.
 */
export function countedClient(inBody: unknown, inHeader: string | null): string | null {
  const named = [inBody, inHeader].filter((id) => typeof id === 'string' && id !== '');
  const [id] = named;
  return named.length === 1 && typeof id === 'string' && id.length <= longestCountedId ? id : null;
}

/** The client's credentials; throws `unsupported_grant_type` and `invalid_request` in the order of docs/design/api-access.md 22. */
export function credentialsOf(request: TokenRequest, basic: ClientCredentials | null): ClientCredentials {
  const { grantType, clientId, clientSecret, scope } = request;
  const members = { grant_type: grantType, client_id: clientId, client_secret: clientSecret, scope };
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && typeof value !== 'string') {
      throw tokenError('invalid_request', `${name} must be sent once, as a string.`);
    }
  }
  if (grantType !== 'client_credentials') {
    throw tokenError('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const isSent = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (basic !== null) {
    if (isSent(clientId) || isSent(clientSecret)) {
      throw tokenError('invalid_request', 'The client must be given either in the header or in the body, not in both.');
    }
    if (isSent(basic.clientId) && isSent(basic.clientSecret)) return basic;
  } else if (isSent(clientId) && isSent(clientSecret)) return { clientId, clientSecret };
  throw tokenError('invalid_request', 'client_id and client_secret are required.');
}
