import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Got,
  startDestination,
  type TestDestination,
} from '../../../operations/notifications/test-destination.ts';
import type { SourceRow } from '../reader.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

const sources = createTestSources();
let peer: TestDestination;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
before(async () => {
  [peer, silent] = await Promise.all([startDestination(), startSilentServer()]);
});
after(async () => {
  silent?.close();
  await Promise.all([sources.close(), peer?.close()]);
});

const toSuite = ({ seq, person_name: name }: SourceRow): SuiteRow => ({
  seq: Number(seq),
  name: name === null ? null : String(name),
});
const shown = (rows: readonly SuiteRow[]) => rows.map(({ seq, name }) => ({ seq, person: { name } }));
const hanging = async () => openerOf(sources, sourceOf('rest_api', { url: `http://127.0.0.1:${silent.port}/` }));
const size = 700;
let paths = 0;

/** Answers every request below a new path. */
function serve(
  answer: (got: Got, url: URL) => { readonly body: unknown; readonly headers?: Record<string, string> },
): string {
  const path = `/api/${++paths}`;
  peer.below(path, (response, got) => {
    const { body, headers = {} } = answer(got, new URL(got.path, 'http://peer'));
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  return path;
}

const pages: Readonly<Record<string, (rows: readonly SuiteRow[]) => object>> = {
  page: (rows) => ({
    url: peer.url(
      serve((_got, url) => {
        const at = (Number(url.searchParams.get('page')) - 1) * size;
        return { body: { items: shown(rows.slice(at, at + size)) } };
      }),
    ),
    ...{ responseRowsPath: 'items', pagination: { type: 'page' } },
  }),
  offset: (rows) => ({
    url: peer.url(
      serve((_got, url) => {
        const at = Number(url.searchParams.get('skip'));
        return { body: { data: { items: shown(rows.slice(at, at + Number(url.searchParams.get('n')))) } } };
      }),
    ),
    responseRowsPath: 'data.items',
    pagination: { type: 'offset', offsetParam: 'skip', sizeParam: 'n', pageSize: size },
  }),
  cursor: (rows) => ({
    url: peer.url(
      serve((_got, url) => {
        const at = Number(url.searchParams.get('after') ?? '0');
        const next = at + size < rows.length ? String(at + size) : null;
        return { body: { items: shown(rows.slice(at, at + size)), meta: { next } } };
      }),
    ),
    responseRowsPath: 'items',
    pagination: { type: 'cursor', cursorParam: 'after', cursorPath: 'meta.next' },
  }),
  link: (rows) => ({
    url: peer.url(
      serve((_got, url) => {
        const at = Number(url.searchParams.get('at') ?? '0');
        const hasNext = at + size < rows.length;
        const headers: Record<string, string> = hasNext ? { link: `<?at=${at + size}>; rel="next"` } : {};
        return { body: shown(rows.slice(at, at + size)), headers };
      }),
    ),
    pagination: { type: 'link' },
  }),
};

for (const [word, configOf] of Object.entries(pages)) {
  testReader({
    ...{ name: `an API with pagination by ${word}`, toSuite, hanging },
    holding: async (rows) => openerOf(sources, sourceOf('rest_api', { ...configOf(rows) })),
  });
}

testReader({
  ...{ name: 'GraphQL with variables', toSuite, hanging },
  holding: async (rows) =>
    openerOf(
      sources,
      sourceOf('graphql', {
        url: peer.url(
          serve(({ text }) => {
            const { query, variables } = JSON.parse(text);
            assert.match(query, /^query People/);
            const at = Number(variables.offset);
            return { body: { data: { people: shown(rows.slice(at, at + variables.first)) } } };
          }),
        ),
        ...{ query: 'query People($offset: Int, $first: Int) { people }', variables: { first: size } },
        ...{ responseRowsPath: 'data.people', pagination: { type: 'offset' } },
      }),
    ),
});

async function rowsOf(
  config: Readonly<Record<string, unknown>>,
  method?: 'oauth2' | 'basic' | 'token',
): Promise<SourceRow[]> {
  const source = sourceOf('rest_api', config);
  const reader = sources.open(method === undefined ? source : { ...source, method });
  const rows: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: 0 })) rows.push(...batch.rows);
  return rows;
}

test('a repeated cursor ends the read', async () => {
  const path = serve(() => ({ body: { items: [{ a: 1 }], next_cursor: 'again' } }));
  const config = { url: peer.url(path), responseRowsPath: 'items', pagination: { type: 'cursor' } };
  await assert.rejects(rowsOf(config), { reason: 'unexpected_response' });
});

test("doesn't follow a link to another server", async () => {
  const path = serve(() => ({ body: [{ a: 1 }], headers: { link: '<http://127.0.0.1:9/x>; rel=next' } }));
  await assert.rejects(rowsOf({ url: peer.url(path), pagination: { type: 'link' } }), {
    reason: 'unexpected_response',
  });
});

test('retries after 429 and 5xx', async () => {
  const path = `/api/${++paths}`;
  const statuses = [429, 503, 500];
  peer.below(path, (response) => {
    const status = statuses.shift() ?? 200;
    response.writeHead(status, { 'retry-after': '0' }).end('[{"a":1}]');
  });
  assert.deepEqual(await rowsOf({ url: peer.url(path) }), [{ a: 1 }]);
  statuses.push(429, 429, 429, 429);
  await assert.rejects(rowsOf({ url: peer.url(path) }), { reason: 'rate_limited' });
});

for (const [words, answer, reason] of [
  ['text that is not JSON', 'hello', 'parse_failed'],
  ['an answer without a list', '{"items":1}', 'unexpected_response'],
] as const) {
  test(`ends with ${reason} for ${words}`, async () => {
    const path = `/api/${++paths}`;
    peer.below(path, (response) => void response.end(answer));
    await assert.rejects(rowsOf({ url: peer.url(path), responseRowsPath: 'items' }), { reason });
  });
}

test('signs in with each method', async () => {
  const got: Got['headers'][] = [];
  const path = serve(({ headers }) => {
    got.push(headers);
    return { body: [] };
  });
  const tokens = serve(({ text }) => {
    const form = new URLSearchParams(text);
    return { body: { access_token: `${form.get('grant_type')} ${form.get('refresh_token')}` } };
  });
  const url = peer.url(path);
  const client = { url, clientId: 'id', clientSecret: 'secret', tokenUrl: peer.url(tokens) };
  await rowsOf({ url, username: 'zoë', password: 'p:w' }, 'basic');
  await rowsOf({ url, accessToken: 'abc' }, 'token');
  await rowsOf(client, 'oauth2');
  await rowsOf({ ...client, refreshToken: 'r' }, 'oauth2');
  assert.deepEqual(
    got.map(({ authorization }) => authorization),
    [
      `Basic ${Buffer.from('zoë:p:w').toString('base64')}`,
      'Bearer abc',
      'Bearer client_credentials null',
      'Bearer refresh_token r',
    ],
  );
  const source = sourceOf('rest_api', { url, apiKey: 'k', headerName: 'X-Own', headers: { 'X-More': 'm' } });
  for await (const _batch of sources.open({ ...source, method: 'api_key' }).read({
    ...{ cursor: null, signal: new AbortController().signal, rowLimit: 0 },
  }));
  assert.deepEqual([got.at(-1)?.['x-own'], got.at(-1)?.['x-more']], ['k', 'm']);
});
