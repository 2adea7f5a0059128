import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Connector, ConnectorPreview, ConnectorTest, Problem } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import {
  reachesDestinations,
  startDestination,
  type TestDestination,
} from '../../operations/notifications/test-destination.ts';

/** Connectors over HTTP (docs/design/api-catalogue.md 14.2, 20). */

let server: TestServer;
let peer: TestDestination;
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({ tenants: 2, config: reachesDestinations }),
    startDestination(),
  ]);
});
after(() => Promise.all([server?.close(), peer?.close()]));

const bullets = '••••••••';
let counter = 0;
const create = (body: Record<string, unknown>) =>
  server.createRecord<Connector>('connectors', { name: `Connector ${++counter}`, type: 'rest_api', ...body });
const put = (id: string, body: object) => server.call<Connector>('PUT', `/api/v1/connectors/${id}`, { body });
const tested = async (id: string) => {
  const answer = await server.call<ConnectorTest>('POST', '/api/v1/connectors/test', { body: { id } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const refusal = async (method: string, path: string, body: unknown) => {
  const answer = await server.call<Problem>(method, `/api/v1/connectors${path}`, { body });
  return [answer.status, answer.body.code, answer.body.errors?.[0]?.path] as const;
};

describe('records', () => {
  test('have defaults, merge both configs, and show details of their type', async () => {
    const made = await create({
      type: 'postgresql',
      connectionConfig: { host: 'a.example', port: 1 },
      config: { port: 2 },
    });
    const { id: _id, tenantId: _tenant, name: _name, createdAt: _created, updatedAt: _updated, ...rest } = made;
    assert.deepEqual(rest, {
      ...{ description: '', type: 'postgresql', config: { host: 'a.example', port: 2 }, authMethod: 'access_key' },
      ...{ status: 'active', category: 'database', typeStatus: 'ready', hasAuth: false, authFields: [], version: 1 },
      ...{ lastTestedAt: null, lastError: null, lastSyncAt: null, lastSyncRowCount: null },
    });
  });

  test('are listed by type, category and status', async () => {
    const made = await create({ type: 'bigcommerce', status: 'inactive' });
    for (const query of ['type=bigcommerce', 'category=commerce', 'status=inactive']) {
      const { body } = await server.call<{ data: Connector[] }>('GET', `/api/v1/connectors?${query}`);
      assert.deepEqual(
        body.data.map(({ id }) => id),
        [made.id],
        query,
      );
    }
  });

  for (const [words, body, path] of [
    ['an unknown type', { type: 'postgres' }, '/type'],
    ['a method that the type lacks', { type: 'postgresql', authMethod: 'sasl' }, '/authMethod'],
    ['an unknown method', { authMethod: 'magic' }, '/authMethod'],
    ['no type', { type: undefined }, '/type'],
    ['an empty name', { name: ' ' }, '/name'],
    ['bullets without a secret', { authConfig: { apiKey: bullets } }, '/authConfig/apiKey'],
  ] as const) {
    test(`are rejected with ${words}`, async () => {
      const whole = { name: 'Refused', type: 'rest_api', ...body };
      assert.deepEqual(await refusal('POST', '', whole), [400, 'validation_failed', path]);
    });
  }

  test('are rejected with a taken name', async () => {
    const { name } = await create({});
    assert.deepEqual(await refusal('POST', '', { name, type: 'csv' }), [409, 'duplicate_name', '/name']);
  });

  test("of other tenants aren't found", async () => {
    const { id } = await create({});
    const [, other] = server.tenants;
    assert.ok(other);
    const key = other.keys.admin;
    const at = `/api/v1/connectors/${id}`;
    assert.equal((await server.call('GET', at, { key })).status, 404);
    assert.equal((await server.call('PUT', at, { key, body: { name: 'x' } })).status, 404);
    assert.equal((await server.call('DELETE', at, { key })).status, 404);
    assert.equal((await server.call('POST', '/api/v1/connectors/test', { key, body: { id } })).status, 404);
    assert.equal((await server.call('POST', `${at}/preview`, { key, body: {} })).status, 404);
    assert.equal((await server.call('GET', at)).status, 200);
  });

  test('are deleted with their credentials', async () => {
    const { id } = await create({ authConfig: { apiKey: 'to be deleted' } });
    assert.equal((await server.call('DELETE', `/api/v1/connectors/${id}`)).status, 204);
    assert.equal((await server.call('GET', `/api/v1/connectors/${id}`)).status, 404);
    const rows = await server.testDatabase.ownerQuery(
      'select 1 from arbiter.connector_secrets where connector_id = $1',
      [id],
    );
    assert.deepEqual(rows, []);
  });
});

describe('credentials', () => {
  const url = 'https://api.example.com/rows';

  test('are never returned, wherever they were entered', async () => {
    const made = await create({
      config: {
        url: 'https://robot:planted-user-pw@api.example.com/rows',
        apiKey: 'planted-api-key-1',
        headers: { 'X-Trace': 'planted-header-2' },
        pagination: { type: 'cursor', deep: [{ accessToken: 'planted-token-3', size: 5 }] },
      },
      authConfig: { clientSecret: 'planted-secret-4' },
    });
    assert.deepEqual(made.config, { url, pagination: { type: 'cursor', deep: [{ size: 5 }] } });
    assert.equal(made.hasAuth, true);
    const { authConfig } = await tested(made.id);
    assert.deepEqual(authConfig, {
      ...{ username: bullets, password: 'pl••••pw', apiKey: 'pl••••-1', clientSecret: 'pl••••-4' },
      headers: { 'X-Trace': 'pl••••-2' },
      pagination: { deep: { 0: { accessToken: 'pl••••-3' } } },
    });
    assert.equal((await put(made.id, { authConfig: { apiKey: 'planted-again-5' } })).status, 200);
    for (const table of ['connectors', 'connector_secrets', 'record_versions', 'audit_logs', 'events']) {
      const rows = await server.testDatabase
        .ownerQuery<{ text: string }>(`select to_jsonb(t)::text as text from arbiter.${table} t`)
        .catch(() => []);
      for (const { text } of rows) assert.doesNotMatch(text, /planted/, table);
    }
  });

  test('are kept where masks are sent, and otherwise replaced as a whole', async () => {
    const { id } = await create({
      config: { url },
      authConfig: { apiKey: 'a key of some length', headerName: 'X-Key' },
    });
    const { authConfig } = await tested(id);
    assert.deepEqual(authConfig, { apiKey: 'a ••••th', headerName: bullets });
    assert.equal((await put(id, { authConfig: { apiKey: 'a ••••th', username: 'somebody' } })).status, 200);
    assert.deepEqual((await tested(id)).authConfig, { apiKey: 'a ••••th', username: bullets });
    assert.deepEqual(await refusal('PUT', `/${id}`, { authConfig: { password: bullets } }), [
      ...[400, 'validation_failed', '/authConfig/password'],
    ]);
    assert.equal((await put(id, { config: { url: `${url}?page=2` } })).body.hasAuth, true);
  });

  test("aren't kept when the connector moves to another server or type", async () => {
    const { id } = await create({ config: { url }, authConfig: { apiKey: 'a key of some length' } });
    const moved = await put(id, { config: { url: 'https://elsewhere.example.com/rows' } });
    assert.deepEqual([moved.status, moved.body.hasAuth], [200, false]);
    assert.equal((await put(id, { authConfig: { apiKey: 'another key of length' } })).body.hasAuth, true);
    const masked = { config: { url }, authConfig: { apiKey: bullets } };
    assert.deepEqual(await refusal('PUT', `/${id}`, masked), [400, 'validation_failed', '/authConfig/apiKey']);
    assert.equal((await put(id, { type: 'graphql' })).body.hasAuth, false);
  });
});

describe('tests', () => {
  test('name missing settings without a connection', async () => {
    const { id } = await create({ type: 'postgresql', config: { port: 5432 } });
    const { testedAt, latencyMs: _latency, ...rest } = await tested(id);
    assert.deepEqual(rest, {
      ...{ success: false, status: 'error', reason: 'missing_config', probe: 'tcp', missing: ['host', 'database'] },
      ...{ message: 'Required settings are missing or wrong.', details: {}, authConfig: {} },
    });
    const { body } = await server.call<Connector>('GET', `/api/v1/connectors/${id}`);
    assert.deepEqual(
      [body.status, body.lastError, body.lastTestedAt, body.version],
      ['error', 'missing_config', testedAt, 2],
    );
  });

  test('of types that are coming soon say so', async () => {
    const { id } = await create({ type: 'oracle' });
    const { reason, status } = await tested(id);
    assert.deepEqual([reason, status], ['coming_soon', 'error']);
  });

  for (const [words, answers, reason] of [
    ['success', { HEAD: 200 }, 'ok'],
    ['a redirect that is not followed', { HEAD: 302 }, 'ok'],
    ['GET where HEAD is not supported', { HEAD: 405, GET: 200 }, 'ok'],
    ['rejected credentials', { HEAD: 401 }, 'auth_failed'],
    ['missing rights', { HEAD: 403 }, 'permission_denied'],
    ['a missing page', { HEAD: 404 }, 'not_found'],
    ['too many requests', { HEAD: 429 }, 'rate_limited'],
    ['a failure', { HEAD: 500 }, 'unexpected_response'],
  ] as const) {
    test(`of an API recognize ${words}`, async () => {
      const path = `/probe/${encodeURIComponent(words)}`;
      const statuses: Readonly<Record<string, number>> = answers;
      peer.on(path, (response) => {
        const status = statuses[response.req.method ?? ''] ?? 418;
        response.writeHead(status, { location: peer.url('/never') }).end();
      });
      const { id } = await create({ config: { url: peer.url(path) }, authConfig: { apiKey: 'a key of some length' } });
      assert.equal((await tested(id)).reason, reason);
      assert.equal(peer.got('/never').length, 0);
    });
  }

  test('leave an inactive connector inactive, and make a failed one active again', async () => {
    const off = await create({ config: { url: peer.url('/fine') }, status: 'inactive' });
    assert.equal((await tested(off.id)).status, 'inactive');
    const failed = await create({ config: { url: peer.url('/fine') }, status: 'error' });
    assert.equal((await tested(failed.id)).status, 'active');
  });

  test('pause after five failures in a row, until the settings change', async () => {
    peer.on('/down', (response) => void response.writeHead(500).end());
    const { id } = await create({ config: { url: peer.url('/down') } });
    for (let turn = 0; turn < 5; turn++) assert.equal((await tested(id)).reason, 'unexpected_response');
    const before = peer.got('/down').length;
    assert.equal((await tested(id)).reason, 'circuit_open');
    assert.equal(peer.got('/down').length, before);
    assert.equal((await put(id, { config: { url: peer.url('/fine') } })).status, 200);
    assert.equal((await tested(id)).reason, 'ok');
  });
});

describe('previews', () => {
  const preview = async (id: string, body: object) => {
    const answer = await server.call<ConnectorPreview & ConnectorTest>('POST', `/api/v1/connectors/${id}/preview`, {
      body,
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  test('show the first rows with types of their columns', async () => {
    const rows = Array.from({ length: 30 }, (_none, at) => ({
      id: at,
      big: 3e9,
      share: at / 2,
      tags: ['x'],
      name: 'n',
    }));
    peer.on('/preview', (response) => void response.end(JSON.stringify({ rows })));
    const { id } = await create({ config: { url: peer.url('/preview') } });
    const shown = await preview(id, { source: { responseRowsPath: 'rows' }, limit: 25 });
    assert.deepEqual(shown, {
      success: true,
      columns: [
        ...[
          { name: 'id', dataType: 'integer' },
          { name: 'big', dataType: 'bigint' },
        ],
        ...[
          { name: 'share', dataType: 'double' },
          { name: 'tags', dataType: 'jsonb' },
          { name: 'name', dataType: 'text' },
        ],
      ],
      ...{ rows: rows.slice(0, 25), rowCount: 25, truncated: true },
    });
    assert.equal((await preview(id, { source: { responseRowsPath: 'rows' } })).rowCount, 20);
  });

  test('of a failing source respond like its test', async () => {
    peer.on('/secret', (response) => void response.writeHead(403).end('the text of the other side'));
    const { id } = await create({
      config: { url: peer.url('/secret') },
      authConfig: { apiKey: 'a key of some length' },
    });
    const { testedAt: _at, latencyMs: _ms, ...rest } = await preview(id, {});
    assert.deepEqual(rest, {
      ...{ success: false, status: 'error', reason: 'permission_denied', probe: 'http_head', missing: [], details: {} },
      ...{ message: "The credentials don't allow reading. Grant read access.", authConfig: { apiKey: 'a ••••th' } },
    });
  });

  test('accept no address and no credentials from the call', async () => {
    peer.on('/mine', (response) => void response.end('[{"a":1}]'));
    const { id } = await create({ config: { url: peer.url('/mine') }, authConfig: { apiKey: 'a key of some length' } });
    const source = { url: peer.url('/thief'), headers: { host: 'x' }, apiKey: 'other' };
    assert.equal((await preview(id, { source })).rowCount, 1);
    assert.equal(peer.got('/thief').length, 0);
  });

  test('have at most 100 rows', async () => {
    const { id } = await create({});
    assert.deepEqual(await refusal('POST', `/${id}/preview`, { limit: 101 }), [400, 'validation_failed', '/limit']);
    assert.deepEqual(await refusal('POST', `/${id}/preview`, { limit: 0 }), [400, 'validation_failed', '/limit']);
  });
});

test('allows 100 tests a minute', async () => {
  const body = { id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00' };
  const key = server.tenants[1]?.keys.editor ?? '';
  const statuses = new Map<number, number>();
  for (let turn = 0; turn < 102; turn++) {
    const { status } = await server.call('POST', '/api/v1/connectors/test', { key, body });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // One was counted by another test of this tenant.
  assert.deepEqual(
    [...statuses],
    [
      [404, 99],
      [429, 3],
    ],
  );
});
