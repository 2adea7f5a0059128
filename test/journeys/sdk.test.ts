import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, type Client, createClient } from '../../packages/sdk/src/index.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

/** The SDK against the real server over a socket. */

let server: TestServer;
let baseUrl: string;
let client: Client;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  baseUrl = await server.app.listen({ port: 0, host: '127.0.0.1' });
  const [tenant] = server.tenants;
  client = createClient({ baseUrl, apiKey: tenant.keys.admin, tenantId: tenant.id });
});
after(() => server.close());

test('an open operation', async () => {
  assert.equal((await client.system.health()).status, 'ok');
  assert.equal((await client.call('system.ready')).status, 'ready');
});

test('creates, reads, changes, lists and deletes in both styles', async () => {
  const made = await client.categories.create({ body: { name: 'Cards & “more” 😀' } });
  assert.equal(made.name, 'Cards & “more” 😀');
  const read = await client.categories.get({ params: { id: made.id } });
  assert.deepEqual(read, made);
  const changed = await client.categories.updateById({ params: { id: made.id }, body: { description: 'd' } });
  assert.equal(changed.version, made.version + 1);
  const list = await client.categories.list({ query: { limit: 1, search: '😀' } });
  assert.deepEqual(
    list.data.map((category) => category.id),
    [made.id],
  );
  await client.categories.delete({ query: { id: made.id } });
  await assert.rejects(client.categories.get({ params: { id: made.id } }), { code: 'not_found' });
});

test('throws ApiErrors that name the problem', async () => {
  await assert.rejects(client.categories.create({ body: { name: '' } }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 400);
    assert.equal(error.code, 'validation_failed');
    assert.equal(error.errors[0]?.path, '/name');
    return true;
  });
  const [first, second] = server.tenants;
  const stranger = createClient({ baseUrl, apiKey: second!.keys.admin, tenantId: first.id });
  await assert.rejects(stranger.categories.list(), { code: 'tenant_mismatch' });
  const viewer = createClient({ baseUrl, apiKey: first.keys.viewer });
  await assert.rejects(viewer.categories.create({ body: { name: 'x' } }), { code: 'forbidden' });
  await assert.rejects(createClient({ baseUrl }).categories.list(), { code: 'unauthorized' });
});

test('rejects a typo, unless the client is lenient', async () => {
  const body = { customerId: 'x', chanel: 'web', dryRun: true };
  await assert.rejects(client.decisions.recommend({ body }), (error) => {
    assert.ok(error instanceof ApiError && error.code === 'validation_failed');
    assert.deepEqual(error.errors, [{ path: '/chanel', message: 'is not known; did you mean channel?' }]);
    return true;
  });
  const [tenant] = server.tenants;
  const lenient = createClient({ baseUrl, apiKey: tenant.keys.admin, handling: 'lenient' });
  const answer = await lenient.send('decisions.recommend', { body });
  assert.equal(answer.headers.get('x-unknown-properties'), 'chanel (channel?)');
});

test('returns status and headers on request', async () => {
  const answer = await client.send('categories.create', { body: { name: 'Loans' }, requestId: 'sdk-1' });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('x-request-id'), 'sdk-1');
});
