import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DataType } from '@arbiter/contract';
import { joinedSources, parseDecimal } from '@arbiter/engine';
import fc from 'fast-check';
import { randomCases } from '../../../../../../../test/form.ts';
import { systemActor } from '../../../../db/index.ts';
import type { Tx } from '../../../../db/tx.ts';
import { tenantA, tenantB } from '../../../../http/test-app.ts';
import { addJoined, averageOut, maxJoinedRows } from '../joins/joined-values.rules.ts';
import type { JsonValue } from '../rows/values.rules.ts';
import { readSchemaTables, type SchemaTable, toSnapshotSchema } from '../schema-tables.store.ts';
import { createTestSchemas, type TestSchemas } from '../test-schemas.ts';
import { figuresByKeyStatement } from './figures-by-key.store.ts';

/** Compares aggregates of joined rows from PostgreSQL with ones computed in memory from whole numbers. */

let kit: TestSchemas;
let table: SchemaTable;
const columns: Readonly<Record<string, DataType>> = {
  small: 'smallint',
  whole: 'bigint',
  money: 'decimal',
  ratio: 'double',
  word: 'text',
  extra: 'jsonb',
};

const inTenant = <T>(tenant: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  kit.db.database.withTenant(tenant, systemActor('test'), work, {});

before(async () => {
  kit = await createTestSchemas();
  await kit.create({ name: 'people', fields: [{ name: 'customer_id', isPrimaryKey: true }] });
  const created = await kit.create({
    name: 'payments',
    schemaType: 'transaction',
    fields: [
      { name: 'nr', dataType: 'integer', isPrimaryKey: true },
      { name: 'payer' },
      ...Object.entries(columns).map(([name, dataType]) => ({ name, dataType })),
    ],
  });
  const people = await kit.call('GET', '/api/v1/schemas?search=people');
  const linked = await kit.call('PUT', '/api/v1/schemas', {
    id: created.id,
    linkedSchemaId: people.json.data[0].id,
    joinMapping: { parentField: 'customer_id', childField: 'payer' },
    summaryColumns: Object.keys(columns),
    autoEnrich: true,
  });
  assert.equal(linked.status, 200, linked.text);
  const tables = await inTenant(tenantA, readSchemaTables);
  table = tables.find(({ name }) => name === 'payments')!;
});
after(() => kit.db.close());

function sources() {
  const schema = toSnapshotSchema(table);
  const join = { schemaId: table.schemaId, lookupColumn: 'payer', path: [], prefix: 'x_' };
  return joinedSources({ schemas: [schema], joins: [{ ...join, summaryColumns: Object.keys(columns) }] }, null);
}

type Row = Readonly<Record<string, JsonValue>>;

/** Values of these columns are multiples of 1/100, so that sums can use whole hundredths. */
const hundredths = (value: JsonValue): bigint => BigInt(Math.round(Number(value) * 100));
const ofHundredths = (value: bigint): number => Number(value) / 100;

/** Returns the aggregates of a customer's rows, by ascending `nr`. */
function oracle(rows: readonly Row[]): Record<string, JsonValue> {
  const figures: Record<string, JsonValue> = { x_payments_count: rows.length };
  const newest = rows.toSorted((a, b) => Number(b.nr) - Number(a.nr))[0];
  for (const [name, dataType] of Object.entries(columns)) {
    const start = `x_payments_${name}`;
    if (newest !== undefined) figures[`${start}_last`] = newest[name] ?? null;
    if (dataType === 'text' || dataType === 'jsonb') continue;
    const values = rows.flatMap((row) => (row[name] === null ? [] : [hundredths(row[name]!)]));
    const sum = values.reduce((a, b) => a + b, 0n);
    figures[`${start}_sum`] = ofHundredths(sum);
    if (newest === undefined) continue;
    const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
    figures[`${start}_min`] = sorted.length === 0 ? null : ofHundredths(sorted[0]!);
    figures[`${start}_max`] = sorted.length === 0 ? null : ofHundredths(sorted.at(-1)!);
    figures[`${start}_avg`] = sorted.length === 0 ? null : Number((Number(sum) / 100 / sorted.length).toPrecision(15));
  }
  return figures;
}

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 });
const cents = fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 100);
const payment = fc.record({
  nr: fc.integer({ min: 1, max: 1_000_000 }),
  payer: fc.constantFrom('a', 'b', "c'"),
  small: orNull(fc.integer({ min: -32_768, max: 32_767 })),
  whole: orNull(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 })),
  money: orNull(cents),
  ratio: orNull(cents),
  word: orNull(fc.constantFrom('x', 'é', '')),
  extra: orNull(fc.constantFrom({ a: [1] }, [], 'text', 7)),
});

test('statistics of random rows match an oracle', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(payment, { selector: ({ nr }) => nr, maxLength: 12 }), async (rows) => {
      await kit.db.ownerQuery(`delete from ${table.table}`);
      if (rows.length > 0) {
        const inserted = await kit.insert(table.schemaId, rows);
        assert.equal(inserted.status, 201, inserted.text);
      }
      const [source] = sources();
      const statement = figuresByKeyStatement(table, 'payer', source!.values);
      const asked = ['a', 'b', "c'", 'unknown'];
      const found = statement.parse(await inTenant(tenantA, (tx) => tx.query(statement.text, [statement.keys(asked)])));
      for (const payer of asked) {
        const values: Record<string, JsonValue> = {};
        addJoined(values, source!, found.get(payer) ?? null);
        assert.deepEqual(values, oracle(rows.filter((row) => row.payer === payer)), payer);
      }
    }),
    randomCases(60),
  );
});

test('an average is exact if it terminates, and has 15 digits otherwise', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: maxJoinedRows }),
      (value, scale, count) => {
        // The sum of `count` times one value has that value as its average.
        const text = (hundred: bigint): string => {
          const digits = String(hundred < 0n ? -hundred : hundred).padStart(scale + 1, '0');
          const whole = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
          return hundred < 0n ? `-${whole}` : whole;
        };
        const average = averageOut(text(value * BigInt(count)), count);
        assert.deepEqual(parseDecimal(String(average)), parseDecimal(text(value)), `${average} ${text(value)}`);
      },
    ),
  );
  for (const [sum, count, expected] of [
    ['5', 3, 1.66666666666667],
    ['0.01', 3, 0.00333333333333333],
    ['-2', 3, -0.666666666666667],
    ['1', 8192, 0.0001220703125],
    ['12345678901234567.89', 1, '12345678901234567.89'],
    ['0', 7, 0],
    ['NaN', 1, null],
  ] as const) {
    assert.equal(averageOut(sum, count), expected, `${sum} / ${count}`);
  }
});

test('numbers out of range are returned as text, and invalid numbers are missing', async () => {
  await kit.db.ownerQuery(`delete from ${table.table}`);
  const ratio = '1e308';
  await kit.db.ownerQuery(
    `insert into ${table.table} (tenant_id, nr, payer, whole, money, ratio)
     values ($1, 1, 'a', 9007199254740992, 12345678901234567.89, ${ratio}), ($1, 2, 'a', 1, 0.01, ${ratio}),
            ($1, 3, 'nan', 1, 'NaN', 'Infinity'), ($1, 4, 'tenth', 1, 0.1, 0.1), ($1, 5, 'tenth', 1, 0.2, 0.2)`,
    [tenantA],
  );
  const [source] = sources();
  const statement = figuresByKeyStatement(table, 'payer', source!.values);
  const found = statement.parse(
    await inTenant(tenantA, (tx) => tx.query(statement.text, [statement.keys(['a', 'nan', 'tenth'])])),
  );
  const of = (payer: string, column: string) =>
    ['sum', 'avg', 'min', 'max', 'last'].map((figure) => found.get(payer)?.[`${figure} ${column}`]);
  assert.deepEqual(of('a', 'whole'), ['9007199254740993', '4503599627370496.5', 1, '9007199254740992', 1]);
  assert.deepEqual(of('a', 'money'), [
    '12345678901234567.9',
    '6172839450617283.95',
    0.01,
    '12345678901234567.89',
    0.01,
  ]);
  assert.deepEqual(of('a', 'ratio'), [null, 1e308, 1e308, 1e308, 1e308]);
  for (const column of ['money', 'ratio']) assert.deepEqual(of('nan', column), [null, null, null, null, null], column);
  for (const column of ['money', 'ratio']) assert.equal(of('tenth', column)[0], 0.3, column);
});

test('finds the rows of a customer by an index in order, for one tenant only', async () => {
  await kit.db.ownerQuery(`delete from ${table.table}`);
  await kit.db.ownerQuery(
    `insert into ${table.table} (tenant_id, nr, payer, money)
     select $1::uuid, n, case when n <= ${maxJoinedRows + 2} then 'busy' else 'p' || n % 2000 end, 1.5
       from generate_series(1, 40000) n`,
    [tenantA],
  );
  await kit.db.ownerQuery(`analyze ${table.table}`);
  const [source] = sources();
  const statement = figuresByKeyStatement(table, 'payer', source!.values);
  const keys = statement.keys(['busy', ...Array.from({ length: 63 }, (_, at) => `p${at}`)]);
  const plan = await inTenant(tenantA, (tx) =>
    tx.query<{ 'QUERY PLAN': string }>(`explain ${statement.text.replace('$1', `'{${keys.join()}}'`)}`),
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(text, /Index (Only )?Scan( Backward)? using ds_payments_tenant_id_payer_nr_idx/, text);
  assert.doesNotMatch(text, /Seq Scan|\bSort\b/, text);
  const found = statement.parse(await inTenant(tenantA, (tx) => tx.query(statement.text, [keys])));
  assert.equal(found.size, 64);
  assert.deepEqual(
    [found.get('busy')?.['count '], found.get('busy')?.['sum money'], found.get('busy')?.[' truncated']],
    [maxJoinedRows, maxJoinedRows * 1.5, true],
  );
  assert.deepEqual([found.get('p7')?.[' truncated'], Number(found.get('p7')?.['count ']) < 20], [undefined, true]);
  const other = await inTenant(tenantB, (tx) => tx.query(statement.text, [keys]));
  assert.deepEqual(other, []);
});
