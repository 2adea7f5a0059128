import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { testSegments } from './test-segments.ts';

let server: TestServer;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  await testSegments(server).schema('people', [
    { name: 'customer_id', dataType: 'varchar(64)', isPrimaryKey: true },
    { name: 'tier', dataType: 'text' },
    { name: 'age', dataType: 'integer' },
  ]);
});
after(() => server.close());

test('the database creates no view that reads beyond the tables of its tenant', async () => {
  const actor = { id: 'system:test', name: 'system', role: 'admin' } as const;
  const [tenant, other] = server.tenants;
  assert.ok(other !== undefined);
  const make = (tenantId: string, body: string, literals: string[] = []) =>
    server.database.withTenant(tenantId, actor, async (tx) => {
      await tx.query('select arbiter.ds_create_segment_view($1, $2, $3::text[])', ['seg_0123456789ab', body, literals]);
      const [row] = await tx.query<{ definition: string }>(
        `select pg_get_viewdef('t_${tenantId.replaceAll('-', '')}.seg_0123456789ab'::regclass) as definition`,
      );
      return row?.definition ?? '';
    });
  const table = `"t_${tenant.id.replaceAll('-', '')}"."ds_people"`;
  const hostile = `x'); drop table arbiter.tenants; --{0}\\' or 1=1`;
  const made = await make(
    tenant.id,
    `select b."tier"::text as customer_id from ${table} b where b."tier" = {0}::text`,
    [hostile],
  );
  assert.ok(made.includes('drop table'), 'a literal is only a literal');
  for (const body of [
    `select b."tier"::text as customer_id from ${table} b; drop table arbiter.segments`,
    `select b."tier"::text as customer_id from ${table} b where b."tier" = 'x'`,
    `select b."tier"::text as customer_id from ${table} b -- `,
    'select k.key_hash as customer_id from arbiter.api_keys k',
    `select b."tier"::text as customer_id, b."age" from ${table} b`,
    `select b."tier"::text as name from ${table} b`,
    `select b."tier"::text as customer_id from ${table} b where b."tier" = {1}::text`,
    'drop table arbiter.segments',
  ]) {
    await assert.rejects(make(tenant.id, body, ['x']), /refused|missing|does not exist/, body);
  }
  await assert.rejects(
    make(other.id, `select b."tier"::text as customer_id from ${table} b`),
    /refused|permission|does not exist/,
  );
});
