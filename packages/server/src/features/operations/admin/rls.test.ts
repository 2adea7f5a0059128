import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { createTenant } from '../../identity/tenants/index.ts';
import { repairRls, reportRls } from './rls.service.ts';

let db: TestDatabase;
let tenantId: string;
let otherId: string;

before(async () => {
  db = await createTestDatabase();
  [tenantId, otherId] = [newId(), newId()];
  for (const id of [tenantId, otherId]) {
    await as(id, (tx) => createTenant(tx, { name: 'T', isPlayground: false, bootstrapName: null }, []));
    const schema = `t_${id.replaceAll('-', '')}`;
    const table = id === tenantId ? 'ds_mine' : 'ds_foreign';
    await db.ownerQuery(`create schema ${schema} authorization arbiter_owner`);
    await db.ownerQuery(`create table ${schema}.${table} (tenant_id uuid not null, id text)`);
    await db.ownerQuery(`alter table ${schema}.${table} owner to arbiter_owner`);
    await db.ownerQuery(`select arbiter.isolate_table('${schema}.${table}')`);
  }
});
after(() => db.close());

const as = <T>(id: string, work: (tx: Tx) => Promise<T>) => db.database.withTenant(id, systemActor('test'), work);

test('T2: every table, partition and data table of the tenant is under forced row-level security', async () => {
  const { summary, tables } = await as(tenantId, reportRls);
  assert.deepEqual(summary.missingRLS, []);
  assert.deepEqual([summary.rlsEnabled, summary.rlsForced, summary.withPolicy], Array(3).fill(summary.totalTables));
  const names = tables.map(({ table }) => table);
  for (const expected of ['tenants', 'audit_logs', 'api_keys', 'ds_mine'])
    assert.ok(names.includes(expected), expected);
  assert.ok(
    names.some((name) => /_y\d{4}m\d{2}$/.test(name)),
    'partitions are counted',
  );
  assert.ok(!names.includes('ds_foreign'), 'data tables of other tenants are not named');
});

test('a repair restores what is missing, is audited, and can be repeated', async () => {
  const schema = `t_${tenantId.replaceAll('-', '')}`;
  await db.ownerQuery('alter table arbiter.users disable row level security');
  await db.ownerQuery('alter table arbiter.api_keys no force row level security');
  await db.ownerQuery(`drop policy tenant_isolation on ${schema}.ds_mine`);
  const broken = await as(tenantId, reportRls);
  assert.deepEqual(broken.summary.missingRLS, ['users', 'ds_mine']);
  assert.equal(broken.summary.rlsForced, broken.summary.totalTables - 1);

  const repair = await as(tenantId, repairRls);
  assert.deepEqual([repair.success, repair.failed, repair.enabled.length], [true, [], repair.totalTables]);
  const whole = await as(tenantId, reportRls);
  assert.deepEqual(whole.summary.missingRLS, []);
  assert.equal(whole.summary.rlsForced, whole.summary.totalTables);
  assert.deepEqual((await as(tenantId, repairRls)).success, true);

  const rows = await db.ownerQuery<{ after: { repaired: string[] } }>(
    `select action, entity_id, after from arbiter.audit_logs
     where tenant_id = $1 and entity_type = 'rls' and action = 'update' and entity_id = 'enable_all' order by sequence`,
    [tenantId],
  );
  assert.deepEqual(
    rows.map((row) => row.after.repaired),
    [['api_keys', 'users', 'ds_mine'], []],
  );
});

test('reports a table in use as failed, and repairs the others', async () => {
  await db.ownerQuery('alter table arbiter.users disable row level security');
  await db.ownerQuery('alter table arbiter.tenant_settings disable row level security');
  let repair: Awaited<ReturnType<typeof repairRls>> | undefined;
  await as(otherId, async (tx) => {
    await tx.query('select from arbiter.users limit 1');
    repair = await as(tenantId, repairRls);
  });
  assert.ok(repair);
  assert.equal(repair.success, false);
  assert.deepEqual(repair.failed, [{ table: 'users', error: 'the table is in use' }]);
  assert.ok(!repair.enabled.includes('users'));
  assert.deepEqual((await as(tenantId, reportRls)).summary.missingRLS, ['users']);
  assert.equal((await as(tenantId, repairRls)).success, true);
});

test("the repair can't reach another tenant's table", async () => {
  const schema = `t_${otherId.replaceAll('-', '')}`;
  await db.ownerQuery(`alter table ${schema}.ds_foreign disable row level security`);
  await as(tenantId, repairRls);
  assert.deepEqual((await as(otherId, reportRls)).summary.missingRLS, ['ds_foreign']);
  await assert.rejects(as(tenantId, (tx) => tx.query('select arbiter.repair_rls($1, $2)', [schema, 'ds_foreign'])));
});
