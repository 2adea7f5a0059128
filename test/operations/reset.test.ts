// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { namesTenant, type Operation, operations } from '@arbiter/contract';
import Type from 'typebox';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { createPackPort } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { createOutboxDispatcher } from '../../packages/server/src/features/operations/stream/index.ts';
import { enqueueJob, job } from '../../packages/server/src/jobs/index.ts';
import { allResets } from '../../packages/server/src/main/feature-parts.ts';
import {
  startServerOn,
  startTestServer,
  type TestNode,
  type TestServer,
  type TestTenant,
  testLoadPorts,
} from '../../packages/server/src/main/test-server.ts';
import { isInTurn, sized } from '../form.ts';
import { archiveFolder } from './archive-file.ts';
import { examples } from './examples.ts';
import { fingerprint } from './fingerprint.ts';
import { createFixtures, type Fixtures, type Made } from './fixtures.ts';
import { plantRow } from './plant-row.ts';
import { send } from './requests.ts';

/**
 * Reset of a playground that contains everything (docs/design/api-access.md 5.3 and 22; docs/design/quality.md T31,
 * E39).
 */

let server: TestServer;
/** Another process on the same database. */
let other: TestNode;
before(async () => {
  const config = { ARCHIVE_URL: { folder: archiveFolder } };
  server = await startTestServer({ tenants: 8, checkResponses: false, config });
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, { config });
});
after(async () => {
  await other?.close();
  await server?.close();
  await rm(archiveFolder, { recursive: true, force: true });
});

const jobRun = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };

const reset = (tenant: TestTenant, body: unknown = { confirm: true }, from: Pick<TestServer, 'call'> = server) =>
  from.call<{ code: string; message: string }>('POST', '/api/v1/tenant/reset', { key: tenant.keys.admin, body });

async function playground(index: number): Promise<Fixtures> {
  const fixtures = createFixtures(server, server.tenants[index]!);
  await fixtures.playground();
  return fixtures;
}

/** Returns every table with a tenant column, and the number of this tenant's rows in it. */
async function rowsOf(tenantId: string): Promise<Map<string, number>> {
  const tables = await server.testDatabase.ownerQuery<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'arbiter'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const counts = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int as n from arbiter.${name} where tenant_id = $1`,
  );
  const counted = await server.testDatabase.ownerQuery<{ name: string; n: number }>(counts.join(' union all '), [
    tenantId,
  ]);
  return new Map(counted.map(({ name, n }) => [name, n]));
}

async function isEmpty(table: string, tenantId: string): Promise<boolean> {
  const rows = await server.testDatabase.ownerQuery(`select from arbiter.${table} where tenant_id = $1 limit 1`, [
    tenantId,
  ]);
  return rows.length === 0;
}

/** Returns the remaining history of deleted records. Settings and system outcome types stay. */
const strayVersions = (tenantId: string) =>
  server.testDatabase.ownerQuery<{ entity_type: string }>(
    `select v.entity_type from arbiter.record_versions v
      where v.tenant_id = $1 and v.entity_type <> 'tenantSettings' and not exists (
        select from arbiter.outcome_types o where o.tenant_id = v.tenant_id and o.id = v.entity_id)`,
    [tenantId],
  );

async function tablesOfTenant(tenantId: string): Promise<string[]> {
  const rows = await server.testDatabase.ownerQuery<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'v', 'm', 'p') order by 1`,
    [`t_${tenantId.replaceAll('-', '')}`],
  );
  return rows.map(({ name }) => name);
}

/** Returns the tenant's jobs, except those that a reset leaves. */
const queuedFor = async (tenantId: string): Promise<number> => {
  const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(*)::int as n from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where j.payload ->> 'tenantId' = $1 and t.identifier <> all ($2)`,
    [tenantId, allResets.flatMap(({ keepsJobs = [] }) => keepsJobs)],
  );
  return row?.n ?? 0;
};

test('every table is emptied, or kept for a reason', async () => {
  const named = allResets.flatMap(({ empties = [], emptiesHistory = [], clears = [], keeps = {} }) => [
    ...empties,
    ...emptiesHistory,
    ...clears,
    ...Object.keys(keeps),
  ]);
  assert.equal(new Set(named).size, named.length, 'one table is named twice');
  // These two have no tenant column.
  const tables = [...(await rowsOf(server.tenants[0].id)).keys(), 'tenants', 'schema_migrations'];
  assert.deepEqual([...named].sort(), tables.sort(), 'say in `resets` of the owner what a reset does with the table');
  for (const { keeps = {} } of allResets) for (const reason of Object.values(keeps)) assert.match(reason, /\w{3}/);
});

test('a reset leaves as many rows in every table, with or without new outcome types', async () => {
  const { tenant, must } = await playground(7);
  assert.equal((await reset(tenant)).status, 200);
  const before = await rowsOf(tenant.id);
  const made = await must(
    'POST',
    'outcome-types',
    { key: 'leaflet', name: 'Leaflet taken', classification: 'positive' },
    201,
  );
  await must('PUT', `outcome-types/${made.id}`, { name: 'Leaflet' }, 200);
  assert.notDeepEqual(await rowsOf(tenant.id), before);
  assert.equal((await reset(tenant)).status, 200);
  // These logs grow by design.
  const grows = [
    'audit_logs',
    'audit_heads',
    'catalogue_log',
    'idempotency_keys',
    'rate_limit_windows',
    'api_key_uses',
  ];
  const counts = (rows: ReadonlyMap<string, number>) => [...rows].filter(([table]) => !grows.includes(table)).sort();
  assert.deepEqual(counts(await rowsOf(tenant.id)), counts(before));
  assert.deepEqual(await strayVersions(tenant.id), []);
});

// About 350 operations in sequence, with the records each of them needs, take a minute; several on a busy machine.
const timeout = 600_000;

test('a playground in which every operation was called is empty after a reset, works, and accepts a pack', {
  timeout,
}, async () => {
  const fixtures = await playground(1);
  const { tenant } = fixtures;
  const all: readonly Operation[] = Object.values(operations);
  for (const operation of all) {
    const example = examples[operation.id];
    if (!namesTenant(operation.auth) || operation.id === 'tenant.reset' || example === undefined) continue;
    // The records that it reads count, even if it isn't called.
    const call = await example(fixtures);
    // A read leaves nothing but what stays in memory.
    if (operation.method === 'GET' && !isInTurn(operation.id, 4)) continue;
    const answer = await send(server, operation, call, { key: tenant.keys.admin });
    assert.ok(answer.status < 500, `${operation.id}: ${answer.text}`);
  }
  // Rows that callers don't create.
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  const note = job({ name: 'test.note', payload: Type.Object({}, { additionalProperties: false }) });
  await server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
    await enqueueJob(tx, note, {});
    await createPackPort(testLoadPorts).loadWhenNone(tx, 'coffee_rewards');
  });
  const emptied = allResets.flatMap(({ empties = [], emptiesHistory = [], clears = [] }) => [
    ...empties,
    ...emptiesHistory,
    ...clears,
  ]);
  const recommend = (from: Pick<TestServer, 'call'>, customerId: string) =>
    from.call<{ decisions: unknown[]; count: number }>('POST', '/api/v1/recommend', {
      key: tenant.keys.admin,
      body: { customerId, limit: 3 },
    });
  // Both processes have the catalogue, evidence and plans in memory.
  for (const from of [server, other]) assert.equal((await recommend(from, 'CM-000001')).status, 200);
  const filled = await rowsOf(tenant.id);
  const empty = emptied.filter((table) => filled.get(table) === 0);
  assert.ok(empty.length * 3 < emptied.length, `the calls filled most tables, but not ${empty.join(', ')}`);
  // Rows that only time or chance creates. Others may refer to what is planted first.
  for (const table of ['segment_snapshots', ...emptied]) {
    if (await isEmpty(table, tenant.id)) await plantRow(server, tenant.id, table);
  }
  assert.ok((await tablesOfTenant(tenant.id)).length > 3);
  assert.ok((await queuedFor(tenant.id)) > 0);
  const [stranger] = server.tenants;
  const untouched = await fingerprint(server, [stranger.id]);
  const kept = await fingerprint(server, [tenant.id]);

  const answer = await reset(tenant);
  const errors = server.log.filter(({ level }) => level === 'error' || level === 'fatal');
  assert.deepEqual([answer.status, typeof answer.body.message, errors], [200, 'string', []]);
  assert.ok(Number(answer.headers['x-config-version']) > 0);
  const afterwards = await rowsOf(tenant.id);
  const left = Object.fromEntries([...afterwards].filter(([table, rows]) => emptied.includes(table) && rows > 0));
  const { outcome_types: systemTypes = 0, record_versions: versions = 0, ...others } = left;
  // The counter, the empty evidence, and empty counts where there were counts.
  assert.ok(others.evidence_snapshots === undefined || others.evidence_snapshots === 1);
  assert.ok(others.objective_counts === undefined || others.objective_counts === 1);
  // Files are deleted by the next run of the job.
  assert.ok((others.archived_parts ?? 0) > 0);
  await server.jobs.get('history.archive')?.run({}, jobRun, tenant.id);
  assert.equal((await rowsOf(tenant.id)).get('archived_parts'), 0);
  const filesLeft = await readdir(join(archiveFolder, tenant.id), { recursive: true });
  assert.ok(!filesLeft.some((name) => name.endsWith('.parquet')));
  const { archived_parts: _, evidence_snapshots: __, objective_counts: ___, ...rest } = others;
  assert.deepEqual(rest, { playground_quotas: 1 });
  const outcomes = await server.call<{ data: { isSystem: boolean }[] }>('GET', '/api/v1/outcome-types?limit=100', {
    key: tenant.keys.admin,
  });
  assert.ok(outcomes.body.data.every(({ isSystem }) => isSystem));
  assert.equal(systemTypes, outcomes.body.data.length);
  assert.ok(versions > 0);
  assert.deepEqual(await strayVersions(tenant.id), []);
  assert.deepEqual(await tablesOfTenant(tenant.id), []);
  assert.equal(await queuedFor(tenant.id), 0);
  assert.deepEqual(await fingerprint(server, [stranger.id]), untouched);
  const keptNow = await fingerprint(server, [tenant.id]);
  for (const table of ['users', 'api_keys', 'oauth_clients', 'tenant_settings', 'retention_configs', 'tenants']) {
    assert.equal(keptNow[`arbiter.${table}`], kept[`arbiter.${table}`], table);
  }
  const status = await server.call('GET', '/api/v1/tenant/status', { key: tenant.keys.admin });
  assert.deepEqual([status.body.hasData, status.body.quotaUsed], [false, 0]);
  const log = await server.call<{ intact: boolean }>('GET', '/api/v1/audit-logs/verify', { key: tenant.keys.admin });
  assert.equal(log.body.intact, true);
  const rows = await server.call<{ data: { entityType: string }[] }>('GET', '/api/v1/audit-logs?action=reset', {
    key: tenant.keys.admin,
  });
  assert.deepEqual(
    rows.body.data.map(({ entityType }) => entityType),
    ['tenant'],
  );

  // Neither process shows anything from before.
  for (const from of [server, other]) {
    const empty = await recommend(from, 'CM-000001');
    assert.deepEqual([empty.status, empty.body.decisions], [200, []], empty.text);
  }
  await server.database.withTenant(tenant.id, systemActor('test'), (tx) =>
    createPackPort(testLoadPorts).loadWhenNone(tx, 'coffee_rewards'),
  );
  for (const [from, customerId] of [
    [other, 'CM-000001'],
    [server, 'CM-000002'],
  ] as const) {
    const again = await recommend(from, customerId);
    assert.ok(again.status === 200 && again.body.decisions.length > 0, again.text);
  }
  // Reset again, with what the first reset left.
  assert.equal((await reset(tenant, { confirm: true }, other)).status, 200);
  assert.equal((await rowsOf(tenant.id)).get('offers'), 0);
});

test('requires an explicit request by an admin of a playground; otherwise nothing changes', async () => {
  const fixtures = await playground(2);
  const { tenant } = fixtures;
  await fixtures.make('offers');
  const normal = server.tenants[3]!;
  await createFixtures(server, normal).make('offers');
  const before = await fingerprint(server, [tenant.id, normal.id]);
  for (const confirm of ['true', 1, null, undefined, [true], false]) {
    const answer = await reset(tenant, { confirm });
    assert.deepEqual([answer.status, answer.body.code], [400, 'confirmation_mismatch'], String(confirm));
  }
  const editor = { key: tenant.keys.editor, body: { confirm: true } };
  assert.equal((await server.call('POST', '/api/v1/tenant/reset', editor)).status, 403);
  const refused = await reset(normal);
  assert.deepEqual([refused.status, refused.body.code], [403, 'not_playground']);
  assert.deepEqual(await fingerprint(server, [tenant.id, normal.id]), before);
});

const rounds = sized('RESET_ROUNDS', { short: 2, long: 8 });

test('T31: parallel work on two processes is either done and deleted, or sees nothing of the old data', async () => {
  const fixtures = await playground(4);
  const { tenant } = fixtures;
  const key = tenant.keys.admin;
  for (let round = 0; round < rounds; round += 1) {
    const world = await fixtures.decisionWorld();
    const made = [await fixtures.decision(world), await fixtures.decision(world)];
    const old = [
      world.category,
      world.channel,
      world.placement,
      world.offer,
      world.otherOffer,
      world.flow,
      ...made,
    ].map(({ id, recommendationId }) => String(id ?? recommendationId));
    let isOver = false;
    const failures: string[] = [];
    const note = (what: string, { status, text }: { status: number; text: string }) => {
      if (status >= 500 && status !== 503) failures.push(`${what}: ${status} ${text}`);
    };
    const busy = [server, other].flatMap((from) => [
      async (n: number) => {
        const body = { customerId: `c${n % 5}`, decisionFlowKey: world.flow.key, channel: world.channel.id, limit: 2 };
        const answer = await from.call<{ recommendationId?: string }>('POST', '/api/v1/recommend', { key, body });
        note('recommend', answer);
        const { recommendationId } = answer.body;
        if (answer.status !== 200 || recommendationId === undefined) return;
        const response = { recommendationId, rank: 1, outcome: 'click' };
        note('respond', await from.call('POST', '/api/v1/respond', { key, body: response }));
      },
      async (n: number) => {
        const body = {
          name: `Creative ${round} ${n} ${from === server}`,
          offerId: world.offer.id,
          channelId: world.channel.id,
        };
        note('creative', await from.call<Made>('POST', '/api/v1/creatives', { key, body }));
      },
      async (n: number) => {
        const line = {
          key: `${round} ${n} ${from === server}`,
          customerId: `i${n % 5}`,
          outcome: 'click',
          offerId: world.offer.id,
          timestamp: '2026-01-01T00:00:00Z',
        };
        const answer = await from.app.inject({
          method: 'POST',
          url: '/api/v1/interactions/import',
          headers: { authorization: `Bearer ${key}`, 'x-requested-with': 'x', 'content-type': 'application/x-ndjson' },
          payload: `${JSON.stringify(line)}\n`,
        });
        note('import', { status: answer.statusCode, text: answer.body });
      },
    ]);
    const loops = busy.map(async (work) => {
      for (let n = 0; !isOver || n < 5; n += 1) await work(n);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 150);
    await promise;
    // Both processes change the tenant without pause: a reset that waits for its turn too long is refused with 503.
    let answer = await reset(tenant);
    for (let tries = 1; answer.status === 503 && tries < 20; tries += 1) answer = await reset(tenant);
    isOver = true;
    assert.equal(answer.status, 200, answer.text);
    await Promise.all(loops);
    assert.deepEqual(failures, []);
    const dump = await server.testDatabase.ownerQuery<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'arbiter'::regnamespace
          and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('audit_logs', 'rate_limit_windows', 'schema_migrations')`,
    );
    for (const { name } of dump) {
      const column = name === 'tenants' ? 'id' : 'tenant_id';
      const rows = await server.testDatabase.ownerQuery(
        `select t::text from arbiter.${name} t where ${column} = $1 and t::text ~ $2 limit 1`,
        [tenant.id, old.join('|')],
      );
      assert.deepEqual(rows, [], `${name} names what was deleted`);
    }
    const orphans = await server.testDatabase.ownerQuery(
      `select d.id from arbiter.decisions d where d.tenant_id = $1 and not exists (
         select from arbiter.plans p where p.tenant_id = d.tenant_id and p.hash = d.plan_hash)`,
      [tenant.id],
    );
    assert.deepEqual(orphans, []);
    const again = await reset(tenant);
    assert.equal(again.status, 200, again.text);
  }
});

test('two resets at once both succeed, and wait for a long transaction of the tenant', async () => {
  const fixtures = await playground(5);
  const { tenant } = fixtures;
  await fixtures.make('offers');
  const both = await Promise.all([reset(tenant), reset(tenant, { confirm: true }, other)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const long = server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
    entered.resolve();
    await leave.promise;
    await tx.query(
      `insert into arbiter.categories (tenant_id, id, name, version, created_at, updated_at)
       values ($1, gen_random_uuid(), 'late', 1, now(), now())`,
      [tx.tenantId],
    );
    tx.touchCatalogue();
  });
  await entered.promise;
  const asked = reset(tenant);
  setTimeout(leave.resolve, 200);
  await long;
  assert.equal((await asked).status, 200);
  assert.equal((await rowsOf(tenant.id)).get('categories'), 0);
});
