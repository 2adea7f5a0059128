import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { columnDefaults } from './column-defaults.ts';
import { systemActor } from './index.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

interface Column {
  readonly table: string;
  readonly name: string;
  /** SQL of the default; null: none. */
  readonly expression: string | null;
  readonly nullable: boolean;
}

const camelCase = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

test('holds the constant defaults of every column, as the database evaluates them', async () => {
  const tenantId = '01900000-0000-7000-8000-000000000001';
  await db.database.withTenant(tenantId, systemActor('test'), async (tx) => {
    const columns = await tx.query<Column>(
      `select c.relname as "table", a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression,
              not a.attnotnull as nullable
         from pg_catalog.pg_attribute a
         join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
          and c.relnamespace = 'arbiter'::regnamespace
         left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    );
    const written = new Map<string, Readonly<Record<string, unknown>>>(Object.entries(columnDefaults));
    const constants = columns.filter(({ expression }) => expression !== null && !expression.includes('('));
    const list = constants.map(({ expression }, at) => `to_jsonb(${expression}) as v${at}`).join(', ');
    const [values] = await tx.query<Record<string, unknown>>(`select ${list}`);
    assert.ok(constants.length > 100);
    for (const [at, { table, name }] of constants.entries()) {
      assert.deepEqual(written.get(table)?.[camelCase(name)], values?.[`v${at}`], `${table}.${name}`);
    }
    for (const { table, name, expression, nullable } of columns) {
      const isFilled = expression !== null && !expression.includes('(');
      const wanted = isFilled || (expression === null && nullable);
      assert.equal(Object.hasOwn(written.get(table) ?? {}, camelCase(name)), wanted, `${table}.${name}`);
    }
  });
});
