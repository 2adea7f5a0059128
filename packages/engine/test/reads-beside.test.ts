import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Beside,
  columnsRead,
  compile,
  decide,
  type Json,
  type Reads,
  readsBeside,
  type SnapshotPolicy,
  type SnapshotRule,
  type SnapshotSchema,
} from '../src/index.ts';
import { readCase } from './conformance/case.ts';

const schema = (id: string, names: readonly string[], more: Partial<SnapshotSchema> = {}): SnapshotSchema => ({
  id,
  name: id,
  schemaType: 'customer',
  autoEnrich: true,
  rowKey: 'customer_id',
  columns: names.map((name) => ({ name, dataType: 'varchar', neverStore: false })),
  ...more,
});

const people = schema('people', ['customer_id', 'age', 'city', 'tier']);
const accounts = schema('accounts', ['id', 'tier', 'limit', 'city'], { schemaType: 'reference', autoEnrich: false });

function readsOf(beside: Partial<Beside>): Reads {
  const read = readCase({ name: 'test', expect: {} });
  const { flow: _f, offers: _o, creatives: _c, rules: _r, policies: _p, ...catalogue } = read.snapshot;
  const work = readsBeside(
    { ...catalogue, schemas: [people, accounts] },
    { flows: [], rules: [], policies: [], ...beside },
  );
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

const flow = (...nodes: readonly object[]) => ({
  version: 2,
  nodes: [{ id: 'i', type: 'inventory', config: {} }, { id: 's', type: 'score', config: {} }, ...nodes],
});

test('finds names in drafts and in idle rules and policies, whatever they apply to', () => {
  const rule: SnapshotRule = {
    id: 'r',
    name: 'r',
    ruleType: 'attribute_condition',
    config: { attribute: 'customer.age', operator: 'gte', value: 18 },
    scopes: [{ scope: 'offer', scopeId: 'an offer that no plan holds' }],
    priority: 1,
    stage: 'eligibility',
    createdAt: 0,
  };
  const policy: SnapshotPolicy = {
    id: 'p',
    name: 'p',
    ruleType: 'do_not_contact',
    config: { condition: { field: 'attributes.blocked', operator: 'eq', value: true } },
    scopes: [{ scope: 'category', scopeId: 'none' }],
    priority: 1,
    createdAt: 0,
  };
  const properties = [
    { key: 'a', formula: 'customer.city' },
    { key: 'b', formula: 'request.context.page' },
  ];
  const draft = flow({ id: 'p', type: 'set_properties', config: { properties } });
  const reads = readsOf({ rules: [rule], policies: [policy], flows: [draft] });
  assert.deepEqual([...reads.customer].sort(), ['age', 'city']);
  assert.deepEqual([...reads.attributes], ['blocked']);
  assert.deepEqual([...(reads.context ?? [])], ['page']);
});

test("reads nothing from a draft that can't be stored, but reads one that can't be published yet", () => {
  const node = { id: 'p', type: 'set_properties', config: { properties: [{ key: 'a', formula: 'customer.city' }] } };
  for (const broken of [
    null,
    'text',
    {},
    flow(node, { id: 'x', type: 'unheard' }),
    { version: 2, nodes: [{ ...node }] },
  ]) {
    assert.deepEqual([...readsOf({ flows: [broken] }).customer], [], JSON.stringify(broken));
  }
  assert.deepEqual([...readsOf({ flows: [flow(node)] }).customer], ['city'], 'without a scoring method');
  assert.deepEqual([...readsOf({ flows: [flow({ ...node, enabled: false })] }).customer], []);
});

test('lists columns that anything reads under any name', () => {
  const sources = [{ schemaId: 'accounts', prefix: 'a_', fields: ['limit', 'tier'] }];
  const enrich = { id: 'e', type: 'enrich', config: { sources, lookupFrom: 'customer.tier' } };
  const { sources: found, customer } = readsOf({
    flows: [{ version: 2, nodes: [{ id: 'i', type: 'inventory', config: {} }, enrich] }],
  });
  assert.deepEqual([...customer], ['tier'], 'what it looks up by');
  const names = new Set([...customer, 'a_limit', 'a_city', 'age']);
  assert.deepEqual(columnsRead(people, names, found), ['age', 'tier']);
  assert.deepEqual(columnsRead(accounts, names, found), ['limit'], 'city is not among those it chose');
});

test('a row with more columns than its node selected decides the same', () => {
  const sources = [{ schemaId: 'accounts', prefix: '', fields: ['tier'] }];
  const source = {
    name: 'test',
    expect: {},
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 'e', type: 'enrich', config: { sources } },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      {
        id: 'p',
        type: 'set_properties',
        config: { properties: [{ key: 'city', formula: 'customer.city', target: 'response' }] },
      },
    ],
    schemas: [people, accounts],
  };
  const read = readCase(JSON.parse(JSON.stringify(source)));
  const plan = compile(read.snapshot);
  const input = { ...read.input(plan), profile: { city: 'Bern' } };
  const decideOn = (row: Readonly<Record<string, Json>>) =>
    decide(plan, { ...input, enriched: { e: [row] } }).properties.city;
  assert.equal(decideOn({ tier: 'gold' }), 'Bern');
  assert.equal(decideOn({ tier: 'gold', city: 'Basel' }), 'Bern');
});
