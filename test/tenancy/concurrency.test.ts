import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { poolerMissing } from '../../packages/server/src/db/test-pooler.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

let server: TestServer;
let address: { host: string; port: number };
interface Listed {
  readonly data: readonly { readonly name: string }[];
}

async function listOf(tenant: TestServer['tenants'][number]): Promise<void> {
  const { status, body } = await server.call<Listed>('GET', '/api/v1/categories', { key: tenant.keys.viewer });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.map((category) => category.name),
    [`of ${tenant.id}`],
  );
}

/** Makes many calls, `width` at once: more than the pool has connections, fewer than would be shed. */
async function listAll(calls: number, width: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < calls) await listOf(server.tenants[next++ % server.tenants.length]!);
    }),
  );
}

/** T2c, and T2d: the same behind a pooler with even fewer sessions, which serve any tenant's transaction next. */
const places = [
  ['T2c: the database itself', {}, null],
  ['T2d: a pooler in transaction mode', { poolerSessions: 3 }, poolerMissing()],
] as const;

for (const [place, options, missing] of places) {
  describe(place, { skip: missing ?? false }, () => {
    before(async () => {
      server = await startTestServer({ tenants: 20, config: { DATABASE_POOL_MAX: 4 }, ...options });
      const url = new URL(await server.app.listen({ port: 0, host: '127.0.0.1' }));
      address = { host: url.hostname, port: Number(url.port) };
      for (const tenant of server.tenants) {
        const made = await server.call('POST', '/api/v1/categories', {
          key: tenant.keys.admin,
          body: { name: `of ${tenant.id}` },
        });
        assert.equal(made.status, 201, made.text);
      }
    });
    after(() => server.close());

    test('400 requests of 20 tenants, 40 at once over 10 connections, see only their own rows', async () => {
      await listAll(400, 40);
    });

    test('T2e: clients that disconnect mid-request leave no tenant behind', async () => {
      await Promise.all(
        Array.from({ length: 300 }, (_, i) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const tenant = server.tenants[i % server.tenants.length]!;
          const call = request({
            ...address,
            method: i % 2 === 0 ? 'GET' : 'POST',
            path: '/api/v1/categories',
            headers: {
              authorization: `Bearer ${tenant.keys.admin}`,
              'x-requested-with': 'test',
              ...(i % 2 === 0 ? {} : { 'content-type': 'application/json', 'content-length': '5000' }),
            },
          });
          call.on('error', () => resolve());
          call.on('response', (response) => {
            response.resume();
            response.on('close', () => resolve());
          });
          if (i % 2 === 0) call.end();
          else call.write('{"name":');
          setTimeout(() => call.destroy(), i % 7);
          return promise;
        }),
      );
      await listAll(100, 20);
      const { waiting, total, idle } = server.database.connections();
      assert.deepEqual({ waiting, busy: total - idle }, { waiting: 0, busy: 0 });
    });
  });
}
