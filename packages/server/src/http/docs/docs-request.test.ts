import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Tests the part of the documents' page that builds requests, as the browser runs it. */

interface Call {
  readonly method: string;
  readonly path: string;
  readonly takesKey: boolean;
  readonly needsRequestedWith: boolean;
  readonly hasBody: boolean;
}
type Values = Readonly<Record<string, string>>;
interface Filled {
  readonly params: Values;
  readonly query: Values;
  readonly headers: Values;
  readonly body: string;
}
interface Sent {
  readonly url: string;
  readonly init: { readonly method: string; readonly headers: Values; readonly body?: string };
}
interface Module {
  requestOf(call: Call, values: Filled, apiKey: string): Sent;
  matches(text: string, query: string): boolean;
  readable(text: string, contentType: string): string;
  sizeOf(bytes: number): string;
}

// Plain JavaScript, because the page embeds this file unchanged.
const { requestOf, matches, readable, sizeOf }: Module = await import(
  new URL('./docs-request.js', import.meta.url).href
);

const empty: Filled = { params: {}, query: {}, headers: {}, body: '' };
const change: Call = {
  method: 'PUT',
  path: '/api/v1/offers/{id}',
  takesKey: true,
  needsRequestedWith: true,
  hasBody: true,
};

test('a call sends the key, requests strict handling, and identifies its client', () => {
  const { url, init } = requestOf(change, { ...empty, params: { id: 'a/b ü' }, body: '{"name":"Ü"}' }, 'krn_1');
  assert.equal(url, '/api/v1/offers/a%2Fb%20%C3%BC');
  assert.deepEqual(init, {
    method: 'PUT',
    headers: {
      Accept: 'application/json',
      Prefer: 'handling=strict',
      Authorization: 'Bearer krn_1',
      'X-Requested-With': 'arbiter-docs',
      'Content-Type': 'application/json',
    },
    body: '{"name":"Ü"}',
  });
});

test('an open call, or one without a key, sends none; empty fields are omitted', () => {
  const open = { ...change, method: 'GET', path: '/api/v1/things', needsRequestedWith: false, hasBody: false };
  const values = {
    ...empty,
    query: { limit: '5', search: '', q: 'a&b' },
    headers: { 'If-None-Match': '', 'X-A': 'ü' },
  };
  const { url, init } = requestOf({ ...open, takesKey: false }, values, 'krn_1');
  assert.equal(url, '/api/v1/things?limit=5&q=a%26b');
  assert.deepEqual(init, {
    method: 'GET',
    headers: { Accept: 'application/json', Prefer: 'handling=strict', 'X-A': 'Ã¼' },
  });
  assert.equal(requestOf(open, empty, '').init.headers.Authorization, undefined);
});

test('reports a missing or misleading path parameter before sending anything', () => {
  assert.throws(() => requestOf(change, empty, ''), /Fill in id/);
  assert.throws(() => requestOf(change, { ...empty, params: { id: '..' } }, ''), /cannot be ".."/);
});

test('a search finds operations by all its words, in any order and case', () => {
  const text = 'POST /api/v1/decision-flows/publish Publish the draft decisionFlows.publish';
  for (const query of ['publish', 'DRAFT post', 'flows pub', '/decision-flows']) assert.ok(matches(text, query), query);
  assert.ok(!matches(text, 'publish offer'));
});

test('formats JSON in lines, and shows anything else as it is', () => {
  assert.equal(readable('{"a":1}', 'application/problem+json; charset=utf-8'), '{\n  "a": 1\n}');
  assert.equal(readable('{"a":', 'application/json'), '{"a":');
  assert.equal(readable('{"a":1}', 'text/html'), '{"a":1}');
  assert.deepEqual([sizeOf(734), sizeOf(12_400)], ['734 B', '12.4 KB']);
});
