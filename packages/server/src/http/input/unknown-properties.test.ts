import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { refusalOf, remarksText } from '../answers/remarks.ts';
import { createFindUnknown } from './unknown-properties.ts';

function found(operation: Operation, body: unknown, url = '/x'): string {
  const remarks = createFindUnknown(operation)(url, body);
  return remarks === null ? '' : remarksText(remarks);
}

const recommend = operations['decisions.recommend'];
const createPolicy = operations['contactPolicies.create'];
const updatePolicy = operations['contactPolicies.update'];

test('finds unknown names at any depth where the schema is closed', () => {
  assert.equal(found(recommend, { customer: 'x', chanel: 'web' }), 'customer (customerId?), chanel (channel?)');
  const placements = [{ placementId: 'a' }, { placementId: 'b', limt: 1 }];
  assert.equal(found(recommend, { placements }), 'placements[1].limt (limit?)');
  assert.equal(found(createPolicy, { scopes: [{ scope: 'global', scopedId: 'x' }] }), 'scopes[0].scopedId (scopeId?)');
});

test("doesn't look into free JSON or anything but objects", () => {
  assert.equal(found(recommend, { attributes: { anything: { at: 'all' } }, context: { x: 1 } }), '');
  assert.equal(found(createPolicy, { config: { perDay: 1 } }), '');
  for (const body of [null, [], 'x', 1, { placements: {} }, { placements: [1, null, []] }, { scopes: null }]) {
    assert.equal(found(createPolicy, body), Reflect.has(Object(body), 'placements') ? 'placements' : '', String(body));
    assert.equal(found(recommend, { placements: body }), '');
  }
});

test("knows the server's own fields and aliases, but never suggests them", () => {
  const record = { id: 'x', tenantId: 'x', version: 1, rowVersion: 1, createdAt: 'x', deletedAt: null };
  assert.equal(found(updatePolicy, { ...record, scopes: [{ id: 'x', contactPolicyId: 'x', scope: 'global' }] }), '');
  assert.equal(found(createPolicy, record), '');
  assert.equal(found(recommend, { flowId: 'x', decisionFlowId: 'x', maxOffers: 1 }), '');
  assert.equal(found(updatePolicy, { tenentId: 'x' }), 'tenentId');
  // An operation that writes no record doesn't know properties that only an answer has.
  assert.equal(found(recommend, { timestamp: 'x' }), 'timestamp');
});

test('checks query parameters, even if none is declared', () => {
  const list = operations['offers.list'];
  assert.equal(found(list, undefined, '/api/v1/offers?limit=1&q=x&lmit=2&lmit=3'), 'query.lmit (limit?)');
  assert.equal(found(list, undefined, '/api/v1/offers?&=1&stat%75s=x'), '');
  assert.equal(found(operations['tenant.get'], undefined, '/api/v1/tenant?x=1&%zz=2'), 'query.x, query.%25zz');
});

test('finds ten at most, and stops there', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, at]));
  assert.equal(found(recommend, many).split(', ').length, 10);
  const query = Array.from({ length: 1_000 }, (_, at) => `p${at}`).join('&');
  assert.equal(found(recommend, many, `/x?${query}`).split(', ').length, 10);
  const endless = { ['x'.repeat(1_000_000)]: 1 };
  assert.ok(found(recommend, endless).length < 80);
});

test("the client's text can't end the header or imitate another entry", () => {
  const hostile = 'a\r\nX-Evil: 1, b (c?) "é\u{1f600}%\u2028';
  const text = found(recommend, { [hostile]: 1 });
  assert.match(text, /^[A-Za-z0-9%._~-]+$/);
  assert.equal(decodeURIComponent(text), hostile);
  assert.match(found(recommend, {}, `/x?${encodeURIComponent(hostile)}=1`), /^query\.[A-Za-z0-9%._~-]+$/);
});

test('a strict caller gets the same text with the paths', () => {
  const remarks = createFindUnknown(recommend)('/x', { chanel: 1, 'a/b': 2 }) ?? [];
  const error = refusalOf([
    ...remarks,
    { path: '/config', nearest: null, reason: 'No limit is set, so nothing is capped.' },
  ]);
  assert.equal(error.code, 'validation_failed');
  assert.equal(
    error.detail,
    'Some input has no effect: chanel (channel?), a%2Fb, config (No limit is set, so nothing is capped.)',
  );
  assert.deepEqual(error.errors, [
    { path: '/chanel', message: 'is not known; did you mean channel?' },
    { path: '/a~1b', message: 'is not known' },
    { path: '/config', message: 'No limit is set, so nothing is capped.' },
  ]);
});
