import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceRow } from '../../reader.ts';
import { type HttpPeer, type PeerAnswer, type PeerRequest, startHttpPeer } from '../test-http-peer.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';

/** Users by key, as the last test set them. */
let users = new Map<string, SuiteRow>();
let fault: number | null = null;
let peer: HttpPeer;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let sources: ReturnType<typeof createTestSources>;
let hangingSources: ReturnType<typeof createTestSources>;

/** https://api.iterable.com/api/docs */
function iterable({ url, headers }: PeerRequest): PeerAnswer {
  if (headers['api-key'] !== 'k') return { status: 401 };
  if (url.pathname === '/api/lists') return { body: { lists: [] } };
  if (url.pathname === '/api/lists/getUsers' && url.searchParams.get('listId') === '7') {
    return { headers: { 'content-type': 'text/plain' }, body: [...users.keys()].map((key) => `${key}\n`).join('') };
  }
  const [, path, key = ''] = /^(\/api\/users(?:\/byUserId)?)\/([^/]+)$/.exec(url.pathname) ?? [];
  const email = decodeURIComponent(key);
  const row = users.get(email);
  if (path === undefined || row === undefined) return { status: 404, body: {} };
  if (path !== (email.includes('@') ? '/api/users' : '/api/users/byUserId')) return { status: 400 };
  return { body: { user: { email, dataFields: { ...row } } } };
}

/** https://www.twilio.com/docs/segment/unify/profile-api */
function segment({ url, headers }: PeerRequest): PeerAnswer {
  if (headers.authorization !== `Basic ${Buffer.from('t:').toString('base64')}`) return { status: 401 };
  const [, key] = /^\/v1\/spaces\/s1\/collections\/users\/profiles\/user_id:([^/]+)\/traits$/.exec(url.pathname) ?? [];
  if (key === undefined) return { status: 400 };
  const row = users.get(decodeURIComponent(key));
  if (row === undefined) return { status: 404, body: { error: { code: 'not_found' } } };
  return { body: { traits: row, cursor: { url: '', has_more: false, next: '', limit: 200 } } };
}

before(async () => {
  [peer, silent] = await Promise.all([
    startHttpPeer((request) => {
      if (fault !== null) return { status: fault };
      return request.url.pathname.startsWith('/api/') ? iterable(request) : segment(request);
    }),
    startSilentServer(),
  ]);
  sources = createTestSources({ endpoints: { iterable: peer.base, segment: peer.base } });
  const quiet = `http://127.0.0.1:${silent.port}`;
  hangingSources = createTestSources({ endpoints: { iterable: quiet, segment: quiet } });
});
after(async () => {
  peer?.close();
  silent?.close();
  await Promise.all([sources?.close(), hangingSources?.close()]);
});

const keyOf = ({ seq }: SuiteRow): string =>
  seq % 2 === 0 ? `${String(seq).padStart(6, '0')}@example.com` : `${String(seq).padStart(6, '0')}/ü`;
const suiteOf = (seq: unknown, name: unknown): SuiteRow => ({
  seq: Number(seq),
  name: name === null ? null : String(name),
});
const set = (rows: readonly SuiteRow[]) => {
  users = new Map(rows.map((row) => [keyOf(row), row]));
};

const list = (more: object = {}) => sourceOf('iterable', { listId: '7', apiKey: 'k', ...more });

testReader({
  name: 'iterable',
  count: 1300,
  toSuite: ({ dataFields_seq: seq, dataFields_name: name }: SourceRow) => suiteOf(seq, name),
  async holding(rows) {
    set(rows);
    return openerOf(sources, list());
  },
  hanging: async () => openerOf(hangingSources, list()),
});

const profiles = (keys: readonly string[], more: object = {}) =>
  sourceOf('segment', { spaceId: 's1', accessToken: 't', keys, ...more });

testReader({
  name: 'segment',
  count: 90,
  toSuite: ({ seq, name }: SourceRow) => suiteOf(seq, name),
  async holding(rows) {
    set(rows);
    return openerOf(sources, profiles(['nobody', ...users.keys()]));
  },
  hanging: async () => openerOf(hangingSources, profiles(['a'])),
});

async function rowsOf(source: ReturnType<typeof list>): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of sources.open(source).read({ cursor: null, signal, rowLimit: 0 })) rows.push(...batch.rows);
  return rows;
}

test('skips users who left a list after it was read', async () => {
  set([{ seq: 1, name: 'a' }]);
  const { get } = users;
  users.set('gone@example.com', { seq: 2, name: 'b' });
  users.get = (key) => (key === 'gone@example.com' ? undefined : get.call(users, key));
  assert.deepEqual(await rowsOf(list()), [{ email: '000001/ü', dataFields_seq: 1, dataFields_name: 'a' }]);
});

test('a profile includes its key', async () => {
  set([{ seq: 2, name: 'a' }]);
  assert.deepEqual(await rowsOf(profiles(['000002@example.com'])), [
    { seq: 2, name: 'a', user_id: '000002@example.com' },
  ]);
});

test('a profile key has 1 to 100 characters', async () => {
  for (const keys of [undefined, [], 'a', [1], [''], Array.from({ length: 101 }, (_none, at) => String(at))]) {
    await assert.rejects(rowsOf(sourceOf('segment', { spaceId: 's1', accessToken: 't', keys })), {
      reason: 'missing_config',
    });
  }
});

test('a list requires a number and a known region', async () => {
  for (const more of [{ listId: '7/../8' }, { listId: 'x' }, { resource: 'events' }]) {
    await assert.rejects(rowsOf(list(more)), { reason: 'missing_config' }, JSON.stringify(more));
  }
  const closed = createTestSources();
  assert.equal((await closed.probe(list({ region: 'mars' }))).reason, 'missing_config');
  await closed.close();
});

test('tests both with one request', async () => {
  for (const source of [() => list(), () => profiles(['a'])]) {
    assert.equal((await sources.probe(source())).reason, 'ok');
    for (const [status, reason] of [
      [401, 'auth_failed'],
      [403, 'permission_denied'],
      [429, 'rate_limited'],
      [500, 'unexpected_response'],
    ] as const) {
      fault = status;
      assert.equal((await sources.probe(source())).reason, reason);
    }
    fault = null;
  }
});
