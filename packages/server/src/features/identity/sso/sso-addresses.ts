/** Returns our own addresses, as given to identity providers. `publicUrl`: NEXTAUTH_URL. */

const base = (publicUrl: string): string => publicUrl.replace(/\/+$/, '');

export const callbackUrl = (publicUrl: string): string => `${base(publicUrl)}/api/v1/sso/callback`;

/** Our SAML entity id for a tenant: the address of its metadata (docs/design/api-access.md 22 "SSO"). */
export const entityIdOf = (publicUrl: string, tenantId: string): string =>
  `${base(publicUrl)}/api/v1/sso/metadata?tenantId=${tenantId}`;

/**
 * Issuer of the identities of a SAML provider. A tenant may call its provider whatever it likes, the address of Google or of
 * another tenant's provider too; no issuer of OpenID Connect begins like this.
 */
export const samlIssuer = (entityId: string): string => `saml:${entityId}`;
