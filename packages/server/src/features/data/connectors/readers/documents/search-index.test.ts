import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceRow } from '../../reader.ts';
import { type HttpPeer, type PeerAnswer, type PeerRequest, startHttpPeer } from '../test-http-peer.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';

const sources = createTestSources();
let peer: HttpPeer;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let rows: readonly SuiteRow[] = [];
/** Points in time that are open, by ID. */
const points = new Map<string, readonly SuiteRow[]>();
let queries: unknown[] = [];
let fault: number | null = null;

const idOf = ({ seq }: SuiteRow): string => `doc-${String(seq).padStart(6, '0')}`;

/** A page in the shape of the search API: hits with the values of their order. */
function search(
  list: readonly SuiteRow[],
  body: { size: number; search_after?: unknown[] },
  byId: boolean,
): PeerAnswer {
  const sortOf = (row: SuiteRow) => (byId ? idOf(row) : row.seq);
  const last = body.search_after?.[0];
  const hits = list
    .filter((row) => last === undefined || sortOf(row) > (last as string | number))
    .slice(0, body.size)
    .map(({ seq, name }) => ({
      ...{ _index: 'people', _id: idOf({ seq, name }), _score: null, sort: [sortOf({ seq, name })] },
      _source: { seq, person: { name } },
    }));
  return { body: { took: 1, timed_out: false, hits: { hits } } };
}

function answer({ method, url, headers, text }: PeerRequest): PeerAnswer {
  if (fault !== null) return { status: fault };
  if (headers.authorization !== `ApiKey aWQ6a2V5`) return { status: 401, body: { error: 'secret text' } };
  if (method === 'POST' && url.pathname === '/people/_pit') {
    const id = `pit-${points.size + 1}`;
    points.set(id, rows);
    return { body: { id } };
  }
  const body = text === '' ? {} : JSON.parse(text);
  if (method === 'DELETE' && url.pathname === '/_pit') return { body: { succeeded: points.delete(body.id) } };
  if (method === 'GET' && url.pathname === '/') return { body: { tagline: 'You Know, for Search' } };
  queries.push(body.query);
  if (method === 'POST' && url.pathname === '/people/_search') return search(rows, body, body.sort[0]?._id === 'asc');
  const list = points.get(body.pit?.id);
  if (method !== 'POST' || url.pathname !== '/_search' || list === undefined) return { status: 404 };
  assert.deepEqual(body.sort, [{ _shard_doc: 'asc' }]);
  return search(list, body, false);
}

before(async () => {
  [peer, silent] = await Promise.all([startHttpPeer(answer), startSilentServer()]);
});
after(async () => {
  silent?.close();
  peer?.close();
  await sources.close();
});

const connector = (type: 'elasticsearch' | 'opensearch', more: object = {}) => ({
  ...sourceOf(type, { url: peer.base, index: 'people', apiKey: 'aWQ6a2V5', ...more }),
  method: 'api_key' as const,
});

for (const type of ['elasticsearch', 'opensearch'] as const) {
  testReader({
    name: type,
    toSuite: ({ seq, person_name: name }: SourceRow) => ({
      seq: Number(seq),
      name: name === null ? null : String(name),
    }),
    async holding(list) {
      rows = list;
      return openerOf(sources, connector(type));
    },
    hanging: async () => openerOf(sources, connector(type, { url: `http://127.0.0.1:${silent.port}/` })),
  });

  test(`${type} is tested by one search`, async () => {
    assert.equal((await sources.probe(connector(type))).reason, 'ok');
    assert.equal((await sources.probe(connector(type, { index: undefined }))).reason, 'ok');
    assert.equal((await sources.probe(connector(type, { apiKey: 'other' }))).reason, 'auth_failed');
    assert.equal((await sources.probe(connector(type, { index: 'missing' }))).reason, 'not_found');
    for (const index of ['_all', '../x', 'a/b', 'a?b', '..']) {
      assert.equal((await sources.probe(connector(type, { index }))).reason, 'missing_config', index);
    }
    fault = 403;
    assert.equal((await sources.probe(connector(type))).reason, 'permission_denied');
    fault = null;
  });
}

async function read(source: ReturnType<typeof connector>): Promise<SourceRow[]> {
  const found: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of sources.open(source).read({ cursor: null, signal, rowLimit: 0 })) found.push(...batch.rows);
  return found;
}

test('closes a point in time with its read, even if the caller leaves', async () => {
  rows = [{ seq: 1, name: 'a' }];
  assert.deepEqual(await read(connector('elasticsearch')), [{ _id: 'doc-000001', seq: 1, person_name: 'a' }]);
  // The caller who left doesn't wait for the end.
  const until = performance.now() + 20_000;
  while (points.size > 0 && performance.now() < until) await new Promise(setImmediate);
  assert.equal(points.size, 0);
});

test('turns a filter into a query of the index', async () => {
  rows = [];
  queries = [];
  const filter = { age: { $gte: 18, $ne: null }, $or: [{ country: 'DE' }, { tier: { $in: ['gold', null] } }] };
  await read(connector('opensearch', { filter }));
  assert.deepEqual(queries, [
    {
      bool: {
        filter: [
          { range: { age: { gte: 18 } } },
          { bool: { must_not: [{ bool: { must_not: [{ exists: { field: 'age' } }] } }] } },
          {
            bool: {
              should: [
                { bool: { filter: [{ term: { country: { value: 'DE' } } }] } },
                {
                  bool: {
                    filter: [
                      {
                        bool: {
                          should: [
                            { terms: { tier: ['gold'] } },
                            { bool: { must_not: [{ exists: { field: 'tier' } }] } },
                          ],
                          minimum_should_match: 1,
                        },
                      },
                    ],
                  },
                },
              ],
              minimum_should_match: 1,
            },
          },
        ],
      },
    },
  ]);
});

test('a repeated page ends the read', async () => {
  const stuck = await startHttpPeer(() => ({
    body: {
      hits: { hits: Array.from({ length: 1000 }, () => ({ _id: 'a', sort: ['a'], _source: {} })) },
    },
  }));
  await assert.rejects(read(connector('opensearch', { url: stuck.base })), { reason: 'unexpected_response' });
  stuck.close();
});
