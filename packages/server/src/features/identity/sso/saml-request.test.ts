import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { authnRequestUrl, metadataXml } from './saml-request.ts';
import { parseXml } from './saml-xml.ts';
import { samlify } from './test-samlify.ts';

const entityId = 'https://arbiter.example/a&b/api/v1/sso/metadata?tenantId=1';
const acsUrl = 'https://arbiter.example/a&b/api/v1/sso/callback';

test('samlify reads our metadata', () => {
  const sp = samlify.ServiceProvider({ metadata: metadataXml({ entityId, acsUrl }) });
  assert.equal(sp.entityMeta.getEntityID(), entityId);
  assert.equal(sp.entityMeta.getAssertionConsumerService('post'), acsUrl);
  assert.equal(sp.entityMeta.isWantAssertionsSigned(), true);
});

test("a request names the address for the response, and keeps the provider's own query", () => {
  const url = new URL(
    authnRequestUrl({
      id: '_request',
      issuedAt: new Date('2026-11-22T12:00:00.000Z'),
      issuer: entityId,
      ssoUrl: 'https://idp.example/sso?app="1"&b=2',
      acsUrl,
      relayState: 'the tenant',
    }),
  );
  assert.deepEqual([url.searchParams.get('app'), url.searchParams.get('b')], ['"1"', '2']);
  assert.equal(url.searchParams.get('RelayState'), 'the tenant');
  const xml = inflateRawSync(Buffer.from(String(url.searchParams.get('SAMLRequest')), 'base64')).toString('utf8');
  const request = parseXml(xml);
  assert.deepEqual(
    ['ID', 'Version', 'IssueInstant', 'Destination', 'AssertionConsumerServiceURL'].map((name) =>
      request.getAttribute(name),
    ),
    ['_request', '2.0', '2026-11-22T12:00:00.000Z', 'https://idp.example/sso?app="1"&b=2', acsUrl],
  );
  assert.equal(request.textContent, entityId);
});
