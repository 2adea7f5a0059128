import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigShape } from '../compile/config-fields.ts';
import { policyProblems, policyShapes } from '../policies/policy-kinds.ts';
import { nodeKinds } from './node-kinds.ts';
import { flowSettingsShape, nodeShapes } from './node-shapes.ts';
import { nodeTexts } from './node-texts.ts';

type Fields = ConfigShape['fields'];

function* placesIn(fields: Fields, path: string): Generator<[place: string, description: string]> {
  for (const [key, field] of Object.entries(fields)) {
    yield [`${path}.${key}`, field.description];
    const items = field.items ?? field;
    if (typeof items === 'object' && items !== null && 'properties' in items)
      yield* placesIn(items.properties as unknown as Fields, `${path}.${key}`);
  }
}

test('lists each node type under its own name', () => {
  for (const [type, kind] of nodeKinds) assert.equal(kind.type, type);
});

test('describes each key of a node, and no other', () => {
  const shapes = { ...nodeShapes, flow: flowSettingsShape };
  const places = new Map(Object.entries(shapes).flatMap(([type, { fields }]) => [...placesIn(fields, type)]));
  const parts = /^filter\.conditions\.|^conditional\.conditions\./;
  const silent = [...places].filter(([place, text]) => text === '' && !parts.test(place)).map(([place]) => place);
  assert.deepEqual(silent, []);
  const unknown = Object.keys(nodeTexts).filter((place) => !place.endsWith('.*') && !places.has(place));
  assert.deepEqual(unknown, []);
});

test('checks the ranges that it documents', () => {
  let checked = 0;
  for (const [type, { fields }] of Object.entries(policyShapes)) {
    for (const [key, { minimum, maximum, enum: words }] of Object.entries(fields)) {
      const isRefused = (value: string | number) =>
        policyProblems(type, { [key]: value }).some(({ path }) => path === `/${key}`);
      if (typeof maximum === 'number') {
        assert.ok(isRefused(maximum + 1), `${type}.${key}`);
        assert.ok(!isRefused(maximum), `${type}.${key}`);
        checked += 1;
      }
      if (typeof minimum === 'number') assert.ok(isRefused(minimum - 1), `${type}.${key}`);
      if (Array.isArray(words)) assert.ok(isRefused('no such word'), `${type}.${key}`);
    }
  }
  assert.ok(checked > 10);
});
