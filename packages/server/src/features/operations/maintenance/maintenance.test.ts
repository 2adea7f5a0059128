import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ApprovalsExpireAnswer, AuditVerification, CleanupAnswer, MaintenanceAnswer } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { idAt, newId } from '../../../platform/ids.ts';
import { cutChain } from '../../identity/audit/index.ts';
import { plantChain } from '../../identity/audit/test-chain.ts';

/** Maintenance that schedulers call, the cut of audit rows, anchors (docs/design/api-access.md 7, 14). */

const secret = 'a secret of the scheduler';
const dayMs = 86_400_000;
let folder: string;
let server: TestServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-maintenance-'));
  server = await startTestServer({ tenants: 5, config: { CRON_SECRET: secret, EXPORT_DIR: folder } });
});
after(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function cron<Body>(route: string): Promise<Body> {
  const answer = await server.call<Body>('GET', `/api/v1/cron/${route}`, {
    key: null,
    headers: { 'x-cron-secret': secret },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer.body;
}

const verify = async ({ keys }: TestTenant, query = '') =>
  (await server.call<AuditVerification>('GET', `/api/v1/audit-logs/verify${query}`, { key: keys.admin })).body;

const count = async (table: string, tenantId: string): Promise<number> =>
  Number(
    (
      await server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from arbiter.${table} where tenant_id = $1`,
        [tenantId],
      )
    )[0]!.n,
  );

/** An old and a new row of each kind that the cleanup deletes. */
async function plantOld(tenantId: string): Promise<void> {
  const now = Date.now();
  await server.testDatabase.ownerQuery(`select arbiter.ensure_month_partitions(t::regclass, (now() - interval '1100 days')::date, 48)
    from unnest(array['arbiter.interactions', 'arbiter.decisions']) t`);
  for (const at of [now - 1_000 * dayMs, now]) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         is_conversion, occurred_at, created_at) values ($1, $2, 'C', 'response', 'click', 'positive', 'inbound', false, $3, $3)`,
      [tenantId, idAt(at), new Date(at)],
    );
    await server.testDatabase.ownerQuery(
      `insert into arbiter.decisions (tenant_id, id, customer_ref, source, decided_at, flow_id, plan_hash, config_version,
         evidence_number, engine_version, item_count, result_hash, body)
       values ($1, $2, $2, 'recommend', $3, $2, '', 1, 0, '1', 0, '', '')`,
      [tenantId, idAt(at), new Date(at)],
    );
    await server.testDatabase.ownerQuery(
      `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
       values ($1, $2, $2, $2, 'C', 'base', '{}', $3)`,
      [tenantId, idAt(at), new Date(at)],
    );
    await server.testDatabase.ownerQuery(
      `insert into arbiter.customer_suppressions (tenant_id, id, customer_id, scope, scope_id, policy_type, reason, trigger_count,
         created_at, expires_at)
       values ($1, $2, $3, 'global', 'all', 'manual', '', 1, $4, $4)`,
      [tenantId, newId(), `C-${at}`, new Date(at === now ? now + dayMs : at)],
    );
  }
}

test("cleanup: follows each tenant's retention; held data stays and is named", async () => {
  const [one, held] = server.tenants as [TestTenant, TestTenant];
  for (const { id } of [one, held]) await plantOld(id);
  for (const dataClass of ['interactions', 'traces']) {
    const body = { dataClass, retentionDays: 5, legalHold: true };
    assert.equal(
      (await server.call('POST', '/api/v1/admin/retention-configs', { body, key: held.keys.admin })).status,
      200,
    );
  }
  const { status, cleaned } = await cron<CleanupAnswer>('cleanup');
  assert.equal(status, 'ok');
  assert.deepEqual(cleaned, {
    expiredSuppressions: 2,
    tenantsProcessed: 5,
    totalHistoryPurged: 1,
    // What history compacted, of a day that is younger than 2,555 days.
    totalSummariesPurged: 0,
    totalDecisionsPurged: 3,
    legalHoldSkips: { [held.id]: ['interactions', 'traces'] },
    partitionsEnsured: 12,
    perTenantErrors: [],
  });
  const left = async ({ id }: TestTenant) => [
    await count('interactions', id),
    await count('decisions', id),
    await count('decision_traces', id),
    await count('customer_suppressions', id),
  ];
  assert.deepEqual(await left(one), [1, 1, 1, 1]);
  assert.deepEqual(await left(held), [2, 1, 2, 1]);
  const again = await cron<CleanupAnswer>('cleanup');
  assert.deepEqual([again.cleaned.totalDecisionsPurged, again.cleaned.expiredSuppressions], [0, 0]);
});

test('cleanup: names a failing tenant, and cleans the others', async () => {
  const [, , broken, other] = server.tenants as [TestTenant, TestTenant, TestTenant, TestTenant];
  for (const { id } of [broken, other]) await plantOld(id);
  await server.testDatabase.ownerQuery(
    `create function arbiter.test_refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
     create trigger refuse before delete on arbiter.decision_traces for each row when (old.tenant_id = '${broken.id}') execute function arbiter.test_refuse()`,
  );
  const { status, cleaned } = await cron<CleanupAnswer>('cleanup');
  await server.testDatabase.ownerQuery('drop trigger refuse on arbiter.decision_traces');
  assert.equal(status, 'partial');
  assert.deepEqual(cleaned.perTenantErrors, [{ tenantId: broken.id, error: 'internal' }]);
  assert.equal(await count('decision_traces', other.id), 1);
});

test('approvals-expire: uses the configured age', async () => {
  const answer = await cron<ApprovalsExpireAnswer>('approvals-expire');
  assert.deepEqual([answer.status, answer.maxAgeHours, answer.expired], ['ok', 168, 0]);
  const age = Date.parse(answer.timestamp) - Date.parse(answer.cutoff);
  assert.ok(Math.abs(age - 168 * 3_600_000) < 60_000);
});

test('job routes queue one run per tenant; a waiting run serves the next call too', async () => {
  const waiting = () =>
    server.testDatabase.ownerQuery(
      `select g.payload from graphile_worker._private_jobs g join graphile_worker._private_tasks t on t.id = g.task_id
       where t.identifier = 'segments.refresh'`,
    );
  for (let n = 0; n < 2; n += 1) {
    const { ok, processed, errors } = await cron<MaintenanceAnswer>('segments-refresh');
    assert.deepEqual([ok, processed, errors], [true, 5, []]);
    assert.equal((await waiting()).length, 5);
  }
  assert.equal((await cron<MaintenanceAnswer>('reservations-expire')).processed, 5);
});

const cut = ({ keys }: TestTenant) =>
  server.call<{ cleaned: { oldAuditLogs: number } }>('POST', '/api/v1/cleanup', { key: keys.admin });

test('T26: cuts old audit rows after a signed checkpoint, where checks start, and finds a forged one', async () => {
  const tenant = server.tenants[4]!;
  const owner = server.testDatabase.ownerQuery;
  await owner('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await owner('delete from arbiter.audit_heads where tenant_id = $1', [tenant.id]);
  // Rows of 20 November 2026.
  await plantChain(server.testDatabase, tenant.id, 40);
  assert.equal((await server.call('POST', '/api/v1/cleanup', { key: tenant.keys.editor })).status, 403);
  const first = await cut(tenant);
  assert.deepEqual([first.status, first.body.cleaned], [200, { expiredVariantAssignments: 0, oldAuditLogs: 0 }]);
  assert.deepEqual([(await verify(tenant)).intact, (await verify(tenant)).checkpoint], [true, null]);

  // Rows are as old as they say: those of 30 days ago go when they are kept for 29, and not when they are held.
  await owner('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await owner('delete from arbiter.audit_heads where tenant_id = $1', [tenant.id]);
  await plantChain(server.testDatabase, tenant.id, 40, new Date(Date.now() - 30 * dayMs));
  const keep = (body: object) =>
    server.call('POST', '/api/v1/admin/retention-configs', {
      key: tenant.keys.admin,
      body: { dataClass: 'audit', ...body },
    });
  assert.equal((await keep({ retentionDays: 29, legalHold: true })).status, 200);
  assert.equal((await cut(tenant)).body.cleaned.oldAuditLogs, 0);
  assert.equal((await keep({ retentionDays: 29, legalHold: false })).status, 200);
  assert.equal((await cut(tenant)).body.cleaned.oldAuditLogs, 40);
  const after = await verify(tenant);
  assert.deepEqual([after.intact, after.fromSequence, after.checkpoint?.sequence], [true, 41, 40]);
  assert.equal((await verify(tenant, '?fromSequence=1')).fromSequence, 41, 'pages begin where the chain begins');
  const [row] = (
    await server.call<{ data: { action: string; after: { rows: number; sequence: number; signature: string } }[] }>(
      'GET',
      '/api/v1/audit-logs?entityType=auditLog&limit=1',
      { key: tenant.keys.admin },
    )
  ).body.data;
  assert.deepEqual([row!.action, row!.after.rows, row!.after.sequence], ['checkpoint', 40, 40]);

  // The owner of the database takes one row more, and makes the chain fit: the signature does not.
  await owner('delete from arbiter.audit_logs where tenant_id = $1 and sequence = 41', [tenant.id]);
  const taken = await verify(tenant);
  assert.deepEqual([taken.intact, taken.brokenReason], [false, 'sequence_gap']);
  await owner(
    `update arbiter.audit_logs l set after = jsonb_set(jsonb_set(l.after, '{sequence}', '41'), '{hash}', to_jsonb(n.prev_hash))
     from arbiter.audit_logs n where n.tenant_id = l.tenant_id and n.sequence = 42
       and l.tenant_id = $1 and l.sequence = (select max(sequence) from arbiter.audit_logs where tenant_id = $1 and action = 'checkpoint')`,
    [tenant.id],
  );
  const forged = await verify(tenant);
  assert.deepEqual([forged.intact, forged.brokenReason], [false, 'hash_mismatch']);
});

test('T26: a cut without time left ends early; the rest is intact, and the next call continues', async () => {
  const tenant = server.tenants[4]!;
  const owner = server.testDatabase.ownerQuery;
  await owner('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await owner('delete from arbiter.audit_heads where tenant_id = $1', [tenant.id]);
  await plantChain(server.testDatabase, tenant.id, 10_040, new Date(Date.now() - 30 * dayMs));
  // DATA_ENCRYPTION_KEY of the test server.
  const key = keyOf(Buffer.alloc(32, 7).toString('base64'))!;
  const before = new Date(Date.now() - 29 * dayMs);
  const cutUntil = (until: number) =>
    server.database.withTenant(tenant.id, systemActor('test'), (tx) => cutChain(tx, [key], before, until));
  assert.equal(await cutUntil(performance.now() + 1), 10_000);
  const first = await verify(tenant);
  assert.deepEqual([first.intact, first.fromSequence, first.checkpoint?.sequence], [true, 10_001, 10_000]);
  assert.equal((await cut(tenant)).body.cleaned.oldAuditLogs, 40);
  const last = await verify(tenant);
  assert.deepEqual([last.intact, last.fromSequence, last.checkpoint?.sequence], [true, 10_041, 10_040]);
});

test("the application role can't cut young rows, whatever it requests", async () => {
  const [tenant] = server.tenants;
  const before = await count('audit_logs', tenant.id);
  const actor = { id: 'test', name: 'test', role: 'admin' } as const;
  const rows = await server.database.withTenant(tenant.id, actor, (tx) =>
    tx.query(`select * from arbiter.cut_audit_logs(now() + interval '10 years', 1000)`),
  );
  assert.deepEqual([rows, await count('audit_logs', tenant.id)], [[], before]);
});

test("T26: a fully rebuilt chain doesn't match the anchored one", async () => {
  const [, tenant] = server.tenants as [TestTenant, TestTenant];
  const { ok, processed } = await cron<MaintenanceAnswer>('audit-anchor');
  assert.deepEqual([ok, processed], [true, 5]);
  const file = join(folder, 'anchors', `${new Date().toISOString().slice(0, 10)}.ndjson`);
  const lines = async () => (await readFile(file, 'utf8')).trimEnd().split('\n');
  const [first] = await lines();
  assert.deepEqual(Object.keys(JSON.parse(first!)), ['tenantId', 'sequence', 'hash', 'anchoredAt']);
  assert.equal((await lines()).length, 5);
  await cron('audit-anchor');
  assert.equal((await lines()).length, 5, 'a head that has not moved is anchored once');
  assert.equal((await verify(tenant)).intact, true);

  const { total } = await verify(tenant);
  const owner = server.testDatabase.ownerQuery;
  await owner('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await owner('delete from arbiter.audit_heads where tenant_id = $1', [tenant.id]);
  await plantChain(server.testDatabase, tenant.id, total + 5);
  const anew = await verify(tenant);
  assert.deepEqual([anew.intact, anew.brokenReason], [false, 'anchor_mismatch']);
  assert.ok(anew.brokenAtId !== undefined);
  await owner('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await owner('delete from arbiter.audit_heads where tenant_id = $1', [tenant.id]);
  await plantChain(server.testDatabase, tenant.id, 1);
  const shorter = await verify(tenant);
  assert.deepEqual([shorter.intact, shorter.brokenReason, shorter.brokenAtId], [false, 'anchor_mismatch', undefined]);
  await writeFile(file, '');
  assert.equal((await verify(tenant)).intact, true, 'without its anchors nothing speaks against it');
});
