import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import {
  assertEmpty,
  type BackupHeader,
  backupFrames,
  createDatabase,
  migrate,
  readBackupFile,
  restoreDatabase,
  systemActor,
  writeBackupFile,
} from '../../packages/server/src/db/index.ts';
import { createOnNodes, dropCitusDatabase, joinNodes } from '../../packages/server/src/db/test-citus.ts';
import { testCitusUrl, withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { createArchive } from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { decisionNamed } from '../../packages/server/src/features/deciding/decisions/index.ts';
import { replayRecord } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { type PopulatedTenant, populate } from '../tenancy/world.ts';
import { tenantsApart } from './spread.ts';

// A backup of all tenants of a cluster, taken while they decide, restored into another cluster and into a single database.

const cluster = testCitusUrl();
const databases: string[] = [];
let folder: string;
let file: string;
let server: TestServer;
let worlds: readonly PopulatedTenant[];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-cluster-backup-'));
  file = join(folder, 'all.arb');
  server = await startTestServer({ tenants: 8 });
  const [first, second] = await tenantsApart(server);
  worlds = [await populate(server, first), await populate(server, second)];
});
after(async () => {
  await server?.close();
  for (const name of databases) await dropCitusDatabase(cluster, name);
  await rm(folder, { recursive: true, force: true });
});

async function decide({ tenant, world }: PopulatedTenant, customerId: string): Promise<void> {
  const body = { customerId, channelId: world.channel.id, decisionFlowKey: world.flow.key };
  const { status, text } = await server.call('POST', '/api/v1/recommend', { key: tenant.keys.admin, body });
  assert.equal(status, 200, text);
}

interface Target {
  readonly adminUrl: string;
  readonly url: string;
  query<Row>(text: string): Promise<Row[]>;
}

/** An empty database: on each node of the cluster, or alone. */
async function emptyDatabase(isCluster: boolean): Promise<Target> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createOnNodes(cluster, name);
  databases.push(name);
  if (isCluster) await joinNodes(cluster, name);
  const adminUrl = withDatabase(cluster, name);
  return {
    adminUrl,
    url: withUser(adminUrl, 'arbiter_test_app'),
    async query<Row>(text: string) {
      const client = new pg.Client({ connectionString: adminUrl });
      await client.connect();
      try {
        return (await client.query(text)).rows as Row[];
      } finally {
        await client.end();
      }
    },
  };
}

async function restoreInto(target: Target): Promise<BackupHeader> {
  const frames = readBackupFile(file);
  const first = await frames.next();
  assert.ok(first.done !== true);
  const header: BackupHeader = JSON.parse(first.value.payload.toString());
  try {
    await assertEmpty(target.adminUrl, header);
    await restoreDatabase(target, header, frames);
  } finally {
    await frames.return(undefined);
  }
  return header;
}

/** Customers whose state counts other decisions than the records that are stored, and the number of all customers. */
const torn = `
  select count(*) filter (where c.customer_seq <> coalesce(d.decisions, 0))::int as torn, count(*)::int as customers,
         coalesce(sum(d.decisions), 0)::int as decisions
    from arbiter.customer_states c
    left join (select tenant_id, customer_ref, count(*) as decisions from arbiter.decisions group by 1, 2) d
      on d.tenant_id = c.tenant_id and d.customer_ref = c.ref
   where c.customer_id like 'busy %'`;

interface Consistency {
  readonly torn: number;
  readonly customers: number;
  readonly decisions: number;
}

async function assertWhole(target: Target, isCluster: boolean): Promise<void> {
  const [found] = await target.query<Consistency>(torn);
  assert.ok(found !== undefined && found.decisions > 50, `${found?.decisions} decisions`);
  assert.deepEqual(found, { ...found, torn: 0 });
  const ports = { keys: testLoadPorts.keys, archive: createArchive(null), decisionNamed };
  const database = createDatabase({ url: target.url, isCluster });
  try {
    for (const { tenant } of worlds) {
      const records = await target.query<{ id: string }>(
        `select id from arbiter.decisions where tenant_id = '${tenant.id}' order by md5(id::text) limit 10`,
      );
      assert.ok(records.length > 0);
      for (const { id } of records) {
        const { identical } = await database.withTenant(tenant.id, systemActor('test'), (tx) =>
          replayRecord(tx, ports, id),
        );
        assert.ok(identical, id);
      }
    }
  } finally {
    await database.close();
  }
}

test('backs up all tenants while they decide', async () => {
  let isDone = false;
  let made = 0;
  const load = worlds.map(async (each) => {
    while (!isDone || made < 200) await decide(each, `busy ${made++ % 12}`);
  });
  let rows = 0;
  const options = { version: 'test', keyId: null, exports: [], sealedSecrets: null, tenant: null, withSecrets: true };
  const frames = backupFrames({
    ...options,
    adminUrl: server.testDatabase.adminUrl,
    onDone: (summary) => {
      rows = summary.rows;
    },
  });
  while (made < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  await writeBackupFile(file, frames).finally(() => {
    isDone = true;
  });
  await Promise.all(load);
  assert.ok(rows > 500, `${rows} rows`);
});

test('rejects a cluster whose tables are already distributed, and changes nothing in it', async () => {
  const before = await server.testDatabase.ownerQuery('select id from arbiter.tenants order by 1');
  await assert.rejects(restoreInto({ ...server.testDatabase, query: async () => [] }), /already distributed/);
  assert.deepEqual(await server.testDatabase.ownerQuery('select id from arbiter.tenants order by 1'), before);
});

test('restores it into another cluster, where every tenant is whole and replays', async () => {
  const target = await emptyDatabase(true);
  const { tenantTables } = await restoreInto(target);
  await assertWhole(target, true);
  const [{ local }] = (await target.query<{ local: number }>(
    `select count(*)::int as local from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname ~ '^t_[0-9a-f]{32}$' and c.relkind = 'r'
        and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
  )) as [{ local: number }];
  assert.ok(tenantTables.length > 0);
  assert.equal(local, 0, 'data tables are distributed');
  assert.deepEqual(await migrate(target), [], 'migrating again changes nothing');
});

test('restores it into a single database, whose numbers continue after those of the cluster', async () => {
  const target = await emptyDatabase(false);
  await restoreInto(target);
  await assertWhole(target, false);
  const [{ next, newest }] = (await target.query<{ next: string; newest: string }>(
    `select nextval(pg_get_serial_sequence('arbiter.record_versions', 'number'))::text as next,
            (select max(number) from arbiter.record_versions)::text as newest`,
  )) as [{ next: string; newest: string }];
  assert.ok(BigInt(next) > BigInt(newest), `${next} is after ${newest}`);
});
