import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import pg from 'pg';
import { newId } from '../../../platform/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { connectionConfig } from '../connection.ts';
import { createHotPath } from '../hot-transaction.ts';
import { createHotWire, type HotWire, type WireStatement } from './hot-wire.ts';

let db: TestDatabase;
const open: HotWire[] = [];
before(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((wire) => wire.close()));
});
after(() => db.close());

async function connect(url = db.url): Promise<HotWire> {
  const client = new pg.Client(connectionConfig({ url }));
  client.on('error', () => undefined);
  await client.connect();
  const wire = createHotWire(client);
  open.push(wire);
  return wire;
}

const statement = (name: string | null, text: string, ...values: unknown[]): WireStatement => ({ name, text, values });
const patienceMs = 20_000;

test('reads every type as the other connections do, before and after the columns are known', async () => {
  const wire = await connect();
  const values = `select 'Größe 😀'::text as text, null::text as nothing, true as yes, false as no, 7::smallint as small,
    -2147483647::int as int, 9007199254740991::bigint as exact, 9007199254740993::bigint as digits,
    -12::bigint as negative, 1.50::numeric as numeric, 0.25::real as real, '\\x00ff10'::bytea as bytes, ''::bytea as none,
    '2026-03-01 10:00:00.123+00'::timestamptz as instant, '2026-03-01'::date as day,
    'a4f0c2de-0000-7000-8000-0123456789ab'::uuid as id, '{"a":[1,null]}'::jsonb as json, '{a,NULL,"b c"}'::text[] as list`;
  const expected = {
    ...{ text: 'Größe 😀', nothing: null, yes: true, no: false, small: 7, int: -2147483647, exact: 9007199254740991 },
    ...{ digits: '9007199254740993', negative: -12, numeric: '1.50', real: 0.25 },
    ...{ bytes: Buffer.from([0, 255, 16]), none: Buffer.alloc(0), instant: new Date('2026-03-01T10:00:00.123Z') },
    ...{
      day: '2026-03-01',
      id: 'a4f0c2de-0000-7000-8000-0123456789ab',
      json: { a: [1, null] },
      list: ['a', null, 'b c'],
    },
  };
  for (const name of ['types', 'types', null]) {
    const [result] = await wire.trip([statement(name, values)], patienceMs);
    assert.deepEqual(result?.rows, [expected], String(name));
  }
});

test('writes every type', async () => {
  const wire = await connect();
  const text = `select $1::text as a, $2::int as b, $3::boolean as c, $4::timestamptz as d, $5::bytea as e, $6::text[] as f,
    $7::int[] as g, $8::text as h`;
  const instant = new Date('2026-03-01T10:00:00.123Z');
  const bytes = Buffer.from('ü\0"\\');
  const long = 'ä"\\'.repeat(100_000);
  const given = statement('values', text, long, 12, false, instant, bytes, ['a"b', null, '{,}'], [1, 2], null);
  const [result] = await wire.trip([given], patienceMs);
  const { a, ...others } = result!.rows[0]!;
  // Not by deepEqual, which would print it.
  assert.ok(a === long);
  assert.deepEqual(others, { b: 12, c: false, d: instant, e: bytes, f: ['a"b', null, '{,}'], g: [1, 2], h: null });
  await assert.rejects(wire.trip([statement('bad', 'select $1', { a: 1 })], patienceMs), TypeError);
  const [fine] = await wire.trip([statement('bad', 'select $1::int as a', 3)], patienceMs);
  assert.deepEqual(fine?.rows, [{ a: 3 }], 'the refused one left nothing behind');
});

test('answers statements in order, the same one twice, rows in many pieces, and empty ones', async () => {
  const wire = await connect();
  const rows = statement('rows', `select n, repeat('x', $1) as text from generate_series(1, $2::int) as n`, 70_000, 30);
  for (let round = 0; round < 2; round++) {
    const results = await wire.trip(
      [rows, statement('rows', rows.text, 1, 2), statement('none', 'select 1 where false'), statement(null, '')],
      patienceMs,
    );
    assert.deepEqual(
      results.map((result) => result.rows.map(({ n, text }) => [n, String(text).length])),
      [
        Array.from({ length: 30 }, (_, i) => [i + 1, 70_000]),
        [
          [1, 1],
          [2, 1],
        ],
        [],
        [],
      ],
    );
    assert.equal(results[1]?.tag, 'SELECT 2');
  }
});

test('rejects with the error, skips the statements after it, and continues', async () => {
  const wire = await connect(db.adminUrl);
  const made = statement('make', 'create temporary table counted (n int primary key)');
  const insert = (n: number) => statement('insert', 'insert into counted values ($1::int)', n);
  const count = statement('count', 'select count(*)::int as count from counted');
  await wire.trip([made], patienceMs);
  await assert.rejects(
    wire.trip([statement('begin', 'begin'), insert(1), insert(1), count, statement('commit', 'commit')], patienceMs),
    (error) => error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === 'counted_pkey',
  );
  await wire.trip([statement('rollback', 'rollback')], patienceMs);
  const results = await wire.trip([insert(2), count, statement('commit', 'commit')], patienceMs);
  assert.deepEqual(results[1]?.rows, [{ count: 1 }]);
  assert.equal(results[0]?.tag, 'INSERT 0 1');
});

test('rejects two statements with one name, and two trips at once', async () => {
  const wire = await connect();
  await wire.trip([statement('one', 'select 1 as n')], patienceMs);
  await assert.rejects(wire.trip([statement('one', 'select 2 as n')], patienceMs), /two statements have the name one/);
  const first = wire.trip([statement('one', 'select 1 as n')], patienceMs);
  await assert.rejects(wire.trip([statement('one', 'select 1 as n')], patienceMs), /a trip is in flight/);
  assert.deepEqual((await first)[0]?.rows, [{ n: 1 }]);
});

test('rejects everything in flight and after, with the reason, when the database ends the connection', async () => {
  const wire = await connect();
  const [pid] = await wire.trip([statement('pid', 'select pg_backend_pid() as pid')], patienceMs);
  const sleeping = assert.rejects(wire.trip([statement('sleep', 'select pg_sleep(60)')], patienceMs), {
    code: '57P01',
  });
  await db.ownerQuery('select pg_terminate_backend($1)', [pid?.rows[0]?.pid]);
  await sleeping;
  await assert.rejects(wire.trip([statement('pid', 'select pg_backend_pid() as pid')], patienceMs));
});

test('a trip without an answer times out and ends the connection', async () => {
  const wire = await connect();
  await assert.rejects(wire.trip([statement('sleep', 'select pg_sleep(60)')], 50), /^Error: Query read timeout$/);
  await assert.rejects(wire.trip([statement('one', 'select 1')], patienceMs), /Query read timeout/);
});

test('a statement whose result type changed costs one connection, not everything after it', async (t) => {
  const path = createHotPath({ url: db.url, connections: 1 });
  t.after(() => path.close());
  await db.ownerQuery('create table public.changing (n int); grant select on public.changing to arbiter_app');
  const read = () =>
    path.run(newId(), (tx) => tx.send([{ name: 'changing', text: 'select n from public.changing', values: [] }]));
  await read();
  await db.ownerQuery('alter table public.changing alter n type text');
  await assert.rejects(read(), /cached plan must not change result type/);
  assert.deepEqual(await read(), [[]]);
});
