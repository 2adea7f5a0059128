import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { ConnectorAuthMethod } from '@arbiter/contract';
import type { SourceOfConnector } from '../sources.ts';
import { type HttpPeer, type PeerAnswer, type PeerRequest, startHttpPeer } from './test-http-peer.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

interface StoredObject {
  readonly content: string;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** What both stores hold. */
const objects = new Map<string, StoredObject>();
/** Keys of a page. */
let pageSize = 1_000;
/** Instead of the next answer. */
let fault: PeerAnswer | null = null;
const etagOf = ({ mtime, content }: StoredObject): string => `"${mtime}-${content.length}"`;

function fill(files: Readonly<Record<string, string>>): void {
  objects.clear();
  for (const [key, content] of Object.entries(files)) objects.set(key, { content, mtime: 1000 });
}

/** A page of the list: keys after the token, which is the last key of the page before. */
function pageOf(prefix: string, token: string, most: number) {
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > token);
  const page = keys.slice(0, Math.min(most, pageSize));
  return { page, next: page.length < keys.length ? page.at(-1) : undefined };
}

function contentOf(key: string, { headers }: PeerRequest, range: unknown): PeerAnswer {
  const object = objects.get(key);
  if (object === undefined) return { status: 404 };
  const etag = etagOf(object);
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag) return { status: 412 };
  const [, start] = /^bytes=(\d+)-$/.exec(String(range ?? '')) ?? [];
  const body = Buffer.from(object.content).subarray(Number(start ?? 0));
  return { status: start === undefined ? 200 : 206, headers: { etag }, body };
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** https://cloud.google.com/storage/docs/json_api/v1 */
function google(request: PeerRequest): PeerAnswer {
  const { url, headers, text } = request;
  if (url.pathname === '/token') {
    const [head = '', body = '', signature = ''] = (new URLSearchParams(text).get('assertion') ?? '').split('.');
    const isOurs = verify('RSA-SHA256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
    const { scope } = JSON.parse(Buffer.from(body, 'base64url').toString());
    assert.equal(scope, 'https://www.googleapis.com/auth/devstorage.read_only');
    return isOurs ? { body: { access_token: 'granted' } } : { status: 400, body: { error: 'invalid_grant' } };
  }
  if (headers.authorization !== 'Bearer granted') return { status: 401 };
  if (fault !== null) return takeFault();
  const [, bucket, key] = /^\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname) ?? [];
  if (bucket !== 'reports') return { status: 404 };
  if (key !== undefined) {
    assert.equal(url.searchParams.get('alt'), 'media');
    return contentOf(decodeURIComponent(key), request, headers.range);
  }
  const { prefix = '', pageToken = '', maxResults } = Object.fromEntries(url.searchParams);
  const { page, next } = pageOf(prefix, Buffer.from(pageToken, 'base64').toString(), Number(maxResults));
  return {
    body: {
      ...(page.length === 0
        ? {}
        : {
            items: page.map((name) => {
              const object = objects.get(name)!;
              return { name, updated: new Date(object.mtime * 1000).toISOString(), etag: etagOf(object) };
            }),
          }),
      ...(next === undefined ? {} : { nextPageToken: Buffer.from(next).toString('base64') }),
    },
  };
}

function takeFault(): PeerAnswer {
  const answer = fault!;
  fault = null;
  return answer;
}

const accountKey = Buffer.from('a key of an account').toString('base64');
const sasToken = '?sv=2021-08-06&sp=rl&sig=a%2Fb%3D';

/** The string that a Shared Key signs, made from what arrived. */
function signedText({ method, url, headers }: PeerRequest): string {
  const header = (name: string): string => String(headers[name] ?? '');
  const canonical = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
    .map((name) => `${name}:${header(name)}`);
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}:${value}`);
  return [
    method,
    ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type'].map(header),
    ...['date', 'if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'].map(header),
    ...canonical,
    `/reportsaccount${url.pathname}`,
    ...query,
  ].join('\n');
}

function isAzureCaller(request: PeerRequest): boolean {
  const { url, headers } = request;
  const sent = Date.parse(String(headers['x-ms-date']));
  assert.ok(Math.abs(sent - Date.now()) < 60_000, 'the date of a request is about now');
  if (url.searchParams.get('sig') !== null) return url.searchParams.get('sig') === 'a/b=';
  const wanted = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(signedText(request)).digest('base64');
  return headers.authorization === `SharedKey reportsaccount:${wanted}`;
}

/** https://learn.microsoft.com/rest/api/storageservices */
function azure(request: PeerRequest): PeerAnswer {
  const { url, headers } = request;
  const xml = { 'content-type': 'application/xml' };
  if (!isAzureCaller(request)) return { status: 403, headers: { 'x-ms-error-code': 'AuthenticationFailed', ...xml } };
  if (fault !== null) return takeFault();
  const [, container, key] = /^\/([^/]+)(?:\/(.+))?$/.exec(url.pathname) ?? [];
  if (container !== 'reports') return { status: 404, headers: { 'x-ms-error-code': 'ContainerNotFound' } };
  if (key !== undefined) return contentOf(decodeURIComponent(key), request, headers['x-ms-range']);
  const { prefix = '', marker = '', maxresults } = Object.fromEntries(url.searchParams);
  const { page, next } = pageOf(prefix, Buffer.from(marker, 'base64').toString(), Number(maxresults));
  const blobs = page.map((name) => {
    const object = objects.get(name)!;
    const text = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const at = new Date(object.mtime * 1000).toUTCString();
    return `<Blob><Name>${text}</Name><Properties><Last-Modified>${at}</Last-Modified><Etag>${etagOf(object)}</Etag></Properties></Blob>`;
  });
  const marker2 =
    next === undefined ? '<NextMarker />' : `<NextMarker>${Buffer.from(next).toString('base64')}</NextMarker>`;
  const body = `\uFEFF<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>${blobs.join('')}</Blobs>${marker2}</EnumerationResults>`;
  return { headers: xml, body };
}

let [googlePeer, azurePeer]: HttpPeer[] = [];
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let sources: ReturnType<typeof createTestSources>;
before(async () => {
  [googlePeer, azurePeer] = await Promise.all([startHttpPeer(google), startHttpPeer(azure)]);
  silent = await startSilentServer();
  sources = createTestSources({ endpoints: { gcs: googlePeer.base, azure_blob: azurePeer.base } });
});
after(async () => {
  googlePeer?.close();
  azurePeer?.close();
  silent?.close();
  await sources?.close();
});

type Config = Readonly<Record<string, unknown>>;
const account = { client_email: 'reader@example.iam', private_key: privateKey };

const stores = [
  {
    name: 'a bucket of Google Cloud Storage',
    method: 'service_account',
    connector: (config: Config) =>
      sourceOf('gcs', { bucket: 'reports', project: 'p', serviceAccountJson: account, ...config }),
    endpoint: 'gcs',
    nowhere: { bucket: 'others' },
    stranger: { serviceAccountJson: { ...account, private_key: 'no key' } },
  },
  {
    name: 'a container of Azure, with the key of the account',
    method: 'account_key',
    connector: (config: Config) =>
      sourceOf('azure_blob', { container: 'reports', storageAccount: 'reportsaccount', accountKey, ...config }),
    endpoint: 'azure_blob',
    nowhere: { container: 'others' },
    stranger: { accountKey: Buffer.from('another key').toString('base64') },
  },
  {
    name: 'a container of Azure, with a shared access signature',
    method: 'sas_token',
    connector: (config: Config): SourceOfConnector => ({
      ...sourceOf('azure_blob', { container: 'reports', storageAccount: 'reportsaccount', sasToken, ...config }),
      method: 'sas_token' satisfies ConnectorAuthMethod,
    }),
    endpoint: 'azure_blob',
    nowhere: { container: 'others' },
    stranger: { sasToken: 'sv=1&sig=wrong' },
  },
] as const;

for (const { name, connector, endpoint, nowhere, stranger } of stores) {
  testReader({
    name,
    toSuite: ({ seq, name }) => ({ seq: Number(seq), name: name === null ? null : String(name) }),
    async holding(rows: readonly SuiteRow[]) {
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
      pageSize = 2;
      fill({
        'in/': '',
        "in/a & 'ü' (1)+2*.jsonl": lines.slice(0, 1200).join(''),
        'in/b.jsonl': '',
        'in/c/d.jsonl': lines.slice(1200).join(''),
        'in/other.txt': 'not read',
        'inner/e.jsonl': '{"seq":0}',
      });
      return openerOf(sources, connector({ path: 'in', pattern: '**.jsonl', format: 'jsonl' }));
    },
    async hanging() {
      const hung = createTestSources({ endpoints: { [endpoint]: `http://127.0.0.1:${silent.port}` } });
      return openerOf(hung, connector({}));
    },
  });

  describe(name, () => {
    test('a probe names the problem', async () => {
      fill({ 'a.csv': 'a\n1\n' });
      assert.equal((await sources.probe(connector({}))).reason, 'ok');
      assert.equal((await sources.probe(connector(nowhere))).reason, 'not_found');
      assert.equal((await sources.probe(connector(stranger))).reason, 'auth_failed');
      for (const [status, reason] of [
        [403, 'permission_denied'],
        [302, 'unexpected_response'],
      ] as const) {
        fault = { status, headers: { location: 'http://169.254.169.254/' } };
        assert.equal((await sources.probe(connector({}))).reason, reason);
      }
      fault = { body: 'no list' };
      assert.equal((await sources.probe(connector({}))).reason, 'unexpected_response');
    });

    test('retries after 503, with a new request time', async () => {
      fill({ 'a.csv': 'a\n1\n' });
      fault = { status: 503 };
      const reader = sources.open(connector({}));
      const rows: unknown[] = [];
      for await (const batch of reader.read({ cursor: null, signal: new AbortController().signal, rowLimit: 0 }))
        rows.push(...batch.rows);
      assert.deepEqual(rows, [{ a: '1' }]);
    });
  });
}

test('rejects names that would lead elsewhere before any request', async () => {
  const before = azurePeer!.requests.length + googlePeer!.requests.length;
  const [gcs, azureKey] = stores;
  for (const source of [
    gcs.connector({ bucket: '../b' }),
    azureKey.connector({ storageAccount: 'a.evil.example/' }),
    azureKey.connector({ container: '..' }),
  ]) {
    assert.equal((await sources.probe(source)).reason, 'missing_config');
  }
  assert.equal(azurePeer!.requests.length + googlePeer!.requests.length, before);
});
