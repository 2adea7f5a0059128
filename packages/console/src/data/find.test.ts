import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { call, connect } from './call.ts';
import { findBy } from './find.ts';

const id = '01a207ad-50d9-7148-ba2f-5bf9948d066d';
const offer = { id, name: 'Oat Milk Week', status: 'active' };
let requests: string[] = [];

/** A server with one offer. */
const server: typeof fetch = async (input) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  requests.push(pathname + search);
  const body = pathname.endsWith(`/offers/${id}`)
    ? offer
    : pathname.endsWith('/offers')
      ? { data: [offer], pagination: { total: 1, hasMore: false } }
      : null;
  const problem = {
    type: 'urn:arbiter:error:not_found',
    title: 'Not found',
    status: 404,
    code: 'not_found',
    requestId: 'r',
    error: 'x',
    errors: [],
  };
  const headers = { 'content-type': body === null ? 'application/problem+json' : 'application/json' };
  return new Response(JSON.stringify(body ?? problem), { status: body === null ? 404 : 200, headers });
};

beforeEach(() => {
  requests = [];
  connect('http://arbiter.test', server);
});

const search = findBy(
  offerOperations.list,
  (text, limit) => ({ query: { search: text, limit } }),
  (row) => ({ title: row.name, open: `/offers/${row.id}` }),
  (one, signal) => call(offerOperations.get, { params: { id: one }, signal }),
);
const find = (text: string) => search(text, new AbortController().signal);

test('a name is searched for, a pasted id is looked up', async () => {
  const found = [{ title: 'Oat Milk Week', open: `/offers/${id}` }];
  assert.deepEqual(await find('oat'), found);
  assert.deepEqual(await find(id), found);
  assert.deepEqual(await find(id.toUpperCase()), [], 'this server knows it by small letters alone');
  assert.deepEqual(
    requests.map((each) => each.replace(/^.*\/v1/, '')),
    ['/offers?search=oat&limit=5', `/offers/${id}`, `/offers/${id.toUpperCase()}`],
  );
});

test('the id of something else is no failure', async () => {
  assert.deepEqual(await find('00000000-0000-7000-8000-000000000000'), []);
});
