import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowNodeTypes } from '@arbiter/contract/catalogue/flow-node-types';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';
import { referenceSources } from '../../../forms/editing/inputs/reference-sources.ts';
import { hasConditions, nodeFieldsOf, shownFields } from './node-fields.ts';

const flat = (fields: readonly FieldSpec[]): readonly FieldSpec[] =>
  fields.flatMap((field) => [field, ...flat(field.fields ?? [])]);

test('has a control for every setting of every type, except free values', () => {
  for (const type of flowNodeTypes) {
    const asJson = flat(nodeFieldsOf(type)).filter(({ kind, path }) => kind === 'json' && !path.endsWith('/-/value'));
    assert.deepEqual(
      asJson.map(({ path }) => `${type} ${path}`),
      [],
    );
  }
});

test('shows each setting once, under some values', () => {
  for (const type of flowNodeTypes) {
    const config = Object.fromEntries(nodeFieldsOf(type).map(({ name }) => [name, 'set']));
    const { first, more, unknown } = shownFields(type, config);
    const shown = [...first, ...more].map(({ name }) => name);
    const wanted = Object.keys(config).filter(
      (name) => !(hasConditions(type) && ['conditions', 'combinator'].includes(name)),
    );
    assert.deepEqual(shown.toSorted(), wanted.toSorted(), type);
    assert.deepEqual(unknown, []);
  }
  assert.deepEqual(shownFields('rank', { topn: 3 }).unknown, ['topn']);
});

test('shows settings that have an effect, and those with a value', () => {
  const names = (type: string, config: object) => shownFields(type, { ...config }).first.map(({ name }) => name);
  assert.deepEqual(names('inventory', {}), ['scope']);
  assert.deepEqual(names('inventory', { scope: 'category' }), ['scope', 'categoryIds', 'autoInclude']);
  assert.deepEqual(names('rank', { method: 'diversity' }), ['method', 'lambda', 'maxPerCategory']);
  assert.deepEqual(names('rank', { method: 'diversity', topN: 3 }), ['method', 'topN', 'lambda', 'maxPerCategory']);
  assert.deepEqual(names('extension_point', { hook: 'pre_score' }), ['hook', 'kind']);
});

test('can look up every record that a setting refers to', async () => {
  const named = flowNodeTypes.flatMap((type) => flat(nodeFieldsOf(type)).filter(({ to }) => to !== undefined));
  assert.ok(named.length > 20);
  for (const { to = '', path } of named) assert.ok(await referenceSources[to]?.(), `${path} names ${to}`);
});
