import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Condition, compileCondition, emptyScope } from '@arbiter/engine';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { segmentsUrl, type TestSegments, testSegments } from './test-segments.ts';

/** Random conditions over random rows: the engine, the view and the list of members name the same customers. */
let server: TestServer;
let segments: TestSegments;

before(async () => {
  server = await startTestServer();
  segments = testSegments(server);
});
after(() => server.close());

const columns = {
  n: 'integer',
  big: 'bigint',
  d: 'numeric(9,2)',
  f: 'double',
  t: 'text',
  v: 'boolean',
  day: 'date',
  at: 'timestamptz',
  j: 'jsonb',
} as const;
type Column = keyof typeof columns;

const texts = ['', 'a', 'A', 'ab', 'Ä', '😀', '10', '9', '1e1', '2026-11-20', "o'\\{0}$1"];
const days = ['2026-11-19', '2026-11-20', '2026-11-21'];
const instants = ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.001Z', '2026-11-19T23:59:59.999Z'];
const whole = fc.integer({ min: -3, max: 12 });
const cents = fc.integer({ min: -300, max: 300 }).map((value) => value / 100);
const values: Record<Column, fc.Arbitrary<unknown>> = {
  n: whole,
  big: fc.oneof(whole, fc.constantFrom('9007199254740993', '-9007199254740993', '9223372036854775807')),
  d: cents,
  f: fc.oneof(cents, fc.constantFrom(1e300, -1e-300, 0.1)),
  t: fc.constantFrom(...texts),
  v: fc.boolean(),
  day: fc.constantFrom(...days),
  at: fc.constantFrom(...instants),
  j: fc.oneof(fc.constantFrom<unknown>(...texts, true, { a: 1 }, [], [1, 'a', null]), whole),
};
const wanted: Record<Column, fc.Arbitrary<string | number | boolean>> = {
  n: fc.oneof(whole, cents, whole.map(String)),
  big: fc.oneof(whole, fc.constantFrom('9007199254740993', '7', 9007199254740992, -1e19)),
  d: fc.oneof(cents, cents.map(String)),
  f: fc.oneof(cents, fc.constantFrom(1e300, -1e-300, '0.1')),
  t: fc.oneof(fc.constantFrom(...texts, ...instants), whole),
  v: fc.boolean(),
  day: fc.constantFrom(...days, ...instants, '2026-11-20T01:00:00+01:00'),
  at: fc.constantFrom(...days, ...instants),
  j: fc.oneof(fc.constantFrom(...texts), whole),
};
const ordered = ['gt', 'gte', 'lt', 'lte'];

const leaf = fc.constantFrom(...(Object.keys(columns) as Column[])).chain((column) => {
  const value = wanted[column];
  const field = fc.constant(column);
  const simple = fc.record({
    field,
    operator: fc.constantFrom('eq', 'neq', ...(column === 'v' ? [] : ordered)),
    value,
  });
  const none = fc.record({ field, operator: fc.constantFrom('exists', 'not_exists') });
  if (column === 'v') return fc.oneof(simple, none);
  const list = fc.record({
    field,
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.array(value, { maxLength: 4 }),
  });
  const between = fc.record({ field, operator: fc.constant('between'), value: fc.tuple(value, value) });
  const inText = fc.record({
    field,
    operator: fc.constantFrom('contains', 'not_contains', 'starts_with'),
    value: fc.constantFrom(...texts),
  });
  const more = column === 't' || column === 'j' ? [inText] : [];
  return fc.oneof(simple, none, list, between, ...more);
});
const { condition } = fc.letrec<{ condition: unknown; group: unknown }>((tie) => ({
  condition: fc.oneof({ maxDepth: 3 }, leaf, tie('group')),
  group: fc.record({
    logic: fc.constantFrom('and', 'or'),
    conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }),
  }),
}));
const row = fc.record(
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.option(value, { nil: null, freq: 4 })])),
);

const membersBy = (filters: unknown, rows: readonly Readonly<Record<string, unknown>>[]): string[] => {
  const compiled = compileCondition(filters);
  assert.ok(compiled.ok, JSON.stringify(filters));
  return rows
    .filter((customer) => compiled.condition.test(Object.assign(emptyScope(), { customer })))
    .map(({ customer_id: id }) => String(id))
    .sort();
};

test('random conditions over random rows: engine, view and members agree', async () => {
  const fields = Object.entries(columns).map(([name, dataType]) => ({ name, dataType }));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 25 }),
      fc.array(condition, { minLength: 12, maxLength: 12 }),
      async (rows, conditions) => {
        round += 1;
        const schemaId = await segments.schema(`model_${round}`, [
          { name: 'customer_id', dataType: 'text', isPrimaryKey: true },
          ...fields,
        ]);
        await segments.insert(
          schemaId,
          rows.map((each, at) => ({ customer_id: `c${at}`, ...each })),
        );
        const path = `/api/v1/schemas/${schemaId}/data?limit=100`;
        const { rows: customers } = (await segments.call<{ rows: Record<string, unknown>[] }>('GET', path)).body;
        const { id, viewName } = await segments.create({ name: `Model ${round}`, baseSchemaId: schemaId });
        for (const filters of conditions) {
          const changed = await segments.call('PUT', `${segmentsUrl}/${id}`, { filters });
          assert.equal(changed.status, 200, `${JSON.stringify(filters)} ${changed.text}`);
          const expected = membersBy(filters, customers);
          const told = JSON.stringify({ filters, customers });
          assert.deepEqual(await segments.viewed(viewName), expected, told);
          assert.deepEqual((await segments.members(id, 7)).sort(), expected, told);
          assert.equal(changed.body.customerCount, expected.length, told);
        }
      },
    ),
    randomCases(25),
  );
});

/** The server's expected state, by segment id. */
interface Expected {
  name: string;
  filters: unknown;
  version: number;
}

type Step =
  | { readonly kind: 'create'; readonly name: number; readonly filters: unknown }
  | { readonly kind: 'change'; readonly at: number; readonly filters: unknown; readonly stale: boolean }
  | { readonly kind: 'rename'; readonly at: number; readonly name: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'row'; readonly key: number; readonly n: number | null };

const oneLeaf = fc.record({
  field: fc.constant('n'),
  operator: fc.constantFrom('eq', 'neq', 'gte', 'lt'),
  value: whole,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), name: fc.nat(5), filters: oneLeaf }),
  fc.record({ kind: fc.constant('change' as const), at: fc.nat(5), filters: oneLeaf, stale: fc.boolean() }),
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(5), name: fc.nat(5) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(5) }),
  fc.record({ kind: fc.constant('row' as const), key: fc.nat(6), n: fc.option(whole, { nil: null }) }),
);

test('random operations on segments against an oracle', async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      round += 1;
      const schemaId = await segments.schema(`steps_${round}`, [
        { name: 'customer_id', dataType: 'text', isPrimaryKey: true },
        { name: 'n', dataType: 'integer' },
      ]);
      const oracle = new Map<string, Expected>();
      const rows = new Map<string, { customer_id: string; n: number | null }>();
      const nameOf = (name: number) => `S${round} ${name}`;
      const isTaken = (name: string, but?: string) => [...oracle].some(([id, own]) => id !== but && own.name === name);
      const pick = (at: number): [string, Expected] | undefined => [...oracle][at % Math.max(1, oracle.size)];
      for (const each of steps) {
        if (each.kind === 'row') {
          const one = { customer_id: `c${each.key}`, n: each.n };
          rows.set(one.customer_id, one);
          const put = await segments.call('POST', `/api/v1/schemas/${schemaId}/data`, {
            rows: [one],
            onDuplicate: 'update',
          });
          assert.equal(put.status, 201, put.text);
          continue;
        }
        if (each.kind === 'create') {
          const name = nameOf(each.name);
          const made = await segments.call('POST', segmentsUrl, {
            name,
            baseSchemaId: schemaId,
            filters: each.filters,
          });
          assert.equal(made.status, isTaken(name) ? 409 : 201, made.text);
          if (made.status === 201) oracle.set(made.body.id, { name, filters: each.filters, version: 1 });
          continue;
        }
        const found = pick(each.at);
        if (found === undefined) continue;
        const [id, own] = found;
        const url = `${segmentsUrl}/${id}`;
        if (each.kind === 'delete') {
          assert.equal((await segments.call('DELETE', url)).status, 204);
          oracle.delete(id);
        } else if (each.kind === 'rename') {
          const name = nameOf(each.name);
          const renamed = await segments.call('PUT', url, { name });
          assert.equal(renamed.status, isTaken(name, id) ? 409 : 200, renamed.text);
          if (renamed.status === 200) Object.assign(own, { name, version: own.version + 1 });
        } else {
          const rowVersion = each.stale ? own.version + 1 : own.version;
          const changed = await segments.call('PUT', url, { filters: each.filters, rowVersion });
          assert.equal(changed.status, each.stale ? 409 : 200, changed.text);
          if (!each.stale) Object.assign(own, { filters: each.filters, version: own.version + 1 });
        }
      }
      const listed = await segments.call('GET', `${segmentsUrl}?limit=200&search=S${round} `);
      assert.deepEqual(
        listed.body.data.map((segment) => [segment.id, segment.name]).sort(),
        [...oracle].map(([id, { name }]) => [id, name]).sort(),
      );
      for (const [id, { filters, version }] of oracle) {
        const shown = (await segments.call('GET', `${segmentsUrl}/${id}`)).body;
        assert.equal(shown.version, version);
        const expected = membersBy(filters as Condition, [...rows.values()]);
        assert.deepEqual(await segments.members(id), expected);
        assert.deepEqual(await segments.viewed(shown.viewName), expected);
      }
      const views = await server.testDatabase.ownerQuery<{ name: string }>(
        `select viewname as name from pg_views where schemaname like 't\\_%'`,
      );
      const page = await segments.call<{ data: { viewName: string }[] }>('GET', `${segmentsUrl}?limit=200`);
      const all = page.body.data;
      assert.deepEqual(
        views.map(({ name }) => name).sort(),
        all.map(({ viewName }) => viewName).sort(),
        'a view for each segment and no other',
      );
      for (const id of oracle.keys()) await segments.call('DELETE', `${segmentsUrl}/${id}`);
    }),
    randomCases(25),
  );
});
