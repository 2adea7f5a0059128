import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { createChecks } from '../input/validation.ts';
import { createExamples } from './docs-examples.ts';

const all: readonly Operation[] = Object.values(operations);
const examples = createExamples(all);
const checks = createChecks();

test('every request example matches the schema of its body, and names declared properties only', () => {
  for (const operation of all.filter(({ body }) => body !== undefined)) {
    const body = examples.body(operation);
    checks.compile(operation.body!, 'body')(body, 0);
    const declared = Object.keys(Reflect.get(operation.body!, 'properties') ?? {});
    const isOpen = Reflect.get(operation.body!, 'additionalProperties') === true;
    for (const name of isOpen ? [] : Object.keys(Object(body)))
      assert.ok(declared.includes(name), `${operation.id} ${name}`);
    if (declared.length > 0) assert.notDeepEqual(body, {}, `${operation.id} shows nothing of its body`);
  }
});

test('every response example matches its schema', () => {
  for (const operation of all) {
    for (const [status, { schema, mediaType }] of Object.entries(operation.responses)) {
      if (schema === null || mediaType !== undefined) continue;
      const answer = examples.answer(operation, schema);
      assert.doesNotThrow(() => checks.compile(schema, 'body')(answer, 0), `${operation.id} ${status}`);
    }
  }
});

test('examples of one resource are consistent', () => {
  const { 'offers.create': create, 'offers.get': get, 'offers.list': list, 'offers.update': update } = operations;
  const sent = examples.body(create) as { name: string; priority: number };
  const read = examples.answer(get, get.responses[200].schema) as { id: string; name: string };
  const rows = examples.answer(list, list.responses[200].schema) as { data: { id: string; name: string }[] };
  assert.equal(read.name, sent.name);
  assert.equal(rows.data[0]?.id, read.id);
  assert.equal((examples.body(update) as { id: string }).id, read.id);
  assert.equal(examples.parameter(get, 'id', Reflect.get(get.params, 'properties').id), read.id);
});
