/** Our own addresses, as identity providers are told them. `publicUrl`: NEXTAUTH_URL. */

const base = (publicUrl: string): string => publicUrl.replace(/\/+$/, '');

export const callbackUrl = (publicUrl: string): string => `${base(publicUrl)}/api/v1/sso/callback`;

/** Our SAML entity id for a tenant: the address of its metadata (docs/design/api-access.md 22 "SSO"). */
export const entityIdOf = (publicUrl: string, tenantId: string): string =>
  `${base(publicUrl)}/api/v1/sso/metadata?tenantId=${tenantId}`;
