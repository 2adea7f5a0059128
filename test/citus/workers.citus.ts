import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readConfig } from '../../packages/server/src/config.ts';
import { checkRole } from '../../packages/server/src/db/index.ts';
import { openStorage } from '../../packages/server/src/main/storage.ts';
import {
  startServerOn,
  startTestServer,
  type TestServer,
  type TestTenant,
} from '../../packages/server/src/main/test-server.ts';
import { createLogger } from '../../packages/server/src/platform/logger.ts';
import { type PopulatedTenant, populate } from '../tenancy/world.ts';
import { placementOf, tenantsApart, urlAt } from './spread.ts';

// What Citus does with the statements of a tenant, and what a worker lets the application's role do on its own.

let server: TestServer;
let a: PopulatedTenant;
let b: PopulatedTenant;
/** Ports of the workers of `a` and `b`. */
let ports: readonly [number, number];
/** What Citus sent to which worker since it was last emptied. */
const sent: { readonly text: string; readonly node: string }[] = [];
const emit = pg.Connection.prototype.emit;

before(async () => {
  pg.Connection.prototype.emit = function (this: pg.Connection, name: string | symbol, ...values: unknown[]) {
    const [notice] = values as [{ readonly message?: string; readonly detail?: string }?];
    if (name === 'notice' && notice?.message?.startsWith('issuing ') === true)
      sent.push({ text: notice.message.slice('issuing '.length), node: notice.detail ?? '' });
    return emit.call(this, name, ...values);
  };
  server = await startTestServer({ tenants: 8 });
  const [first, second] = await tenantsApart(server);
  [a, b] = [await populate(server, first), await populate(server, second)];
  ports = [(await placementOf(server, first.id)).port, (await placementOf(server, second.id)).port];
});
after(async () => {
  pg.Connection.prototype.emit = emit;
  await server?.close();
});

test('every request of a tenant goes to the worker that has its rows', async () => {
  const { ownerQuery } = server.testDatabase;
  const [database] = await ownerQuery<{ name: string }>('select current_database() as name');
  await ownerQuery(`alter database ${database!.name} set citus.log_remote_commands = on`);
  // Its connections start with the new setting.
  const node = startServerOn(server.testDatabase, {});
  try {
    for (const [{ tenant, world, schema, fixtures }, port] of [
      [a, ports[0]],
      [b, ports[1]],
    ] as const) {
      const call = (method: string, path: string, body?: object) =>
        node.call(method, `/api/v1/${path}`, { key: tenant.keys.admin, ...(body === undefined ? {} : { body }) });
      // Authenticates, and loads the plan.
      assert.equal((await call('GET', 'offers')).status, 200);
      sent.length = 0;
      const decision = await call('POST', 'recommend', {
        customerId: `customer ${fixtures.marker}`,
        channelId: world.channel.id,
        decisionFlowKey: world.flow.key,
      });
      assert.equal(decision.status, 200, decision.text);
      for (const path of ['offers', 'audit-logs', `schemas/${schema.id}/data`, 'deliveries', 'experiments']) {
        const answer = await call('GET', path);
        assert.equal(answer.status, 200, `${path}: ${answer.text}`);
      }
      assert.equal((await call('POST', 'categories', { name: `Category ${port}` })).status, 201);
      const ofTenant = sent.filter((each) => !each.node.includes('arbiter_system@'));
      assert.ok(ofTenant.length > 10, `${ofTenant.length} commands`);
      const elsewhere = ofTenant.filter(({ text, node }) => text.includes(tenant.id) && !node.includes(`:${port} `));
      assert.deepEqual(elsewhere, [], 'commands to another worker');
      // The server loads plans of other tenants in the background; each of those commands names its tenant, too.
      const nameless = ofTenant.filter(
        ({ text }) =>
          /[ (]arbiter\.\w+_\d{6}/.test(text) &&
          !/(tenant_id|\bid) OPERATOR\(pg_catalog\.=\) \(*(\$\d|'[0-9a-f]{8}-)/.test(text) &&
          !text.startsWith('INSERT'),
      );
      assert.deepEqual(nameless, [], 'commands without a tenant');
    }
  } finally {
    await ownerQuery(`alter database ${database!.name} reset citus.log_remote_commands`);
    await node.app.close();
  }
});

test('a server rejects a key within seconds of its revocation on another', async () => {
  const other = startServerOn(server.testDatabase, {});
  try {
    const key = a.tenant.keys.admin;
    const made = await server.call<{ id: string; key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { name: 'Short-lived', scopes: ['read'] },
    });
    const read = () => other.call('GET', '/api/v1/offers', { key: made.body.key });
    await other.database.listening();
    assert.equal((await read()).status, 200);
    const revoked = await server.call('DELETE', `/api/v1/api-keys/${made.body.id}`, { key });
    assert.ok(revoked.status < 300, revoked.text);
    const until = performance.now() + 20_000;
    while ((await read()).status !== 401) {
      assert.ok(performance.now() < until, 'the other server still accepts the key');
      await sleep(50);
    }
  } finally {
    await other.app.close();
  }
});

test('rejects a statement that would query both workers in tests', async () => {
  const { database } = server.testDatabase;
  const actor = { id: 'system:test', name: 'system', role: 'admin' } as const;
  await assert.rejects(
    database.withTenant(a.tenant.id, actor, (tx) => tx.query('select count(*) from offers')),
    /multi-task query/,
  );
});

test('the application has no more rights on a worker than on the coordinator', async () => {
  for (const port of ports) assert.deepEqual(await checkRole(urlAt(server.testDatabase.url, port)), []);
});

test('a server rejects a worker as its database, and a list of hosts', async () => {
  const [port] = ports;
  const env = { DATABASE_URL: urlAt(server.testDatabase.url, port), MIGRATE: 'off' };
  await assert.rejects(openStorage(readConfig(env), createLogger('silent', { write: () => undefined })), {
    name: 'ConfigError',
    message: /DATABASE_URL points to a worker/,
  });
  const { host } = new URL(server.testDatabase.url);
  assert.throws(
    () => readConfig({ DATABASE_URL: server.testDatabase.url.replace(host, `${host},${host}`) }),
    /DATABASE_URL/,
  );
});

test('a worker shows a tenant’s rows to that tenant only', async () => {
  for (const port of ports) {
    const attacker = new pg.Client({ connectionString: urlAt(server.testDatabase.url, port) });
    await attacker.connect();
    try {
      const shards = await shardsOf(port);
      assert.ok(shards.length > 100, `${shards.length} shards`);
      await attackAs(attacker, shards, null);
      for (const { tenant } of [a, b]) await attackAs(attacker, shards, tenant);
    } finally {
      await attacker.end();
    }
  }
});

interface Shard {
  readonly name: string;
  readonly column: string;
}

/** Shards on a worker that the application may read. Citus hides them from `pg_class` otherwise. */
async function shardsOf(port: number): Promise<Shard[]> {
  const owner = new pg.Client({ connectionString: urlAt(server.testDatabase.adminUrl, port) });
  await owner.connect();
  try {
    await owner.query(`set citus.show_shards_for_app_name_prefixes = '*'`);
    const { rows } = await owner.query<Shard>(
      `select c.oid::regclass::text as name, case when c.relname ~ '^tenants_\\d+$' then 'id' else 'tenant_id' end as column
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'arbiter' and c.relkind in ('r', 'p') and c.relname ~ '_\\d{6}$'
          and has_table_privilege('arbiter_app', c.oid, 'select')`,
    );
    return rows;
  } finally {
    await owner.end();
  }
}

/** Reads, and tries to change, rows of others in every shard. Null: without a tenant. */
async function attackAs(attacker: pg.Client, shards: readonly Shard[], tenant: TestTenant | null): Promise<void> {
  const id = tenant?.id ?? '';
  for (const { name, column } of shards) {
    await attacker.query('begin');
    try {
      await attacker.query(`select set_config('app.tenant', $1, true)`, [id]);
      const { rows } = await attacker.query<{ owner: string }>(`select distinct ${column} as owner from ${name}`);
      for (const { owner } of rows) assert.equal(owner, id, `${name} shows a row of another tenant`);
      if (tenant === null) assert.deepEqual(rows, [], name);
      const deleted = await attacker
        .query(`delete from ${name} where ${column}::text <> $1`, [id])
        .catch((error: unknown) => {
          assert.equal(Reflect.get(Object(error), 'code'), '42501', `${name}: ${String(error)}`);
          return { rowCount: 0 };
        });
      assert.equal(deleted.rowCount, 0, `${name} lets a row of another tenant be deleted`);
    } finally {
      await attacker.query('rollback');
    }
  }
  for (const text of ['set role arbiter_owner', 'alter table arbiter.offers disable row level security']) {
    await assert.rejects(attacker.query(text), { code: '42501' }, text);
  }
}
