import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { DataType } from '@arbiter/contract';
import { type Condition, compileCondition } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { conditionSql, newLiterals, type SqlColumn } from '../condition-sql/index.ts';
import { testSegments } from './test-segments.ts';

/** The cases that the engine answers too (packages/engine/test/conformance/maths.test.ts). */
const file: {
  readonly now: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly cases: readonly { readonly condition: unknown; readonly holds: readonly string[] }[];
} = JSON.parse(readFileSync(new URL('../../../../../engine/conformance/conditions.json', import.meta.url), 'utf8'));

let server: TestServer;
let schemaId: string;

before(async () => {
  server = await startTestServer();
  const { schema, insert } = testSegments(server);
  schemaId = await schema('cases', [
    { name: 'row_name', dataType: 'text', isPrimaryKey: true },
    ...Object.entries(file.columns).map(([name, dataType]) => ({ name, dataType })),
  ]);
  await insert(
    schemaId,
    Object.entries(file.data).map(([name, values]) => ({ row_name: name, ...values })),
  );
});
after(() => server.close());

/** Returns a row's value in milliseconds, because texts may spell one instant in two ways. */
const sameValue = (dataType: string | undefined, value: unknown): unknown =>
  dataType === 'timestamptz' && typeof value === 'string' ? Date.parse(value) : value;

test('the values of the cases match what responses show of the rows', async () => {
  const { call } = testSegments(server);
  const answer = await call<{ rows: Record<string, unknown>[] }>('GET', `/api/v1/schemas/${schemaId}/data`);
  const { rows } = answer.body;
  for (const [name, values] of Object.entries(file.data)) {
    const row = rows.find(({ row_name: own }) => own === name);
    for (const [column, dataType] of Object.entries(file.columns)) {
      const [shown, wanted] = [row?.[column], values[column] ?? null].map((value) => sameValue(dataType, value));
      // The driver returns a real in its shortest form; -0 is 0.
      assert.deepEqual(shown, wanted, `${column} of ${name}`);
    }
  }
});

/** A field of the cases as a column; one that is no column is always null. */
function columnOf(field: string): SqlColumn {
  const name = field.replace(/^customer\./, '');
  const written = file.columns[name];
  if (written === undefined) return { sql: 'null::text', dataType: 'text', precision: null };
  const [, dataType = '', precision] = /^(\w+)(?:\((\d+).*)?$/.exec(written) ?? [];
  return {
    sql: `b."${name}"`,
    dataType: dataType as DataType,
    precision: dataType === 'numeric' && precision !== undefined ? Number(precision) : null,
  };
}

const stored = (condition: unknown): Condition => {
  const compiled = compileCondition(condition);
  assert.ok(compiled.ok, JSON.stringify(condition));
  return compiled.condition.stored;
};

const sqlOf = (condition: unknown, literals: ReturnType<typeof newLiterals>): string =>
  conditionSql(stored(condition), {
    literals,
    now: () => literals.add(file.now, 'timestamptz'),
    fieldOf: (field) => ({ column: columnOf(field), relation: null }),
    related: () => assert.fail('no case has a relation'),
  });

const actor = { id: 'system:test', name: 'system', role: 'admin' } as const;

test('SQL with parameters matches the engine', async () => {
  const tenantId = server.tenants[0].id;
  const table = `"t_${tenantId.replaceAll('-', '')}"."ds_cases"`;
  await server.database.withTenant(tenantId, actor, async (tx) => {
    const names = Object.keys(file.data);
    for (const { condition, holds } of file.cases) {
      const literals = newLiterals('parameters');
      const text = `select b."row_name" as name from ${table} b where ${sqlOf(condition, literals)}`;
      const rows = await tx.query<{ name: string }>(text, literals.values);
      const found = new Set(rows.map(({ name }) => name));
      assert.deepEqual(
        names.filter((name) => found.has(name)),
        holds,
        `${JSON.stringify(condition)} ${text} ${JSON.stringify(literals.values)}`,
      );
    }
  });
});

test('a view with literals matches the engine', async () => {
  const tenantId = server.tenants[0].id;
  const schema = `"t_${tenantId.replaceAll('-', '')}"`;
  await server.database.withTenant(tenantId, actor, async (tx) => {
    const names = Object.keys(file.data);
    for (const { condition, holds } of file.cases) {
      const literals = newLiterals('places');
      const body = `select b."row_name"::text as customer_id from ${schema}."ds_cases" b where ${sqlOf(condition, literals)}`;
      await tx.query('select arbiter.ds_create_segment_view($1, $2, $3::text[])', [
        'seg_000000000000',
        body,
        [...literals.values],
      ]);
      const rows = await tx.query<{ customer_id: string }>(`select customer_id from ${schema}.seg_000000000000`);
      const found = new Set(rows.map((row) => row.customer_id));
      assert.deepEqual(
        names.filter((name) => found.has(name)),
        holds,
        `${JSON.stringify(condition)} ${body} ${JSON.stringify(literals.values)}`,
      );
    }
  });
});
