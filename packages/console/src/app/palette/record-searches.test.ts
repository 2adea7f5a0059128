import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../data/call.ts';
import { searchesFor } from './entries.ts';
import { recordSearches } from './record-searches.ts';

const id = '01a207ad-50d9-7148-ba2f-5bf9948d066d';

test('searches all kinds of records by one call, and links each result to its page', async () => {
  const requests: string[] = [];
  const data = [
    { entityType: 'offer', id, name: 'Oat Milk Week', detail: 'active' },
    { entityType: 'subCategory', id, name: 'Oats', detail: 'Food' },
    { entityType: 'placement', id, name: 'Oat banner', detail: 'Web' },
  ];
  connect('http://arbiter.test', async (input) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    requests.push(pathname + search);
    return Response.json({ data });
  });
  const [search, ...others] = searchesFor('oat', recordSearches);
  assert.deepEqual(others, []);
  const found = await (await search!.load())('oat', new AbortController().signal);
  assert.deepEqual(
    found.map(({ group, title, detail, open }) => [group, title, detail, open]),
    [
      ['Offers', 'Oat Milk Week', 'active', `/offers/${id}`],
      ['Categories', 'Oats', 'Food', `/categories?node=${id}`],
      ['Placements', 'Oat banner', 'Web', `/channels/placements/${id}`],
    ],
  );
  assert.deepEqual(requests, ['/api/v1/search?q=oat']);
});
