import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceRow } from '../../reader.ts';
import { type HttpPeer, type PeerAnswer, type PeerRequest, startHttpPeer } from '../test-http-peer.ts';
import { type SuiteRow, testReader } from '../test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from '../test-sources.ts';

/** https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_query.htm */

const pageSize = 200;
const version = '/services/data/v62.0';
let rows: readonly SuiteRow[] = [];
let peer: HttpPeer;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let sources: ReturnType<typeof createTestSources>;
/** What the next page's address is instead. */
let nextUrl: string | null = null;
let restUrl: string | null = null;
/** Queries by the ID of their cursor. */
const cursors: string[] = [];

const idOf = (seq: number): string => `003${String(seq).padStart(12, '0')}`;
const fields = ['Id', 'Name__c', 'Seq__c'];

function page(query: string, start: number): PeerAnswer {
  const [, after] = /WHERE (?:.* AND )?Id > '(\w{15})'/.exec(query) ?? [];
  const found = rows.filter(({ seq }) => after === undefined || idOf(seq) > after);
  const records = found.slice(start, start + pageSize).map(({ seq, name }) => ({
    attributes: { type: 'Contact', url: `${version}/sobjects/Contact/${idOf(seq)}` },
    ...{ Id: idOf(seq), Name__c: name, Seq__c: seq },
  }));
  const isDone = start + pageSize >= found.length;
  if (!isDone && !cursors.includes(query)) cursors.push(query);
  const next = nextUrl ?? `${version}/query/01g${cursors.indexOf(query)}-${start + pageSize}`;
  return { body: { totalSize: found.length, done: isDone, records, ...(isDone ? {} : { nextRecordsUrl: next }) } };
}

function answer({ method, url, headers, text }: PeerRequest): PeerAnswer {
  if (method === 'POST' && url.pathname === '/services/oauth2/token') {
    const form = new URLSearchParams(text);
    const isKnown = form.get('refresh_token') === 'r' && form.get('client_secret') === 's';
    return isKnown ? { body: { access_token: 't' } } : { status: 400, body: { error: 'invalid_grant' } };
  }
  if (headers.authorization !== 'Bearer t') return { status: 401, body: [{ errorCode: 'INVALID_SESSION_ID' }] };
  if (url.pathname === '/services/oauth2/userinfo') {
    return { body: { urls: { rest: restUrl ?? `${peer.base}/services/data/v{version}/` } } };
  }
  if (url.pathname === `${version}/sobjects/Contact/describe`) {
    const described = [
      ...fields.map((name) => ({ name, type: 'string' })),
      { name: 'MailingAddress', type: 'address' },
    ];
    return { body: { fields: described } };
  }
  const [, at, start] = /\/query\/01g(\d+)-(\d+)$/.exec(url.pathname) ?? [];
  if (at !== undefined) return page(cursors[Number(at)] ?? '', Number(start));
  const query = url.searchParams.get('q') ?? '';
  if (url.pathname !== `${version}/query`) return { status: 404 };
  if (query !== 'SELECT Id FROM Contact ORDER BY Id LIMIT 1') {
    assert.match(query, /^SELECT Id,Name__c,Seq__c FROM Contact (WHERE .* )?ORDER BY Id$/);
  }
  return page(query, 0);
}

before(async () => {
  [peer, silent] = await Promise.all([startHttpPeer(answer), startSilentServer()]);
  sources = createTestSources({ endpoints: { salesforce: peer.base } });
});
after(async () => {
  peer?.close();
  silent?.close();
  await sources?.close();
});

const contacts = (more: object = {}) =>
  sourceOf('salesforce', { instanceUrl: 'https://acme.my.salesforce.com', accessToken: 't', ...more });

testReader({
  name: 'salesforce',
  count: 1500,
  toSuite: ({ Seq__c: seq, Name__c: name }: SourceRow) => ({
    seq: Number(seq),
    name: name === null ? null : String(name),
  }),
  async holding(list) {
    rows = list;
    return openerOf(sources, contacts());
  },
  hanging: async () => {
    const quiet = createTestSources({ endpoints: { salesforce: `http://127.0.0.1:${silent.port}` } });
    return openerOf(quiet, contacts());
  },
});

async function read(source: ReturnType<typeof contacts>, over = sources): Promise<SourceRow[]> {
  const found: SourceRow[] = [];
  const signal = new AbortController().signal;
  for await (const batch of over.open(source).read({ cursor: null, signal, rowLimit: 0 })) found.push(...batch.rows);
  return found;
}

test('a refresh token gives the access token', async () => {
  rows = [{ seq: 1, name: 'a' }];
  const config = { instanceUrl: 'https://a.example', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
  assert.deepEqual(await read(sourceOf('salesforce', config)), [{ Id: idOf(1), Name__c: 'a', Seq__c: 1 }]);
  assert.equal((await sources.probe(sourceOf('salesforce', { ...config, refreshToken: 'x' }))).reason, 'auth_failed');
});

test('a token alone finds its server', async () => {
  rows = [{ seq: 1, name: 'a' }];
  assert.equal((await read(sourceOf('salesforce', { apiKey: 't' }))).length, 1);
});

test('checks a server that the token names like any other', async () => {
  for (const rest of ['https://127.1/', 'http://169.254.169.254/x', 'https://[::ffff:10.0.0.1]/']) {
    restUrl = rest;
    assert.equal(
      (await sources.probe(sourceOf('salesforce', { apiKey: 't' }))).reason,
      rest.includes('127') ? 'connection_refused' : 'blocked_address',
      rest,
    );
  }
  restUrl = null;
});

test('a page from another server ends the read', async () => {
  rows = Array.from({ length: pageSize + 1 }, (_none, at) => ({ seq: at + 1, name: null }));
  const other = await startHttpPeer(() => ({ body: { records: [] } }));
  for (const next of [`${other.base}/services/data/v62.0/query/x`, other.base.replace('http:', '')]) {
    nextUrl = next;
    await assert.rejects(read(contacts()), { reason: 'unexpected_response' }, next);
  }
  nextUrl = `${version}/query/01g0-0`;
  await assert.rejects(read(contacts()), { reason: 'unexpected_response' });
  nextUrl = null;
  assert.equal(other.requests.length, 0);
  other.close();
});

test('requests include the time of the last change and the version', async () => {
  rows = [];
  await read(contacts({ since: '2026-01-01T00:00:00+01:00' }));
  assert.match(peer.requests.at(-1)?.url.searchParams.get('q') ?? '', /WHERE LastModifiedDate >= 2025-12-31T23:00:00/);
  for (const more of [{ since: "x' OR" }, { apiVersion: '62.0/../x' }, { resource: 'User' }]) {
    await assert.rejects(read(contacts(more)), { reason: 'missing_config' }, JSON.stringify(more));
  }
  assert.equal((await sources.probe(contacts())).reason, 'ok');
  assert.equal((await sources.probe(contacts({ accessToken: 'x' }))).reason, 'auth_failed');
});
