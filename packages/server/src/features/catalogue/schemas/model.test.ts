import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { createTestSchemas, fieldsUrl, type TestSchemas, url } from './test-schemas.ts';

/** Random sequences of what can be done with schemas, fields and rows, compared with a model in memory after each step. */

type Value = number | string | null;
type Row = Record<string, Value>;

interface ModelField {
  readonly name: string;
  readonly isUnique: boolean;
  readonly dataType: 'integer' | 'text';
  readonly defaultValue: Value;
}

interface Model {
  readonly name: string;
  fields: ModelField[];
  /** By primary key. */
  rows: Map<Value, Row>;
  version: number;
}

type Outcome = { status: number; counts?: number[]; events?: string[] };

const key: ModelField = { name: 'k', isUnique: true, dataType: 'text', defaultValue: null };

function addField(model: Model, field: ModelField): Outcome {
  if (model.fields.some(({ name }) => name.toLowerCase() === field.name.toLowerCase())) return { status: 409 };
  if (field.isUnique && field.defaultValue !== null && model.rows.size > 1) return { status: 400 };
  model.fields.push(field);
  for (const row of model.rows.values()) row[field.name] = field.defaultValue;
  model.version += 1;
  return { status: 201 };
}

function dropField(model: Model, name: string): Outcome {
  if (name === 'k') return { status: 409 };
  if (!model.fields.some((field) => field.name === name)) return { status: 404 };
  model.fields = model.fields.filter((field) => field.name !== name);
  for (const row of model.rows.values()) delete row[name];
  model.version += 1;
  return { status: 204 };
}

const fits = ({ dataType }: ModelField, value: Value): boolean =>
  value === null || typeof value === (dataType === 'integer' ? 'number' : 'string');

/** Builds a new row: columns that aren't given get their default. */
const whole = (model: Model, given: Row): Row =>
  Object.fromEntries(
    model.fields.map(({ name, defaultValue }) => [name, given[name] === undefined ? defaultValue : given[name]]),
  );

const collides = (model: Model, rows: ReadonlyMap<Value, Row>, row: Row): boolean =>
  [...rows.values()].some((other) =>
    model.fields.some(
      ({ name, isUnique }) => isUnique && other.k !== row.k && row[name] !== null && other[name] === row[name],
    ),
  );

const valued = (row: Row): string[] => Object.keys(row).filter((name) => row[name] !== null);
const told = (event: string, id: Value, columns: string[]): string => `${event} ${id}: ${columns.sort().join(' ')}`;

function insert(model: Model, given: readonly Row[], onDuplicate: 'skip' | 'update'): Outcome {
  const isBad = given.some(
    (row) =>
      (row.k ?? null) === null ||
      Object.entries(row).some(([name, value]) => {
        const field = model.fields.find((candidate) => candidate.name === name);
        return field === undefined || !fits(field, value);
      }),
  );
  if (isBad) return { status: 400 };
  const rows = new Map([...model.rows].map(([id, row]) => [id, { ...row }]));
  const events: string[] = [];
  let [inserted, updated] = [0, 0];
  if (onDuplicate === 'skip') {
    for (const one of given) {
      const row = whole(model, one);
      if (rows.has(row.k ?? null) || collides(model, rows, row)) continue;
      rows.set(row.k ?? null, row);
      events.push(told('created', row.k ?? null, valued(row)));
      inserted += 1;
    }
  } else {
    const last = given.filter((row, at) => given.findLastIndex((other) => other.k === row.k) === at);
    // Rows that name the same columns are written together, in the order in which such rows first come.
    const columnsOf = (row: Row) =>
      model.fields
        .filter(({ name }) => row[name] !== undefined)
        .map(({ name }) => name)
        .join();
    for (const group of Map.groupBy(last, columnsOf).values()) {
      for (const one of group) {
        const id = one.k ?? null;
        const before = rows.get(id);
        const row = before === undefined ? whole(model, one) : { ...before, ...one };
        if (collides(model, rows, row)) return { status: 409 };
        rows.set(id, row);
        if (before === undefined) {
          inserted += 1;
          events.push(told('created', id, valued(row)));
        } else {
          updated += 1;
          const changed = Object.keys(row).filter((name) => row[name] !== before[name]);
          if (changed.length > 0) events.push(told('updated', id, changed));
        }
      }
    }
  }
  model.rows = rows;
  return { status: 201, counts: [inserted, updated, given.length - inserted - updated], events };
}

const names = ['a', 'A', 'b', 'c'] as const;
const value = fc.constantFrom<Value>(null, 0, 1, 2, 'x', 'y');
const id = fc.constantFrom<Value>('p', 'q', 'r', 's');
// Few of the rows of any columns fit the table as it is then.
const row = fc.oneof(
  fc.record({ k: id }),
  fc.record({ k: id, a: value }),
  fc.record({ k: id, a: value, b: value, c: value }, { requiredKeys: [] }),
) as fc.Arbitrary<Row>;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      name: fc.constantFrom(...names),
      isUnique: fc.boolean(),
      dataType: fc.constantFrom('integer' as const, 'text' as const),
      hasDefault: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), name: fc.constantFrom('k', ...names) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      rows: fc.array(row, { minLength: 1, maxLength: 4 }),
      onDuplicate: fc.constantFrom('skip' as const, 'update' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recreate' as const) }) },
);

/** Meets each outcome, which random steps may not. */
const everyOutcome = [
  { do: 'add' as const, name: 'a' as const, isUnique: false, dataType: 'text' as const, hasDefault: false },
  { do: 'add' as const, name: 'A' as const, isUnique: false, dataType: 'text' as const, hasDefault: false },
  { do: 'insert' as const, rows: [{ k: 'p', a: 'x' }], onDuplicate: 'skip' as const },
  { do: 'insert' as const, rows: [{ k: 'q', b: 1 }], onDuplicate: 'skip' as const },
  { do: 'drop' as const, name: 'k' as const },
  { do: 'drop' as const, name: 'a' as const },
  { do: 'drop' as const, name: 'a' as const },
];

let kit: TestSchemas;
before(async () => {
  kit = await createTestSchemas();
});
after(() => kit.db.close());

let counter = 0;

test('any sequence of fields, rows and deletions matches a model', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      counter += 1;
      const name = `model_${counter}`;
      const fresh = (): Model => ({ name, fields: [key], rows: new Map(), version: 1 });
      const create = () => kit.create({ name, fields: [{ name: 'k', dataType: 'text', isPrimaryKey: true }] });
      let model = fresh();
      let schema = await create();
      const ids = new Map<string, string>([['k', schema.fields[0].id]]);
      const gone = new Map<string, string>();
      for (const one of steps) {
        kit.events.length = 0;
        let wanted: Outcome;
        let got: Outcome;
        if (one.do === 'add') {
          const { name, isUnique, dataType, hasDefault } = one;
          const defaultValue = hasDefault ? (dataType === 'integer' ? 1 : 'x') : null;
          wanted = addField(model, { name, isUnique, dataType, defaultValue });
          const answer = await kit.call('POST', fieldsUrl, {
            schemaId: schema.id,
            name,
            isUnique,
            dataType,
            defaultValue,
          });
          got = { status: answer.status };
          if (answer.status === 201) ids.set(name, answer.json.id);
        } else if (one.do === 'drop') {
          wanted = dropField(model, one.name);
          const id = ids.get(one.name) ?? gone.get(one.name) ?? schema.id;
          got = { status: (await kit.call('DELETE', `${fieldsUrl}?fieldId=${id}`)).status };
          if (got.status === 204) {
            ids.delete(one.name);
            gone.set(one.name, id);
          }
        } else if (one.do === 'insert') {
          wanted = insert(model, one.rows, one.onDuplicate);
          const { status, json } = await kit.insert(schema.id, one.rows, one.onDuplicate);
          got = { status };
          if (status === 201) {
            const events = kit.events.map(({ payload }) => {
              const { event, customerId, changed } = payload as {
                event: string;
                customerId: string;
                changed: string[];
              };
              return told(event.replace('customer.', ''), customerId, changed);
            });
            got = { status, counts: [json.inserted, json.updated, json.skipped], events: events.sort() };
            wanted.events?.sort();
          }
        } else {
          wanted = { status: 204 };
          got = { status: (await kit.call('DELETE', `${url}/${schema.id}`)).status };
          model = fresh();
          schema = await create();
          gone.clear();
          ids.clear();
          ids.set('k', schema.fields[0].id);
        }
        seen.set(`${one.do} ${got.status}`, (seen.get(`${one.do} ${got.status}`) ?? 0) + 1);
        assert.deepEqual(got, wanted, JSON.stringify(one));
        const now = (await kit.call('GET', `${url}/${schema.id}`)).json;
        assert.deepEqual(
          [now.version, now.fields.map(({ name }: ModelField) => name)],
          [model.version, model.fields.map(({ name }) => name)],
        );
        const { total, rows } = (await kit.rows(schema.id)).json;
        const inOrder = [...model.rows.values()].sort((a, b) => (String(a.k) < String(b.k) ? -1 : 1));
        assert.deepEqual([total, rows], [model.rows.size, inOrder], JSON.stringify(one));
      }
      assert.equal((await kit.call('DELETE', `${url}/${schema.id}`)).status, 204);
    }),
    { ...randomCases(40), examples: [[everyOutcome]] },
  );
  // A sequence that always fails would prove nothing.
  for (const outcome of ['add 201', 'add 409', 'drop 204', 'drop 404', 'drop 409', 'insert 201', 'insert 400']) {
    assert.ok((seen.get(outcome) ?? 0) > 0, `${outcome}: ${JSON.stringify([...seen])}`);
  }
});
