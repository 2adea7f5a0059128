import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations, type Resource, resources } from '@arbiter/contract';
import { configShapes } from '@arbiter/contract/catalogue/config-shapes.generated';
import type { Operation } from '@arbiter/contract/core/operation';
import { documentWords } from '@arbiter/contract/core/resource';
import { realChanges, stepsOf, valueAt, withValue } from './changes.ts';
import { atRow, configFieldsOf, type FieldKind, type FieldSpec, fieldsOf } from './field-spec.ts';

const operationById = new Map<string, Operation>(Object.entries(operations));
const all: readonly Resource[] = Object.values<Resource>(resources);
const bodiesOf = (resource: Resource): readonly Operation[] =>
  ['create', 'updateById'].flatMap((verb) => operationById.get(`${resource.name}.${verb}`) ?? []);

/** Every field, those of groups included. */
const flat = (fields: readonly FieldSpec[]): readonly FieldSpec[] =>
  fields.flatMap((field) => [field, ...flat(field.fields ?? [])]);

test('every property of every body of a record has a field with a label', () => {
  let count = 0;
  for (const resource of all) {
    for (const operation of bodiesOf(resource)) {
      const fields = fieldsOf(operation, resource);
      const properties = Object.keys(Reflect.get(operation.body ?? {}, 'properties') ?? {});
      const names = properties.filter((name) => !['id', 'rowVersion', 'expectedVersion'].includes(name));
      assert.deepEqual(
        fields.map(({ name }) => name),
        names,
        operation.id,
      );
      for (const field of flat(fields)) {
        assert.match(field.label, /^\p{Lu}/u, `${operation.id}${field.path}`);
        count += 1;
      }
    }
  }
  assert.ok(count > 300);
});

/** Whether a field of this kind can hold a value. */
const takes: Readonly<Record<FieldKind, (value: unknown, field: FieldSpec) => boolean>> = {
  text: (value) => typeof value === 'string',
  longText: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  choice: (value, { options = [] }) => options.includes(String(value)),
  choices: (value, { options = [] }) => Array.isArray(value) && value.every((each) => options.includes(each)),
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  instant: (value) => !Number.isNaN(Date.parse(String(value))),
  reference: (value) => typeof value === 'string',
  references: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  secret: (value) => typeof value === 'string',
  group: (value) => typeof value === 'object' && value !== null,
  rows: (value) => Array.isArray(value) && value.every((each) => typeof each === 'object'),
  map: (value) => typeof value === 'object' && value !== null,
  values: (value) => typeof value === 'object' && value !== null,
  json: () => true,
};

test('the fields of a record hold the values of its example, and give back the same body', () => {
  for (const resource of all) {
    const [create] = bodiesOf(resource);
    const draft = resource.draft?.(documentWords) as Readonly<Record<string, unknown>> | undefined;
    if (create === undefined || draft === undefined) continue;
    const fields = fieldsOf(create, resource);
    for (const field of flat(fields)) {
      const value = valueAt(draft, stepsOf(field.path));
      if (value === undefined || (value === null && field.isNullable)) continue;
      assert.ok(takes[field.kind](value, field), `${create.id}${field.path}: ${field.kind} ${JSON.stringify(value)}`);
    }
    const typed = flat(fields).reduce<Readonly<Record<string, unknown>>>((values, { path, kind }) => {
      const value = valueAt(draft, stepsOf(path));
      return value === undefined || kind === 'group' ? values : withValue(values, stepsOf(path), value);
    }, {});
    assert.deepEqual(realChanges(draft, typed), {}, create.id);
    const isEmpty = (name: string) => JSON.stringify(draft[name]) === '{}';
    const missing = Object.keys(draft).filter((name) => !(name in typed) && !isEmpty(name));
    assert.deepEqual([...missing, ...Object.keys(typed).filter((name) => !(name in draft))], [], create.id);
  }
});

test('reads kinds, limits and references from the contract', () => {
  const offer = fieldsOf(operations['offers.create'], resources.offer, {
    references: { '/eligibility/requiredSegments': 'segment' },
    labels: { '/shortDesc': 'Short description' },
  });
  const find = (path: string) => flat(offer).find((field) => field.path === path);
  assert.equal(find('/name')?.isRequired, true);
  assert.deepEqual([find('/priority')?.kind, find('/priority')?.least, find('/priority')?.most], ['integer', 0, 100]);
  assert.deepEqual([find('/categoryId')?.kind, find('/categoryId')?.to], ['reference', 'category']);
  assert.equal(find('/categoryId')?.isNullable, true);
  assert.deepEqual(find('/status')?.options, ['draft', 'active', 'paused', 'archived']);
  assert.equal(find('/description')?.kind, 'longText');
  assert.equal(find('/shortDesc')?.label, 'Short description');
  assert.equal(find('/schedule/startHour')?.kind, 'integer');
  assert.equal(find('/eligibility/requiredSegments')?.kind, 'references');
  assert.equal(find('/mandatoryExpiresAt')?.kind, 'instant');
  assert.equal(find('/metadata')?.kind, 'json');
});

test('a list of objects has the fields of its rows, and an object with own keys is a map', () => {
  const category = fieldsOf(operations['categories.create'], resources.category);
  const rows = category.find(({ name }) => name === 'customFields');
  assert.equal(rows?.kind, 'rows');
  const [key] = rows?.fields ?? [];
  assert.equal(key?.path, '/customFields/-/key');
  assert.equal(key && atRow(key, '/customFields', 2).path, '/customFields/2/key');
  const placement = fieldsOf(operations['placements.create'], resources.placement);
  const lengths = flat(placement).find(({ path }) => path === '/schema/maxLength');
  assert.deepEqual([lengths?.kind, lengths?.isNumeric], ['map', true]);
});

test('every key of the configs of policies and rules has a control of its own, apart from values of any type', () => {
  const json: string[] = [];
  for (const family of ['policies', 'rules']) {
    for (const [type, shape] of Object.entries(configShapes[family] ?? {})) {
      for (const { kind, path } of configFieldsOf(shape, '/config')) if (kind === 'json') json.push(`${type}${path}`);
    }
  }
  assert.deepEqual(json.toSorted(), [
    'attribute_condition/config/value',
    'category_suppression/config/afterOutcome',
    'do_not_contact/config/condition',
    'offer_attribute/config/value',
    'outcome_based/config/afterOutcome',
    'time_window/config/daysOfWeek',
  ]);
});
