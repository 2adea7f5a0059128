import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecisionInput } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import { editableColumns, withEdits } from './alter-input.ts';

type Sources = Pick<Plan, 'autoSources' | 'enrichSources' | 'joinedSources' | 'zoneFields'>;

const none: Sources = { autoSources: [], enrichSources: [], joinedSources: [], zoneFields: [] };
const planOf = (sources: Partial<Sources>): Plan => ({ ...none, ...sources }) as Plan;
const inputOf = (profile: DecisionInput['profile'], enriched: DecisionInput['enriched'] = {}): DecisionInput =>
  ({ profile, enriched, request: { attributes: {}, segments: [] } }) as unknown as DecisionInput;

const old = { schemaId: 'old', rowKey: 'id', columns: ['age', 'tier'] };
const young = { schemaId: 'young', rowKey: 'id', columns: ['age', 'job'] };
const node = { nodeId: 'n', position: 0, lookupColumn: 'id', lookupFrom: 'request.customerId', prefix: '', trip: 0 };

test('takes a column from the oldest customer schema that has a row', () => {
  const plan = planOf({ autoSources: [old, young] });
  const placeOf = (profile: DecisionInput['profile']) => editableColumns(plan, inputOf(profile)).get('age')?.schemaId;
  assert.equal(placeOf({ age: 20, tier: 'gold', job: 'cook' }), 'old');
  assert.equal(placeOf({ age: 20, tier: null }), 'old');
  assert.equal(placeOf({ age: 20, job: 'cook' }), 'young');
  assert.equal(placeOf({}), 'old', 'a first row would go into the oldest schema');
});

test('prefers the row of an enrich node to auto-enriched schemas', () => {
  const plan = planOf({ autoSources: [old], enrichSources: [{ ...young, ...node }] });
  const profile = { age: 20, tier: 'gold' };
  const withRow = inputOf(profile, { n: [{ age: 30, job: 'cook' }] });
  const places = editableColumns(plan, withRow);
  assert.equal(places.get('age')?.schemaId, 'young');
  const changed = withEdits(plan, places, withRow, [{ path: 'customer.age', from: 30, to: 40 }]);
  assert.deepEqual([changed.profile, changed.enriched], [profile, { n: [{ age: 40, job: 'cook' }] }]);
  assert.equal(editableColumns(plan, inputOf(profile, { n: [null] })).get('age')?.schemaId, 'old');
});

test("a value that another row also holds isn't editable", () => {
  const looked = { ...young, ...node, lookupFrom: 'attributes.partner' };
  const plan = planOf({ autoSources: [old], enrichSources: [looked] });
  const profile = { age: 20, tier: 'gold' };
  assert.equal(editableColumns(plan, inputOf(profile, { n: [{ age: 30, job: 'cook' }] })).has('age'), false);
  assert.equal(editableColumns(plan, inputOf(profile, { n: [null] })).has('age'), true);
});

test("columns that lead to other rows aren't editable, under any name", () => {
  const joined = {
    schemaId: 'accounts',
    lookupColumn: 'id',
    path: [{ schemaId: 'old', lookupColumn: 'id', column: 'tier' }],
    isMany: false,
    values: [],
  };
  const plan = planOf({
    autoSources: [old],
    enrichSources: [{ ...old, ...node, prefix: 'own_' }],
    joinedSources: [joined],
  });
  const names = [...editableColumns(plan, inputOf({ age: 20, tier: 'gold' })).keys()].sort();
  assert.deepEqual(names, ['age', 'own_age']);
});
