import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { onWorkers } from '../../packages/server/src/db/cluster/nodes.ts';
import { createDatabase, distributeDatabase, migrate, systemActor } from '../../packages/server/src/db/index.ts';
import { createOnNodes, dropCitusDatabase, joinNodes } from '../../packages/server/src/db/test-citus.ts';
import { type TestDatabase, testCitusUrl, withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { createArchive } from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { decisionNamed } from '../../packages/server/src/features/deciding/decisions/index.ts';
import { replayRecord } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import {
  startServerOn,
  startTestServer,
  type TestServer,
  type TestTenant,
  testLoadPorts,
} from '../../packages/server/src/main/test-server.ts';
import { sized } from '../form.ts';
import { populate } from '../tenancy/world.ts';
import { urlAt } from './spread.ts';

// A single database with tenants becomes a cluster, and clusters that Arbiter can't use are refused before any change.

const cluster = testCitusUrl();
const name = `test_${randomBytes(8).toString('hex')}`;
const adminUrl = withDatabase(cluster, name);
const url = withUser(adminUrl, 'arbiter_test_app');
const decisions = sized('CITUS_DECISIONS', { short: 200, long: 20_000 });
const replays = sized('CITUS_REPLAYS', { short: 20, long: 1_000 });
let owner: pg.Pool;

before(async () => {
  await createOnNodes(cluster, name);
  owner = new pg.Pool({ connectionString: adminUrl, max: 2 });
  owner.on('error', () => undefined);
});
after(async () => {
  await owner?.end();
  await dropCitusDatabase(cluster, name);
});

const distribute = (isDryRun: boolean, admin = adminUrl) => distributeDatabase({ adminUrl: admin, url, isDryRun });

const testDatabase = (isCluster: boolean): TestDatabase => ({
  database: createDatabase({ url, isCluster }),
  ownerQuery: async (text, values = []) => (await owner.query(text, [...values])).rows,
  ownerHold: async () => {
    throw new Error('not in this test');
  },
  url,
  adminUrl,
  isCluster,
  close: async () => undefined,
});

/** Rows of every table, by name. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where (n.nspname = 'arbiter' or n.nspname ~ '^t_') and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('rate_limit_windows', 'leases', 'api_key_uses') order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const table of rows) {
    const { rows: found } = await owner.query<{ count: number }>(`select count(*)::int as count from ${table.name}`);
    counts[table.name] = found[0]!.count;
  }
  return counts;
}

let single: TestServer;
let tenant: TestTenant;
let recommend: (
  customerId: string,
  on?: Pick<TestServer, 'call'>,
) => Promise<{ readonly status: number; readonly text: string; readonly body: { readonly recommendationId: string } }>;
/** The newest decision. */
let last = '';

test('a database without workers can’t be distributed', async () => {
  await assert.rejects(distribute(false), /has no Citus workers/);
  await migrate({ adminUrl, url });
  single = await startTestServer({ testDatabase: testDatabase(false) });
  [tenant] = single.tenants;
  const { world } = await populate(single, tenant);
  recommend = (customerId, on = single) =>
    on.call('POST', '/api/v1/recommend', {
      key: tenant.keys.admin,
      body: { customerId, channelId: world.channel.id, decisionFlowKey: world.flow.key },
    });
  for (let made = 0; made < decisions; made += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => recommend(`customer ${made + i}`)));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    last = answers.at(-1)!.body.recommendationId;
  }
  await assert.rejects(distribute(false), /has no Citus workers/);
});

test('rejects a worker as the coordinator', async () => {
  await joinNodes(cluster, name);
  const { rows } = await owner.query<{ port: number }>('select nodeport as port from pg_dist_node where groupid = 1');
  await assert.rejects(distribute(false, urlAt(adminUrl, rows[0]!.port)), /points to a worker/);
});

test('names workers that cannot be reached or have no metadata, with what to do', async () => {
  const node = { host: '127.0.0.1', port: 1, isCoordinator: false, hasMetadata: true, isActive: true };
  await assert.rejects(
    onWorkers(adminUrl, [node], async () => undefined),
    /worker 127\.0\.0\.1:1 can't be reached/,
  );
  const { rows } = await owner.query<{ port: number }>('select nodeport as port from pg_dist_node where groupid = 1');
  const [{ port }] = rows as [{ port: number }];
  await owner.query(`select stop_metadata_sync_to_node('127.0.0.1', $1)`, [port]);
  await assert.rejects(distribute(false), new RegExp(`start_metadata_sync_to_node\\('127\\.0\\.0\\.1', ${port}\\)`));
  await owner.query(`select start_metadata_sync_to_node('127.0.0.1', $1)`, [port]);
});

test('names a node with another major version of Citus', async () => {
  const { rows } = await owner.query<{ port: number }>('select nodeport as port from pg_dist_node where groupid = 1');
  const port = rows[0]?.port ?? assert.fail('no worker');
  const nodes = [
    {
      at: adminUrl,
      message: /The coordinator has Citus 12\.1-1\. Arbiter needs Citus 13: .*alter extension citus update/,
    },
    { at: urlAt(adminUrl, port), message: new RegExp(`The worker 127\\.0\\.0\\.1:${port} has Citus 12`) },
  ];
  for (const { at, message } of nodes) {
    const node = new pg.Client({ connectionString: at });
    await node.connect();
    const pretend = (version: string) =>
      node.query(`update pg_extension set extversion = $1 where extname = 'citus'`, [version]);
    const { rows: found } = await node.query<{ version: string }>(
      `select extversion as version from pg_extension where extname = 'citus'`,
    );
    try {
      await pretend('12.1-1');
      await assert.rejects(distribute(false), message);
    } finally {
      await pretend(found[0]?.version ?? '');
      await node.end();
    }
  }
});

test('a single database with tenants becomes a cluster, and keeps every row', async (t) => {
  await assert.rejects(distribute(false), /connections of arbiter_test_app are open\. Stop all servers/);
  await single.close();
  await single.testDatabase.database.close();

  const counts = await rowCounts();
  const plan = await distribute(true);
  assert.equal(plan[0]?.name, 'arbiter.tenants');
  assert.ok(
    plan.some(({ name, bytes }) => name.startsWith('t_') && bytes > 0),
    'data tables are listed',
  );
  assert.deepEqual(await rowCounts(), counts, 'a dry run changes nothing');

  const startedAt = performance.now();
  const killed = () => {
    throw new Error('killed');
  };
  await assert.rejects(distributeDatabase({ adminUrl, url, isDryRun: false, onProgress: killed }), /killed/);
  const copies = () =>
    owner.query(`select from pg_dist_partition where partmethod = 'h' and pg_relation_size(logicalrelid) > 0`);
  assert.ok((await copies()).rowCount, 'the coordinator still has copies');
  assert.deepEqual(await distribute(false), [], 'every table has moved');
  assert.equal((await copies()).rowCount, 0);
  t.diagnostic(`${plan.length} tables with ${decisions} decisions in ${Math.round(performance.now() - startedAt)} ms`);
  assert.deepEqual(await rowCounts(), counts, 'every row is there, and triggers wrote none');
  assert.deepEqual(await distribute(true), [], 'nothing is left to do');
  assert.deepEqual(await migrate({ adminUrl, url }), [], 'migrating again changes nothing');

  const node = startServerOn(testDatabase(true), {});
  try {
    const read = await node.call('GET', `/api/v1/decisions/${last}`, { key: tenant.keys.admin });
    assert.equal(read.status, 200, read.text);
    const { rows: sample } = await owner.query<{ id: string }>(
      'select id from arbiter.decisions where tenant_id = $1 order by md5(id::text) limit $2',
      [tenant.id, replays],
    );
    assert.equal(sample.length, replays);
    const ports = { keys: testLoadPorts.keys, archive: createArchive(null), decisionNamed };
    for (const { id } of sample) {
      // Not over HTTP, which limits how often.
      const { identical } = await node.database.withTenant(tenant.id, systemActor('test'), (tx) =>
        replayRecord(tx, ports, id),
      );
      assert.ok(identical, id);
    }
    const again = await recommend('somebody new', node);
    assert.equal(again.status, 200, again.text);
  } finally {
    await node.close();
  }
});

test('names a table that is distributed differently', async () => {
  await owner.query(`select create_distributed_table('arbiter.schema_migrations', 'name')`);
  await assert.rejects(distribute(false), /aren't distributed by tenant: arbiter\.schema_migrations/);
  await owner.query(`select undistribute_table('arbiter.schema_migrations')`);
});
