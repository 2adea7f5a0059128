import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import type { Operation } from '@arbiter/contract/operation';
import Type, { type TSchema } from 'typebox';
import { checkBody } from './check.ts';
import { fieldAt, fieldsOf, humanised, keywordsOf } from './fields.ts';
import { bodyOf, readAt, valuesOf } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

const withBody = (Object.values(operations) as Operation[]).flatMap((operation) => {
  const { id, body, bodyKind = 'json' } = operation;
  return body === undefined || bodyKind !== 'json' ? [] : [{ id, body }];
});

const examplesOf = (schema: TSchema): readonly Body[] => (Reflect.get(schema, 'examples') ?? []) as Body[];

test('there are bodies to make forms of', () => {
  assert.ok(withBody.length >= 100, `${withBody.length} bodies`);
});

for (const { id, body } of withBody) {
  test(`the body of ${id} is a form: each property has its field`, () => {
    const fields = fieldsOf(body);
    for (const name of Object.keys(keywordsOf(body).properties ?? {})) {
      assert.ok(
        fields.some(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`)),
        name,
      );
    }
    for (const { label, pointer } of fields) assert.match(label, /^[A-Z\d]/, pointer);
    assert.equal(new Set(fields.map(({ pointer }) => pointer)).size, fields.length);
  });

  test(`the examples of ${id} go through its form unchanged`, () => {
    const fields = fieldsOf(body);
    for (const example of examplesOf(body)) {
      const read = bodyOf(fields, valuesOf(fields, example), example);
      assert.deepEqual(read, { body: example, findings: [] });
      // Typed into an empty form, it says the same as far as there are fields.
      const fresh = bodyOf(fields, valuesOf(fields, example), {});
      for (const { pointer, input } of fields) {
        const sent = readAt(example, pointer);
        const empty = sent === null || sent === '' || (Array.isArray(sent) && sent.length === 0);
        if (sent !== undefined && !(empty && input.kind !== 'json')) {
          assert.deepEqual(readAt(fresh.body, pointer), sent, pointer);
        }
      }
      assert.deepEqual(checkBody(body, example), [], 'the check takes what the server takes');
    }
  });

  test(`the form of ${id} refuses bad values at their fields`, () => {
    const fields = fieldsOf(body);
    const [example = {}] = examplesOf(body);
    for (const field of fields) {
      const bad = badValue(field.input.kind);
      if (bad === null) continue;
      const { body, findings } = bodyOf(fields, { ...valuesOf(fields, example), [field.pointer]: bad }, example);
      const found = [...findings, ...checkBody(body, body)];
      assert.ok(
        found.some(({ path }) => fieldAt(fields, path) === field),
        `${field.pointer} with ${bad}: ${JSON.stringify(found)}`,
      );
    }
    for (const { pointer, required } of fields) {
      if (!required || pointer.lastIndexOf('/') > 0) continue;
      const { [pointer.slice(1)]: _, ...rest } = example;
      assert.ok(
        checkBody(body, rest).some(({ path }) => path === pointer),
        `${pointer} is missed`,
      );
    }
  });
}

function badValue(kind: string): string | null {
  if (kind === 'number' || kind === 'json') return '{no';
  return kind === 'choice' ? 'none of them' : null;
}

test('an input that is cleared is a change, one that was empty is left out', () => {
  const schema = Type.Object({
    name: Type.String({ minLength: 1 }),
    note: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    tags: Type.Optional(Type.Array(Type.String())),
    on: Type.Optional(Type.Boolean()),
    always: Type.Boolean(),
  });
  const fields = fieldsOf(schema);
  const empty = { '/name': 'a', '/note': '', '/limit': '', '/tags': '', '/on': '', '/always': false };
  assert.deepEqual(bodyOf(fields, empty, {}).body, { name: 'a', always: false });
  const before = { name: 'a', note: 'n', limit: 5, tags: ['x'], on: true, always: true, other: 1 };
  assert.deepEqual(bodyOf(fields, empty, before).body, {
    name: 'a',
    note: '',
    limit: null,
    tags: [],
    always: false,
    other: 1,
  });
  assert.deepEqual(before.tags, ['x'], 'what is shown is not changed');
  assert.deepEqual(bodyOf(fields, { ...empty, '/limit': '1,5' }, {}).findings.length, 1);
});

test('findings of the API and of the schema land on the same fields', () => {
  const fields = fieldsOf(operations['offers.create'].body);
  assert.equal(fieldAt(fields, '/schedule/startAt')?.pointer, '/schedule');
  assert.equal(fieldAt(fields, '/name')?.pointer, '/name');
  assert.equal(fieldAt(fields, ''), null);
  assert.equal(fieldAt(fields, '/names'), null);
  assert.deepEqual(checkBody(operations['offers.create'].body, { name: ' ', priority: 500 }), [
    { path: '/name', message: 'This field is required.' },
    { path: '/priority', message: 'Must be at most 100.' },
  ]);
  assert.deepEqual(['businessValue', 'categoryId', 'segmentIds', 'shortDesc', 'api_key'].map(humanised), [
    'Business value',
    'Category',
    'Segments',
    'Short desc',
    'Api key',
  ]);
});
