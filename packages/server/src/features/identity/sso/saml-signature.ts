import type { Element } from '@xmldom/xmldom';
import { lazyPackages } from '../../../platform/packages/lazy-packages.ts';
import {
  allNamed,
  attributeOf,
  childrenOf,
  isElement,
  onlyChild,
  parseXml,
  SamlRefusal,
  theChild,
} from './saml-xml.ts';

/** RSA with SHA-256 at least: XML Signature's tables without SHA-1 and without keyed hashes (docs/design/quality.md T6). */
const signatureMethods = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const digestMethods = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const canonicalizations = [exclusive, `${exclusive}WithComments`];
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** A valid response: the assertion as signed, and the response around it, of which only repeated values count. */
export interface VerifiedResponse {
  /** Read from the bytes that the signature covers. */
  readonly assertion: Element;
  readonly response: Element;
}

/**
 * Verifies a SAML response against the pinned certificates (PEM): its one assertion or the response around it must be
 * signed, and every signature in it must be valid. Later code parses the signed bytes again, so an element added next
 * to or around them is never seen. Throws SamlRefusal.
 */
export function verifyResponse(xml: string, certificates: readonly string[]): VerifiedResponse {
  const response = parseXml(xml);
  if (!isElement(response, 'protocol', 'Response')) throw new SamlRefusal('the root is not a Response');
  if (allNamed(response, 'EncryptedAssertion').length > 0) throw new SamlRefusal('the assertion is encrypted');
  if (allNamed(response, 'Response').length > 1) throw new SamlRefusal('more than one response');
  if (allNamed(response, 'Assertion').length > 1) throw new SamlRefusal('more than one assertion');
  const assertion = theChild(response, 'assertion', 'Assertion');
  assertUniqueIds(response);
  const signed = [response, assertion].filter((element) => onlyChild(element, 'signature', 'Signature') !== null);
  if (signed.length === 0) throw new SamlRefusal('no signature');
  if (allNamed(response, 'Signature').length > signed.length)
    throw new SamlRefusal('the signature is in the wrong place');
  const [outermost] = signed.map((element) => verifyElement(xml, element, certificates));
  if (outermost === undefined) throw new SamlRefusal('no signature');
  if (isElement(outermost, 'assertion', 'Assertion')) return { assertion: outermost, response };
  return { assertion: theChild(outermost, 'assertion', 'Assertion'), response: outermost };
}

/** A signature refers to what it covers by this: with two elements of one id, it could cover either. */
function assertUniqueIds(root: Element): void {
  const seen = new Set<string>();
  let level: Element[] = [root];
  while (level.length > 0) {
    for (const element of level) {
      for (const attribute of element.attributes) {
        if (attribute.localName?.toLowerCase() !== 'id') continue;
        if (seen.has(attribute.value)) throw new SamlRefusal('two elements share an id');
        seen.add(attribute.value);
      }
    }
    level = level.flatMap(childrenOf);
  }
}

/** The element as its own signature covers it. */
function verifyElement(xml: string, element: Element, certificates: readonly string[]): Element {
  const signature = theChild(element, 'signature', 'Signature');
  const id = attributeOf(element, 'ID') ?? '';
  assertPlain(signature, id);
  const { XMLSerializer } = lazyPackages.xmlDom();
  const text = new XMLSerializer().serializeToString(signature);
  for (const certificate of certificates) {
    const bytes = signedBytes(xml, text, certificate);
    if (bytes === null) continue;
    const covered = parseXml(bytes);
    if (attributeOf(covered, 'ID') !== id || covered.localName !== element.localName) {
      throw new SamlRefusal('the signature covers a different element');
    }
    return covered;
  }
  throw new SamlRefusal('the signature is invalid or made with a different key');
}

/** A signature of the one form that SAML has (core, section 5.4): one reference, to the element that holds it. */
function assertPlain(signature: Element, id: string): void {
  const parts = childrenOf(signature);
  const names = parts.map(({ localName }) => localName).join(' ');
  if (!['SignedInfo SignatureValue', 'SignedInfo SignatureValue KeyInfo'].includes(names)) {
    throw new SamlRefusal('the signature has an unsupported form');
  }
  const info = theChild(signature, 'signature', 'SignedInfo');
  assertMethod(theChild(info, 'signature', 'CanonicalizationMethod'), canonicalizations);
  assertMethod(theChild(info, 'signature', 'SignatureMethod'), signatureMethods);
  const reference = theChild(info, 'signature', 'Reference');
  if (id === '' || !/^[\w.-]+$/.test(id) || attributeOf(reference, 'URI') !== `#${id}`) {
    throw new SamlRefusal('the signature covers a different element');
  }
  assertMethod(theChild(reference, 'signature', 'DigestMethod'), digestMethods);
  const transforms = childrenOf(theChild(reference, 'signature', 'Transforms')).map((each) =>
    attributeOf(each, 'Algorithm'),
  );
  const [first, second, ...others] = transforms;
  if (first !== enveloped || others.length > 0 || !canonicalizations.includes(second ?? '')) {
    throw new SamlRefusal('the signature has unsupported transforms');
  }
}

function assertMethod(method: Element, allowed: readonly string[]): void {
  const algorithm = attributeOf(method, 'Algorithm') ?? '';
  if (!allowed.includes(algorithm)) throw new SamlRefusal(`${method.localName} ${algorithm}`);
}

/** The bytes that the signature covers; null when it is not of this key. */
function signedBytes(xml: string, signature: string, certificate: string): string | null {
  // An attacker would choose the KeyInfo. We use the pinned key.
  const { SignedXml } = lazyPackages.xmlCrypto();
  const verifier = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null });
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(xml)) return null;
  } catch {
    // xml-crypto throws for a wrong signature as for a malformed one; either way it proves nothing.
    return null;
  }
  const [bytes, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? (bytes ?? null) : null;
}
