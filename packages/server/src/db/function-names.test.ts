import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** What the schema's functions resolve names to must not depend on the caller's search_path. */

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

/**
 * Called for each row of a segment, where a `set` would cost too much. The baseline migration explains why they're
 * safe.
 */
const withoutSearchPath = ['condition_float', 'condition_instant', 'condition_json', 'condition_number'];

test('every function has a search_path or a body resolved at creation, except four that are called per row', async () => {
  const found = await db.ownerQuery<{ name: string }>(
    `select p.proname as name from pg_proc p
      where p.pronamespace = 'arbiter'::regnamespace and p.prokind = 'f' and p.prosqlbody is null
        and not exists (select from unnest(p.proconfig) as c(setting) where c.setting like 'search_path=%')
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`,
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    withoutSearchPath,
  );
});

test('those four ignore look-alikes in the search_path', async () => {
  await db.ownerQuery('create schema look_alikes');
  for (const body of [
    'abs(numeric) returns numeric language sql return 0.0',
    'length(text) returns int language sql return 1000',
    'regexp_match(text, text) returns text[] language sql return null::text[]',
    "jsonb_typeof(jsonb) returns text language sql return 'null'::text",
  ]) {
    await db.ownerQuery(`create function look_alikes.${body}`);
  }
  // The arguments depend on the path, so nothing is evaluated before it's set.
  const answers = (path: string) =>
    db.ownerQuery(
      `with path as materialized (select left(set_config('search_path', $1, true), 0) as nothing)
       select arbiter.condition_float(('1.5' || nothing)::numeric) as float,
         arbiter.condition_number('-12e2' || nothing) as number,
         arbiter.condition_instant('2026-11-20T09:00:00+01:00' || nothing) as instant,
         arbiter.condition_json(('"2026-11-20"' || nothing)::jsonb, 'lt', '"2026-11-21"') as json from path`,
      [path],
    );
  for (const path of ['public', 'look_alikes, arbiter, public']) {
    assert.deepEqual(
      await answers(path),
      [{ float: 1.5, number: -1200, instant: 1_795_161_600_000, json: true }],
      path,
    );
  }
});
