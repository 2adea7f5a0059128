import { AppError } from '../../../platform/app-error.ts';
import { OidcError } from '../../../platform/oidc.ts';
import { SamlRefusal } from './saml-xml.ts';

/** 401: the response identifies no user. */
export const ssoError = (detail: string, cause?: unknown): AppError => new AppError('unauthorized', { detail, cause });

/** Returns the error for a failed sign-in at an OpenID provider. Reveals nothing that the provider said (T8). */
export function oidcFailure(error: unknown): unknown {
  if (!(error instanceof OidcError)) return error;
  if (error.reason === 'refused') return ssoError('The response of the identity provider was rejected.', error);
  return new AppError('upstream_failed', {
    detail: 'The identity provider returned an unexpected response.',
    cause: error,
  });
}

/** The same for a SAML response; the reasons are our own words. */
export function samlFailure(error: unknown): unknown {
  return error instanceof SamlRefusal ? ssoError(error.message, error) : error;
}
