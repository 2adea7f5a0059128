import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { ConnectorType } from '@arbiter/contract';
import type { SourceRow } from '../reader.ts';
import { serviceTypes } from './service-apis.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

/** A provider's list, in the shape that its documentation publishes. */
interface Peer {
  readonly type: ConnectorType;
  readonly config: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** The header that signs in. */
  readonly auth: readonly [string, string];
  readonly size: readonly [parameter: string, most: number];
  /** Where the page starts, by the call's parameters. */
  start(query: URLSearchParams, size: number): number;
  /** The body of a page. `next`: where the next one starts, or null. */
  body(rows: readonly object[], next: number | null, url: URL): unknown;
  /** Whether the next page is in the header `Link`. */
  readonly links?: true;
  /** Where the suite's values are in a row. */
  readonly seq?: string;
  readonly name?: string;
  row?(row: SuiteRow): object;
}

const at = (name: string) => (query: URLSearchParams) => Number(query.get(name) ?? 0);
const byPage = (query: URLSearchParams, size: number) => (Number(query.get('page')) - 1) * size;
const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;
const basic = (text: string) => ['authorization', `Basic ${Buffer.from(text).toString('base64')}`] as const;
const nextOf = (next: number | null) => (next === null ? null : String(next));

/** The address of the next page. */
function linkTo(url: URL, next: number): string {
  const link = new URL(url);
  link.searchParams.set('page_at', String(next));
  return link.href;
}

const peers: readonly Peer[] = [
  {
    ...{ type: 'stripe', config: { apiKey: 'sk' }, path: '/v1/charges', auth: bearer('sk'), size: ['limit', 100] },
    start: at('starting_after'),
    row: ({ seq, name }) => ({ id: String(seq), name }),
    body: (data, next) => ({ object: 'list', data, has_more: next !== null }),
    seq: 'id',
  },
  {
    ...{ type: 'shopify', config: { shop: 'acme.myshopify.com', accessToken: 't' }, links: true },
    ...{ path: '/admin/api/2025-10/orders.json', auth: ['x-shopify-access-token', 't'], size: ['limit', 250] },
    start: at('page_at'),
    body: (orders) => ({ orders }),
  },
  {
    ...{ type: 'hubspot', config: { apiKey: 'k' }, path: '/crm/v3/objects/contacts', auth: bearer('k') },
    ...{ size: ['limit', 100], start: at('after'), seq: 'id', name: 'properties_name' },
    row: ({ seq, name }) => ({ id: String(seq), properties: { name } }),
    body: (results, next) => (next === null ? { results } : { results, paging: { next: { after: String(next) } } }),
  },
  {
    ...{ type: 'pipedrive', config: { companyDomain: 'acme', apiKey: 'k' }, path: '/api/v2/persons' },
    ...{ auth: ['x-api-token', 'k'], size: ['limit', 500], start: at('cursor') },
    body: (data, next) => ({ success: true, data, additional_data: { next_cursor: nextOf(next) } }),
  },
  {
    ...{ type: 'mailchimp', config: { listId: 'l1', apiKey: 'k-us6' }, path: '/3.0/lists/l1/members' },
    ...{ auth: basic('arbiter:k-us6'), size: ['count', 1000], start: at('offset') },
    body: (members) => ({ members, list_id: 'l1' }),
  },
  {
    ...{
      type: 'klaviyo',
      config: { apiKey: 'k' },
      path: '/api/profiles',
      auth: ['authorization', 'Klaviyo-API-Key k'],
    },
    ...{ size: ['page[size]', 100], start: at('page_at'), seq: 'id', name: 'attributes_name' },
    row: ({ seq, name }) => ({ type: 'profile', id: String(seq), attributes: { name } }),
    body: (data, next, url) => ({ data, links: { next: next === null ? null : linkTo(url, next) } }),
  },
  {
    ...{ type: 'sendgrid', config: { apiKey: 'k' }, path: '/v3/suppression/bounces', auth: bearer('k') },
    ...{ size: ['limit', 500], start: at('offset') },
    body: (rows) => rows,
  },
  {
    ...{ type: 'postmark', config: { apiKey: 'k' }, path: '/bounces', auth: ['x-postmark-server-token', 'k'] },
    ...{ size: ['count', 500], start: at('offset') },
    body: (rows) => ({ TotalCount: rows.length, Bounces: rows }),
  },
  {
    ...{ type: 'woocommerce', config: { url: 'https://shop.example', username: 'ck', password: 'cs' } },
    ...{ path: '/wp-json/wc/v3/customers', auth: basic('ck:cs'), size: ['per_page', 100], start: byPage },
    body: (rows) => rows,
  },
  {
    ...{ type: 'bigcommerce', config: { storeHash: 'h', accessToken: 't' }, path: '/stores/h/v3/customers' },
    ...{ auth: ['x-auth-token', 't'], size: ['limit', 250], start: byPage },
    body: (data) => ({ data, meta: {} }),
  },
  {
    ...{ type: 'zendesk', config: { subdomain: 'acme', accessToken: 't' }, path: '/api/v2/users.json' },
    ...{ auth: bearer('t'), size: ['page[size]', 100], start: at('page_at') },
    body: (users, next, url) => ({
      users,
      meta: { has_more: next !== null },
      links: { next: next === null ? null : linkTo(url, next) },
    }),
  },
  {
    ...{ type: 'intercom', config: { accessToken: 't' }, path: '/contacts', auth: bearer('t') },
    ...{ size: ['per_page', 150], start: at('starting_after') },
    body: (data, next) => ({ data, pages: next === null ? {} : { next: { starting_after: String(next) } } }),
  },
  {
    ...{ type: 'freshdesk', config: { domain: 'acme', apiKey: 'k' }, path: '/api/v2/contacts', links: true },
    ...{ auth: basic('k:X'), size: ['per_page', 100], start: at('page_at') },
    body: (rows) => rows,
  },
  {
    ...{ type: 'airtable', config: { baseId: 'app1', table: 'A b', accessToken: 't' }, path: '/v0/app1/A%20b' },
    ...{ auth: bearer('t'), size: ['pageSize', 100], start: at('offset'), seq: 'fields_seq', name: 'fields_name' },
    row: ({ seq, name }) => ({ id: `rec${seq}`, fields: { seq, ...(name === null ? {} : { name }) } }),
    body: (records, next) => (next === null ? { records } : { records, offset: String(next) }),
  },
];

/** What the next request of a type gets instead. */
const faults = new Map<string, number>();
const held = new Map<string, readonly SuiteRow[]>();
let server: Server;
let base: string;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let sources: ReturnType<typeof createTestSources>;
let hangingSources: ReturnType<typeof createTestSources>;

function answerOf(peer: Peer, request: IncomingMessage, url: URL): { status: number; body?: unknown; link?: string } {
  const fault = faults.get(peer.type);
  if (fault !== undefined) return { status: fault };
  if (url.pathname !== `/${peer.type}${peer.path}`) return { status: 404 };
  if (request.headers[peer.auth[0]] !== peer.auth[1]) return { status: 401 };
  const size = Math.min(Number(url.searchParams.get(peer.size[0])), peer.size[1]);
  const start = peer.start(url.searchParams, size);
  const rows = held.get(peer.type) ?? [];
  const next = start + size < rows.length ? start + size : null;
  const body = peer.body(rows.slice(start, start + size).map(peer.row ?? ((row) => row)), next, url);
  return { status: 200, body, ...(peer.links && next !== null ? { link: `<${linkTo(url, next)}>; rel="next"` } : {}) };
}

before(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', base);
    const peer = peers.find(({ type }) => url.pathname.startsWith(`/${type}/`));
    const { status, body, link } = peer === undefined ? { status: 418 } : answerOf(peer, request, url);
    response.writeHead(status, { 'content-type': 'application/json', ...(link === undefined ? {} : { link }) });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  [silent] = await Promise.all([startSilentServer(), once(server, 'listening')]);
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = (to: (type: string) => string) => Object.fromEntries(serviceTypes.map((type) => [type, to(type)]));
  sources = createTestSources({ endpoints: endpoints((type) => `${base}/${type}`) });
  hangingSources = createTestSources({ endpoints: endpoints(() => `http://127.0.0.1:${silent.port}`) });
});
after(async () => {
  silent?.close();
  server?.close();
  await Promise.all([sources?.close(), hangingSources?.close()]);
});

const connector = ({ type, config }: Peer) => {
  const source = sourceOf(type, config);
  return type === 'zendesk' ? { ...source, method: 'token' as const } : source;
};

test('each provider has a peer', () => {
  assert.deepEqual(peers.map(({ type }) => type).sort(), [...serviceTypes].sort());
});

for (const peer of peers) {
  testReader({
    name: peer.type,
    count: 520,
    toSuite: (row: SourceRow) => {
      const name = row[peer.name ?? 'name'] ?? null;
      return { seq: Number(row[peer.seq ?? 'seq']), name: name === null ? null : String(name) };
    },
    async holding(rows) {
      held.set(peer.type, rows);
      return openerOf(sources, connector(peer));
    },
    hanging: async () => openerOf(hangingSources, connector(peer)),
  });

  test(`${peer.type} is tested by reading one row`, async () => {
    assert.equal((await sources.probe(connector(peer))).reason, 'ok');
    for (const [status, reason] of [
      [401, 'auth_failed'],
      [403, 'permission_denied'],
      [404, 'not_found'],
      [429, 'rate_limited'],
      [502, 'unexpected_response'],
    ] as const) {
      faults.set(peer.type, status);
      assert.equal((await sources.probe(connector(peer))).reason, reason);
    }
    faults.delete(peer.type);
    const resource = { ...connector(peer), config: { ...peer.config, resource: '../admin' } };
    assert.equal((await sources.probe(resource)).reason, 'missing_config');
  });
}

test('host names are one label', async () => {
  const closed = createTestSources();
  for (const shop of [
    'evil.example/',
    'a@evil.example',
    'a.b',
    'a#',
    '-a',
    'x'.repeat(64),
    'evil.example?.myshopify.com',
  ]) {
    const source = sourceOf('shopify', { shop, accessToken: 't' });
    assert.equal((await closed.probe(source)).reason, 'missing_config', shop);
  }
  await closed.close();
});
