import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { populate } from './world.ts';

// Tests what docs/guides/scaling.md says, as far as one machine allows.

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/scaling.md'), 'utf8');

let server: TestServer;
before(async () => {
  server = await startTestServer();
  await populate(server, server.tenants[0]);
});
after(() => server?.close());

test('the guide distributes every table by its tenant, after those that it refers to', async () => {
  const [, sql] = /<!-- Run by test\/tenancy\/distribution\.test\.ts -->\n```sql\n([\s\S]*?)```/.exec(guide) ?? [];
  assert.ok(sql !== undefined, 'the guide holds the statement');
  const { ownerQuery } = server.testDatabase;
  const statements = (await ownerQuery<{ statement: string }>(sql)).map(({ statement }) => statement);
  const order = statements.map((statement) => {
    const [, table, column, beside] =
      /^select create_distributed_table\('arbiter\.(\w+)', '(\w+)', colocate_with => '([\w.]+)'\);$/.exec(statement) ??
      [];
    assert.ok(table !== undefined, statement);
    const expected = table === 'tenants' ? ['id', 'none'] : ['tenant_id', 'arbiter.tenants'];
    assert.deepEqual([column, beside], expected, statement);
    return table;
  });
  const tables = await ownerQuery<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'arbiter'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> 'schema_migrations' order by 1`,
  );
  assert.deepEqual(
    order.toSorted(),
    tables.map(({ name }) => name),
    'every table once',
  );
  const references = await ownerQuery<{ table: string; other: string }>(
    `select a.relname as table, b.relname as other from pg_constraint k
       join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
      where k.contype = 'f' and a.relnamespace = 'arbiter'::regnamespace and not a.relispartition and a.oid <> b.oid`,
  );
  assert.ok(references.length > 10);
  for (const { table, other } of references) {
    assert.ok(order.indexOf(other) < order.indexOf(table), `${table} refers to ${other}`);
  }
});

test('a month of history is detached and written as NDJSON by the statements of the guide', async () => {
  const { ownerQuery } = server.testDatabase;
  const [month] = await ownerQuery<{ name: string; rows: number }>(
    `select tableoid::regclass::text as name, count(*)::int as rows from arbiter.interactions group by 1 limit 1`,
  );
  assert.ok(month !== undefined && month.rows > 0);
  const [, detach] = /-c '(alter table arbiter\.interactions detach[^']+)'/.exec(guide) ?? [];
  const [, select] = /-c '(select row_to_json\(t\) from [^']+)'/.exec(guide) ?? [];
  const [, drop] = /-c '(drop table [^']+)'/.exec(guide) ?? [];
  const ofMonth = (statement: string | undefined): string => {
    assert.match(String(statement), /arbiter\.interactions_y2026m01/);
    return String(statement).replaceAll('arbiter.interactions_y2026m01', month.name);
  };
  await ownerQuery(ofMonth(detach));
  const lines = (await ownerQuery<{ row_to_json: object }>(ofMonth(select))).map((row) =>
    JSON.stringify(row.row_to_json),
  );
  assert.equal(lines.length, month.rows);
  for (const line of lines) assert.equal(JSON.parse(line).tenant_id, server.tenants[0].id);
  await ownerQuery(ofMonth(drop));
  assert.deepEqual(await ownerQuery('select from arbiter.interactions'), []);
});
