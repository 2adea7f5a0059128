import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { catalogueFindings } from './catalogue-findings.ts';
import { populate } from './world.ts';

/** T2a: checks the database's catalogue for isolation, as the product builds it up. */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const owner = (text: string) => server.testDatabase.ownerQuery<Record<string, string>>(text);
const findings = () => catalogueFindings(server.testDatabase);

test('no findings: freshly migrated, with data tables and decisions, with three more months of partitions', async () => {
  assert.deepEqual(await findings(), []);
  for (const tenant of server.tenants) await populate(server, tenant);
  const [tables] = await owner(`select count(*) from pg_tables where schemaname ~ '^t_[0-9a-f]{32}$'`);
  assert.ok(Number(tables!.count) >= 4, 'there are data tables of both tenants');
  assert.deepEqual(await findings(), []);

  const parents = await owner(`select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'p' and c.relnamespace = 'arbiter'::regnamespace`);
  assert.ok(parents.length >= 2, 'decisions and interactions are partitioned');
  for (const { name } of parents) {
    const made = await server.database.withSystem('partitions', (tx) =>
      tx.query<{ made: number }>(
        `select arbiter.ensure_month_partitions($1::regclass, (now() + interval '4 months')::date, 3) as made`,
        [name],
      ),
    );
    assert.equal(made[0]!.made, 3, name);
  }
  assert.deepEqual(await findings(), []);
});

test('finds each hole', async () => {
  const [data] = await owner(`select format('%I.%I', schemaname, tablename) as name, schemaname as schema from pg_tables
    where schemaname ~ '^t_[0-9a-f]{32}$' order by 1 limit 1`);
  const [partition] = await owner(`select c.oid::regclass::text as name from pg_class c
    where c.relispartition and c.relkind = 'r' and c.relnamespace = 'arbiter'::regnamespace order by 1 limit 1`);
  const holes: readonly [sql: string, undo: string, finding: RegExp][] = [
    [
      `alter table ${partition!.name} disable row level security`,
      `alter table ${partition!.name} enable row level security`,
      /is not enabled/,
    ],
    [
      `alter table ${data!.name} no force row level security`,
      `alter table ${data!.name} force row level security`,
      /is not forced/,
    ],
    [
      `create policy everyone on ${data!.name} using (true)`,
      `drop policy everyone on ${data!.name}`,
      /policy everyone lets others in/,
    ],
    [
      `alter policy tenant_isolation on arbiter.offers with check (true)`,
      `alter policy tenant_isolation on arbiter.offers with check (tenant_id = (select nullif(current_setting('app.tenant', true), '')::uuid))`,
      /arbiter.offers: policy tenant_isolation says something else/,
    ],
    [
      `create unique index names on arbiter.offers (name)`,
      `drop index arbiter.names`,
      /unique index .*names does not name the tenant/,
    ],
    [
      `alter table arbiter.offers add unique (id);
       alter table arbiter.creatives add constraint plain foreign key (offer_id) references arbiter.offers (id)`,
      `alter table arbiter.creatives drop constraint plain; alter table arbiter.offers drop constraint offers_id_key`,
      /foreign key plain does not carry the tenant/,
    ],
    [
      `grant truncate on arbiter.offers to arbiter_app`,
      `revoke truncate on arbiter.offers from arbiter_app`,
      /truncate/,
    ],
    [
      `grant select on ${partition!.name} to arbiter_app`,
      `revoke select on ${partition!.name} from arbiter_app`,
      /arbiter_app may select/,
    ],
    [`grant select on arbiter.offers to public`, `revoke select on arbiter.offers from public`, /rights for everybody/],
    [
      `create function arbiter.hole() returns int language sql security definer as 'select 1'`,
      `drop function arbiter.hole()`,
      /hole\(\): SECURITY DEFINER without a fixed search_path/,
    ],
    [
      `create function arbiter.hole() returns int language sql as 'select 1'; grant execute on function arbiter.hole() to public`,
      `drop function arbiter.hole()`,
      /hole\(\): callable by everybody/,
    ],
    [
      `create view ${data!.schema}.v as select * from arbiter.offers`,
      `drop view ${data!.schema}.v`,
      /not security_invoker/,
    ],
    [
      `create materialized view arbiter.m as select * from arbiter.offers`,
      `drop materialized view arbiter.m`,
      /materialized view arbiter.m/,
    ],
    [
      `create table arbiter.plain (tenant_id uuid not null, id uuid)`,
      `drop table arbiter.plain`,
      /arbiter.plain: row-level security is not enabled/,
    ],
  ];
  for (const [sql, undo, finding] of holes) {
    await owner(sql);
    try {
      assert.match((await findings()).join('\n'), finding, sql);
    } finally {
      await owner(undo);
    }
  }
  assert.deepEqual(await findings(), []);
});
