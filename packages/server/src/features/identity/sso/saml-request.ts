import { deflateRawSync } from 'node:zlib';
import { namespaces } from './saml-xml.ts';

/** What we send to SAML identity providers: requests by the redirect binding, and our metadata. */

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

export interface SamlRequest {
  /** Comes back as InResponseTo. */
  readonly id: string;
  readonly issuedAt: Date;
  /** Our entity id. */
  readonly issuer: string;
  /** The provider's address for sign-ins. */
  readonly ssoUrl: string;
  /** Where to post the assertion. */
  readonly acsUrl: string;
  readonly relayState: string;
}

/** The address that carries an AuthnRequest (SAML 2.0 core 3.4.1, bindings 3.4.4.1). */
export function authnRequestUrl({ id, issuedAt, issuer, ssoUrl, acsUrl, relayState }: SamlRequest): string {
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${escapeXml(id)}" ` +
    `Version="2.0" IssueInstant="${issuedAt.toISOString()}" Destination="${escapeXml(ssoUrl)}" ` +
    `AssertionConsumerServiceURL="${escapeXml(acsUrl)}" ProtocolBinding="${postBinding}">` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer></samlp:AuthnRequest>`;
  const url = new URL(ssoUrl);
  url.searchParams.set('SAMLRequest', deflateRawSync(Buffer.from(xml, 'utf8')).toString('base64'));
  url.searchParams.set('RelayState', relayState);
  return url.href;
}

/** Our metadata (SAML 2.0 metadata, 2.4.4): unsigned requests, signed assertions, by POST. */
export function metadataXml({ entityId, acsUrl }: { readonly entityId: string; readonly acsUrl: string }): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}">` +
    '<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" ' +
    `protocolSupportEnumeration="${namespaces.protocol}">` +
    '<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>' +
    '<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>' +
    `<md:AssertionConsumerService Binding="${postBinding}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>` +
    '</md:SPSSODescriptor></md:EntityDescriptor>\n'
  );
}
