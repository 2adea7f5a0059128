import type { Element } from '@xmldom/xmldom';
import { parseAddress } from './addresses.rules.ts';
import type { VerifiedResponse } from './saml-signature.ts';
import { attributeOf, childrenNamed, childrenOf, onlyChild, SamlRefusal, textIn, theChild } from './saml-xml.ts';

/** What an assertion for us must contain. */
export interface Expected {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our entity id. */
  readonly audience: string;
  /** The URL it was posted to. */
  readonly recipient: string;
  readonly now: Date;
}

/** The signed-in person, according to a signed assertion. */
export interface SamlPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}

export interface ReadAssertion {
  readonly person: SamlPerson;
  /** Unique for its issuer (core, section 1.3.4). */
  readonly assertionId: string;
  /** The request that it answers; null: it answers none. */
  readonly inResponseTo: string | null;
  /** From here on it's rejected as too old. */
  readonly expiresAt: Date;
}

/** Allowed clock difference between two machines (docs/design/quality.md T6). */
const skewMs = 120_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/**
 * Reads a verified response by the rules of the web browser profile (SAML 2.0 profiles, section 4.1.4.3). Throws SamlRefusal
 * for whatever is not for us, not from the configured provider, or not of now.
 */
export function readAssertion({ response, assertion }: VerifiedResponse, expected: Expected): ReadAssertion {
  for (const element of [response, assertion]) {
    if (attributeOf(element, 'Version') !== '2.0') throw new SamlRefusal('unsupported version');
  }
  const status = theChild(theChild(response, 'protocol', 'Status'), 'protocol', 'StatusCode');
  if (attributeOf(status, 'Value') !== success) throw new SamlRefusal('the identity provider reported a failure');
  const destination = attributeOf(response, 'Destination');
  if (destination !== null && destination !== expected.recipient) throw new SamlRefusal('wrong destination');
  const issuerElement = onlyChild(response, 'assertion', 'Issuer');
  if (issuerElement !== null && textIn(issuerElement) !== expected.issuer) throw new SamlRefusal('wrong issuer');
  if (textIn(theChild(assertion, 'assertion', 'Issuer')) !== expected.issuer) throw new SamlRefusal('wrong issuer');
  const until = checkConditions(theChild(assertion, 'assertion', 'Conditions'), expected);
  checkStatements(assertion, expected.now);
  const subject = theChild(assertion, 'assertion', 'Subject');
  const confirmed = confirmationOf(subject, expected);
  const answered = requestOf(response);
  if (answered !== null && answered !== confirmed.inResponseTo) throw new SamlRefusal('it answers a different request');
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  const expiresAt = new Date(Math.min(until?.getTime() ?? Infinity, confirmed.until.getTime()) + skewMs);
  return {
    person: personOf(assertion, theChild(subject, 'assertion', 'NameID'), expected.issuer),
    assertionId,
    inResponseTo: confirmed.inResponseTo,
    expiresAt,
  };
}

/** An instant of XML Schema with its zone. */
function instantOf(element: Element, name: string): Date | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const instant = new Date(isInstant ? text : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new SamlRefusal(`${name} is not an instant`);
  return instant;
}

/** Refuses before NotBefore and from NotOnOrAfter on, with the allowed skew; answers with the latter. */
function checkTimes(element: Element, now: Date): Date | null {
  const from = instantOf(element, 'NotBefore');
  const until = instantOf(element, 'NotOnOrAfter');
  if (from !== null && now.getTime() < from.getTime() - skewMs) throw new SamlRefusal('not valid yet');
  if (until !== null && now.getTime() >= until.getTime() + skewMs) throw new SamlRefusal('expired');
  return until;
}

function checkConditions(conditions: Element, { audience, now }: Expected): Date | null {
  const until = checkTimes(conditions, now);
  const restrictions = childrenNamed(conditions, 'assertion', 'AudienceRestriction');
  if (restrictions.length === 0) throw new SamlRefusal('no audience');
  for (const restriction of restrictions) {
    const named = childrenNamed(restriction, 'assertion', 'Audience').map(textIn);
    if (!named.includes(audience)) throw new SamlRefusal('wrong audience');
  }
  return until;
}

/** Lifetime of the provider's own session, if given. */
function checkStatements(assertion: Element, now: Date): void {
  for (const statement of childrenNamed(assertion, 'assertion', 'AuthnStatement')) {
    const end = instantOf(statement, 'SessionNotOnOrAfter');
    if (end !== null && now.getTime() >= end.getTime() + skewMs) throw new SamlRefusal('the session has ended');
  }
}

interface Confirmation {
  readonly until: Date;
  readonly inResponseTo: string | null;
}

/** The request that is answered. Some providers send an empty name when they answer none. */
const requestOf = (element: Element): string | null => attributeOf(element, 'InResponseTo') || null;

/** The first confirmation that holds for us and now. */
function confirmationOf(subject: Element, { recipient, now }: Expected): Confirmation {
  let last = new SamlRefusal('no bearer confirmation');
  for (const confirmation of childrenNamed(subject, 'assertion', 'SubjectConfirmation')) {
    if (attributeOf(confirmation, 'Method') !== bearer) continue;
    try {
      const data = theChild(confirmation, 'assertion', 'SubjectConfirmationData');
      if (attributeOf(data, 'Recipient') !== recipient) throw new SamlRefusal('wrong recipient');
      const until = checkTimes(data, now);
      if (until === null) throw new SamlRefusal('a confirmation without an end');
      return { until, inResponseTo: requestOf(data) };
    } catch (error) {
      if (!(error instanceof SamlRefusal)) throw error;
      last = error;
    }
  }
  throw last;
}

/** Names under which providers send an address and a name, the preferred one first (docs/design/api-access.md 22 "SSO"). */
const emailAttributes = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
];
const nameAttributes = ['displayName', 'name', 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name'];
const givenAttributes = [
  'givenName',
  'firstName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
];
const familyAttributes = [
  'surname',
  'sn',
  'lastName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
];

function personOf(assertion: Element, nameId: Element, issuer: string): SamlPerson {
  const id = textIn(nameId);
  if (id === '' || id.length > 1_024) throw new SamlRefusal('no NameID');
  const attributes = attributesOf(assertion);
  const first = (names: readonly string[]) => names.map((name) => attributes.get(name)).find((value) => value) ?? null;
  const email = first(emailAttributes) ?? (parseAddress(id) === null ? null : id);
  const given = [first(givenAttributes), first(familyAttributes)].filter((part) => part !== null).join(' ');
  const isTransient = attributeOf(nameId, 'Format') === transient;
  if (isTransient && email === null) throw new SamlRefusal('a transient NameID without an email address');
  return {
    issuer,
    // A transient NameID is another one each time; the address is what stays.
    subject: isTransient ? `email:${email?.toLowerCase()}` : id,
    email,
    name: first(nameAttributes) ?? (given === '' ? null : given),
  };
}

/** The first value of each attribute, by name. */
function attributesOf(assertion: Element): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of childrenNamed(assertion, 'assertion', 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, 'assertion', 'Attribute')) {
      const name = attributeOf(attribute, 'Name') ?? '';
      const [value] = childrenNamed(attribute, 'assertion', 'AttributeValue');
      // Structured values (eduPersonTargetedID) aren't text, and none of the requested names has them.
      const isText = value !== undefined && childrenOf(value).length === 0;
      if (isText && !found.has(name)) found.set(name, textIn(value));
    }
  }
  return found;
}
