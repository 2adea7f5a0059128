import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelsOf } from './announcements.ts';
import { atHome, isWrite, onOneWorker, onShards } from './one-worker.ts';

const schema = 't_0190a1b2c3d47e5f8a9b0190a1b2c3d4';
const home = '(select id as home_id from arbiter.tenants where id = $1::uuid) home cross join';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'joins an insert from parameters with the tenant',
    'insert into arbiter.a (tenant_id, b) select $1, u.b from unnest($2::text[]) as u(b) on conflict do nothing',
    `insert into arbiter.a (tenant_id, b) select home.home_id, u.b from ${home} unnest($2::text[]) as u(b) on conflict do nothing`,
  ],
  [
    'joins it in a common table expression, with a cast and an alias',
    'with x as (insert into a as known (tenant_id, b) select $1::uuid, r.b from jsonb_to_recordset($2) as r(b text)) select 1',
    `with x as (insert into a as known (tenant_id, b) select home.home_id, r.b from ${home} jsonb_to_recordset($2) as r(b text)) select 1`,
  ],
  [
    'joins an insert into a data table',
    `insert into "${schema}"."ds_a" (tenant_id, "b") overriding system value select $2::uuid, "b" from json_to_recordset($1::json) as given ("b" int)`,
    `insert into "${schema}"."ds_a" (tenant_id, "b") overriding system value select home.home_id, "b" from ` +
      `(select id as home_id from arbiter.tenants where id = $2::uuid) home cross join json_to_recordset($1::json) as given ("b" int)`,
  ],
  [
    'joins an insert from a subquery',
    'insert into a (tenant_id, b) select $1, m.c from (select c from d where tenant_id = $1) m order by 2',
    `insert into a (tenant_id, b) select home.home_id, m.c from ${home} (select c from d where tenant_id = $1) m order by 2`,
  ],
  [
    'leaves an insert from a table alone',
    'insert into a (tenant_id, b) select $1, c.b from c where c.tenant_id = $1',
    'insert into a (tenant_id, b) select $1, c.b from c where c.tenant_id = $1',
  ],
  [
    'names the tenant of a data table that is read, and keeps its alias',
    `select r.a from "${schema}"."ds_a" r join "${schema}"."ds_b" on true where r.a = $1`,
    `select r.a from (select * from "${schema}"."ds_a" where tenant_id = '0190a1b2c3d47e5f8a9b0190a1b2c3d4'::uuid) r ` +
      `join (select * from "${schema}"."ds_b" where tenant_id = '0190a1b2c3d47e5f8a9b0190a1b2c3d4'::uuid) "ds_b" on true where r.a = $1`,
  ],
  [
    'leaves a deletion from a data table alone',
    `delete from "${schema}"."ds_a" where tenant_id = $1`,
    `delete from "${schema}"."ds_a" where tenant_id = $1`,
  ],
  [
    'replaces a subscript by a function',
    'update a set b = ($3::bytea[])[array_position($2::text[], c)] where tenant_id = $1',
    'update a set b = arbiter.array_item(($3::bytea[]), array_position($2::text[], c)) where tenant_id = $1',
  ],
];

for (const [name, given, expected] of cases) {
  test(name, () => {
    assert.equal(onOneWorker(given), expected);
    assert.equal(onOneWorker(given), expected, 'from memory');
  });
}

test('takes locks where the rows are, and changes nothing else', () => {
  const lock = `select pg_try_advisory_xact_lock(hashtextextended('a:' || $1, 0)) as taken`;
  assert.equal(atHome(lock, '$1::text'), `${lock} from arbiter.tenants home where home.id = ($1::text)::uuid`);
  const setting = `select set_config('plan_cache_mode', 'force_custom_plan', true), pg_advisory_xact_lock_shared(1)`;
  assert.equal(atHome(setting, '$1::text'), `${setting} from arbiter.tenants home where home.id = ($1::text)::uuid`);
  assert.equal(
    atHome('select rows from arbiter.cut_audit_logs($1, $2)', `'a'`),
    `select rows from arbiter.cut_audit_logs($1, $2) cross join arbiter.tenants home where home.id = ('a')::uuid`,
  );
  assert.equal(
    atHome('select arbiter.empty_history($1)', `'a'`),
    `select arbiter.empty_history($1) from arbiter.tenants home where home.id = ('a')::uuid`,
  );
  assert.equal(atHome('select 1', '$1::text'), 'select 1');
});

const shards = new Map([
  ['decisions', '102063'],
  ['customer_states', '102019'],
]);

test('moves statements of the hot path to shards', () => {
  const moved: readonly (readonly [string, string])[] = [
    [
      'insert into decisions (tenant_id, id) values ($1, $2)',
      'insert into arbiter.decisions_102063 (tenant_id, id) values ($1, $2)',
    ],
    [
      'insert into decisions (tenant_id) select $1 from unnest($2::uuid[]) as u(id)',
      'insert into arbiter.decisions_102063 (tenant_id) select $1 from unnest($2::uuid[]) as u(id)',
    ],
    [
      'select a from customer_states where tenant_id = $1 order by a for update skip locked',
      'select a from arbiter.customer_states_102019 where tenant_id = $1 order by a for update skip locked',
    ],
    [
      'select (select 1 from decisions d where d.id = $1), clock_timestamp() as instant',
      'select (select 1 from arbiter.decisions_102063 d where d.id = $1), clock_timestamp() as instant',
    ],
    ['update customer_states set b = 1', 'update arbiter.customer_states_102019 set b = 1'],
  ];
  for (const [text, expected] of moved) {
    const placed = { name: 'a@102063', text: expected, values: [1] };
    assert.deepEqual(onShards({ name: 'a', text, values: [1] }, shards), placed);
    assert.deepEqual(onShards({ name: 'a', text, values: [1] }, shards), placed, 'from memory');
  }
  const lock = { name: 'b', text: `select pg_advisory_xact_lock_shared(1)`, values: [] };
  assert.deepEqual(onShards(lock, shards), lock);
});

test('leaves statements on other tables, lists of tables or columns by table to Citus', () => {
  for (const text of [
    'insert into outbox (tenant_id) values ($1)',
    'select 1',
    'select 1 from decisions d join offers o on o.id = d.id',
    'select 1 from decisions where not exists (select from erasures)',
    'select 1 from decisions d, offers o',
    'select decisions.id from decisions',
    'insert into decisions (id) values ($1) on conflict (id) do update set id = 1',
    'select 1 from decisions d join "t_0190a1b2c3d47e5f8a9b0190a1b2c3d4"."ds_a" a on a.id = d.id',
  ]) {
    assert.equal(onShards({ name: 'a', text, values: [] }, shards), null, text);
  }
  assert.equal(onShards({ name: null, text: 'delete from decisions', values: [] }, shards), null, 'not prepared');
  assert.equal(
    onShards({ name: 'a', text: 'delete from decisions', values: [] }, new Map()),
    null,
    'on the coordinator',
  );
});

test('recognizes writes, after which a tenant stays where it is', () => {
  for (const text of ['update a set b = 1', '\n  insert into a values (1)', 'delete from a'])
    assert.ok(isWrite(text), text);
  for (const text of ['select 1 from a for update', 'select pg_advisory_xact_lock(1)']) assert.ok(!isWrite(text), text);
});

test('announces only changes of credentials and of the stream', () => {
  assert.deepEqual(channelsOf('update arbiter.api_keys set revoked_at = $2 where tenant_id = $1'), [
    'arbiter_credentials',
  ]);
  assert.deepEqual(channelsOf('insert into "users" (tenant_id) values ($1)'), ['arbiter_credentials']);
  assert.deepEqual(channelsOf('with h as (insert into stream_heads as h (tenant_id) values ($1)) select 1'), [
    'arbiter_stream',
  ]);
  assert.deepEqual(channelsOf('update api_key_uses set last_used_at = $2'), []);
  assert.deepEqual(channelsOf('select * from users'), []);
});
