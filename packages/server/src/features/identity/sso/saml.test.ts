import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Expected, type ReadAssertion, readAssertion } from './saml-assertion.rules.ts';
import { readCertificates } from './saml-certificates.rules.ts';
import { verifyResponse } from './saml-signature.ts';
import { SamlRefusal } from './saml-xml.ts';
import { curveCertificate, otherKeys, providerKeys, weakCertificate } from './test-keys.ts';
import { createSamlIdp, type Said, wrappings } from './test-saml-idp.ts';

/**
 * Which SAML responses are accepted, and what attacks on them achieve (docs/design/quality.md T6). The peer is samlify.
 */

const acsUrl = 'https://arbiter.example/api/v1/sso/callback';
const audience = 'https://arbiter.example/api/v1/sso/metadata?tenantId=0199a000-0000-7000-8000-00000000000a';
const idp = createSamlIdp();
const said: Said = {
  acsUrl,
  audience,
  nameId: 'subject-1',
  attributes: { email: 'ann@good.example', displayName: 'Ann' },
};
const expected = (): Expected => ({ issuer: idp.entityId, audience, recipient: acsUrl, now: new Date() });

const read = (xml: string, changes: Partial<Expected> = {}): ReadAssertion =>
  readAssertion(verifyResponse(xml, [providerKeys.certificate]), { ...expected(), ...changes });

function refuses(xml: string, reason: RegExp, changes: Partial<Expected> = {}): void {
  assert.throws(
    () => read(xml, changes),
    (error) => error instanceof SamlRefusal && reason.test(error.message),
    `expected ${reason}`,
  );
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();

describe('a response of the configured provider', () => {
  for (const sign of ['assertion', 'response', 'both'] as const) {
    it(`is accepted with its signature on: ${sign}`, async () => {
      const { person, inResponseTo } = read(await idp.respond({ ...said, sign, inResponseTo: '_request-1' }));
      assert.deepEqual(person, {
        issuer: idp.entityId,
        subject: 'subject-1',
        email: 'ann@good.example',
        name: 'Ann',
      });
      assert.equal(inResponseTo, '_request-1');
    });
  }

  it('is accepted under any of several certificates', async () => {
    const xml = await idp.respond(said);
    const { certificate } = providerKeys;
    assert.ok(verifyResponse(xml, [otherKeys.certificate, certificate]));
    assert.throws(() => verifyResponse(xml, [otherKeys.certificate]), SamlRefusal);
    assert.throws(() => verifyResponse(xml, []), SamlRefusal);
  });

  it('identifies its user by the attributes that providers use', async () => {
    const personOf = async (attributes: Record<string, string>, nameId = 'subject-1') =>
      read(await idp.respond({ ...said, attributes, nameId })).person;
    const names = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
    for (const name of ['email', 'mail', `${names}emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3']) {
      assert.equal((await personOf({ [name]: 'ann@good.example' })).email, 'ann@good.example', name);
    }
    assert.equal((await personOf({}, 'ann@good.example')).email, 'ann@good.example');
    assert.equal((await personOf({})).email, null);
    for (const name of ['displayName', 'name', `${names}name`]) {
      assert.equal((await personOf({ [name]: 'Ann Lee' })).name, 'Ann Lee', name);
    }
    assert.equal((await personOf({ givenName: 'Ann', surname: 'Lee' })).name, 'Ann Lee');
    assert.equal((await personOf({})).name, null);
    assert.equal((await personOf({}, ' subject-1\n')).subject, 'subject-1');
  });

  it('whose NameID changes each time identifies its user by the address', async () => {
    const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    const { person } = read(await idp.respond({ ...said, nameIdFormat, nameId: '_one-of-many' }));
    assert.equal(person.subject, 'email:ann@good.example');
    refuses(await idp.respond({ ...said, nameIdFormat, attributes: {} }), /transient/);
  });
});

describe('a forged response', () => {
  it('is rejected without a signature', async () => {
    for (const sign of ['assertion', 'response'] as const) {
      const xml = await idp.respond({ ...said, sign });
      refuses(xml.replace(/<ds:Signature.*<\/ds:Signature>/s, ''), /no signature/);
    }
  });

  it('is rejected if anything signed is changed', async () => {
    const xml = await idp.respond(said);
    for (const [before, after] of [
      ['subject-1', 'subject-2'],
      ['ann@good.example', 'eve@good.example'],
      [audience.replaceAll('&', '&amp;'), 'https://other.example'],
    ] as const) {
      assert.ok(xml.includes(before), before);
      refuses(xml.replace(before, after), /signature/);
    }
    const whole = await idp.respond({ ...said, sign: 'response' });
    refuses(whole.replace('status:Success', 'status:Responder'), /signature/);
  });

  it('is rejected if another key signed it, whatever KeyInfo says', async () => {
    const attacker = createSamlIdp({ keys: otherKeys });
    for (const sign of ['assertion', 'response', 'both'] as const) {
      const xml = await attacker.respond({ ...said, sign });
      assert.ok(xml.includes('X509Certificate'), 'it brings its own certificate');
      refuses(xml, /a different key/);
    }
  });

  it('is rejected if one of its two signatures is wrong', async () => {
    const xml = await idp.respond({ ...said, sign: 'both' });
    const values = [...xml.matchAll(/<ds:SignatureValue>([^<]+)</g)].map(([, value]) => value!);
    assert.equal(values.length, 2);
    for (const value of values) {
      const wrong = `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`;
      refuses(xml.replace(value, wrong), /signature/);
    }
  });

  it('is rejected with SHA-1, in the signature or in the digest', async () => {
    const algorithm = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    refuses(await createSamlIdp({ algorithm }).respond(said), /SignatureMethod/);
    const xml = await idp.respond(said);
    refuses(
      xml.replace('http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2000/09/xmldsig#sha1'),
      /DigestMethod/,
    );
    refuses(xml.replace(/xmldsig-more#rsa-sha256/, 'xmldsig-more#hmac-sha256'), /SignatureMethod/);
  });

  it('is rejected if the assertion is encrypted', async () => {
    refuses(await idp.respond({ ...said, encrypted: true }), /encrypted/);
  });

  for (const { name, sign, forge } of wrappings) {
    it(`is rejected: ${name}`, async () => {
      const xml = await idp.respond({ ...said, sign });
      assert.ok(read(xml), 'the original is good');
      const forged = forge(xml, 'eve@evil.example');
      assert.ok(forged.includes('eve@evil.example') && forged.includes('subject-1'));
      assert.throws(() => read(forged), SamlRefusal);
      // Not just because of its number of elements: the attacker isn't in what the signature covers.
      const identity = identityIn(forged);
      assert.ok(identity === null || identity === 'subject-1');
    });
  }

  it('is rejected with a comment, CDATA, a processing instruction or a declaration anywhere', async () => {
    const xml = await idp.respond({ ...said, nameId: 'admin@good.example.evil.example' });
    const at = 'admin@good.example';
    for (const part of ['<!---->', '<![CDATA[]]>', '<?x y?>', '<!-- -->']) {
      refuses(xml.replace(at, `${at}${part}`), /declaration|processing/);
      refuses(`${xml}${part}`, /declaration|processing/);
    }
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;&b;">]>';
    refuses(bomb + xml, /declaration/);
    refuses(`<?xml version="1.0"?>${bomb}${xml}`, /declaration/);
    assert.ok(read(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`));
  });

  it('is rejected if its XML is broken, empty or something else', () => {
    for (const xml of [
      '',
      'text',
      '<a',
      '<a></b>',
      '<a/><b/>',
      '<a b="1" b="2"/>',
      '<a>&undefined;</a>',
      '<Response/>',
    ]) {
      assert.throws(() => read(xml), SamlRefusal, xml);
    }
  });

  it("is rejected in time if it's deep or wide", async () => {
    const xml = await idp.respond(said);
    const into = (extra: string) => xml.replace('<samlp:Status>', `${extra}<samlp:Status>`);
    refuses(into(`${'<a>'.repeat(9_000)}${'</a>'.repeat(9_000)}`), /deeply/);
    refuses(into('<a/>'.repeat(30_000)), /many/);
  });

  it('is rejected with two elements with the same ID', async () => {
    const xml = await idp.respond(said);
    const id = /<saml:Assertion[^>]* ID="([^"]+)"/.exec(xml)?.[1];
    for (const name of ['ID', 'Id', 'id']) {
      refuses(xml.replace('<samlp:Status>', `<a ${name}="${id}"/><samlp:Status>`), /share an id/);
    }
  });
});

/** The subject that the signature covers, whatever else the document holds; null: nothing is covered. */
function identityIn(xml: string): string | null {
  try {
    return read(xml).person.subject;
  } catch (error) {
    assert.ok(error instanceof SamlRefusal);
    return null;
  }
}

describe("a signed response that isn't for us, or not for now", () => {
  const cases: readonly [string, Partial<Said>, RegExp][] = [
    ['of another issuer', { places: { Issuer: 'https://other.example' } }, /issuer/],
    ['for another audience', { audience: 'https://other.example' }, /audience/],
    ['for another recipient', { places: { SubjectRecipient: 'https://other.example' } }, /recipient/],
    ['without recipient', { places: { SubjectRecipient: null } }, /recipient/],
    ['for another destination', { places: { Destination: 'https://other.example' } }, /destination/],
    [
      'that says that it failed',
      { places: { StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Responder' } },
      /reported a failure/,
    ],
    ['that expired', { places: { ConditionsNotOnOrAfter: minutes(-3) } }, /expired/],
    ['whose confirmation expired', { places: { SubjectConfirmationDataNotOnOrAfter: minutes(-3) } }, /expired/],
    ['whose confirmation never ends', { places: { SubjectConfirmationDataNotOnOrAfter: null } }, /without an end/],
    ['of the future', { places: { ConditionsNotBefore: minutes(60) } }, /not valid yet/],
    ['with an invalid instant', { places: { ConditionsNotOnOrAfter: 'tomorrow' } }, /is not an instant/],
    ['without zone', { places: { ConditionsNotOnOrAfter: '2126-01-01T00:00:00' } }, /is not an instant/],
    ['without NameID', { nameId: ' ' }, /NameID/],
  ];
  for (const [what, changes, reason] of cases) {
    for (const sign of ['assertion', 'response'] as const) {
      it(`is rejected: ${what} (signed ${sign})`, async () => {
        refuses(await idp.respond({ ...said, ...changes, sign }), reason);
      });
    }
  }

  it('is accepted with clocks at most two minutes apart', async () => {
    const base = Date.parse('2026-11-22T12:00:00.000Z');
    const at = (ms: number) => new Date(base + ms);
    const xml = await idp.respond({
      ...said,
      places: {
        ConditionsNotBefore: at(0).toISOString(),
        ConditionsNotOnOrAfter: at(300_000).toISOString(),
        SubjectConfirmationDataNotOnOrAfter: at(300_000).toISOString(),
      },
    });
    assert.deepEqual(read(xml, { now: at(-120_000) }).expiresAt, at(420_000));
    assert.ok(read(xml, { now: at(419_999) }));
    refuses(xml, /not valid yet/, { now: at(-120_001) });
    refuses(xml, /expired/, { now: at(420_000) });
  });
});

describe('certificates', () => {
  it('are read from PEM or bare base64, several for a rollover', () => {
    const { certificate } = providerKeys;
    const bare = certificate.replace(/-----[A-Z ]+-----/g, '');
    for (const text of [certificate, bare, bare.replace(/\s+/g, ''), ` ${certificate}\r\n`]) {
      assert.equal(readCertificates(text)?.length, 1);
    }
    assert.equal(readCertificates(`${certificate}\n${otherKeys.certificate}`)?.length, 2);
  });

  it("are rejected if they're anything else", () => {
    const { certificate, privateKey } = providerKeys;
    const odd = ['', 'x', 'AAAA', privateKey, `${certificate} and more`, weakCertificate, curveCertificate];
    for (const text of odd) assert.equal(readCertificates(text), null, text.slice(0, 40));
    assert.equal(readCertificates(Array.from({ length: 11 }, () => certificate).join('\n')), null);
  });
});
