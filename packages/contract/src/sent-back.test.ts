import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { type Operation, operations } from './index.ts';

const all: readonly Operation[] = Object.values(operations);

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  typeof schema === 'object' && schema !== null ? (Reflect.get(schema, 'properties') ?? {}) : {};

/** The record that a GET answers with, alone or in a list. */
function shownBy(schema: TSchema | null | undefined): readonly string[] {
  const list: unknown = propertiesOf(schema).data ?? schema;
  const items: unknown = typeof list === 'object' && list !== null ? Reflect.get(list, 'items') : undefined;
  return Object.keys(propertiesOf(items ?? schema));
}

/** Writes of what a GET of the same path returns: it shows everything that their bodies may contain. */
const writes = all.flatMap((write) => {
  if (!['POST', 'PUT'].includes(write.method) || write.body === undefined) return [];
  if (Reflect.get(write.body, 'additionalProperties') !== undefined) return [];
  const names = Object.keys(propertiesOf(write.body));
  return all.flatMap((read) => {
    if (read.method !== 'GET' || read.path !== write.path) return [];
    const shown = shownBy(read.responses[200]?.schema);
    const isSame = names.length > 0 && names.every((name) => shown.includes(name));
    return isSame ? [{ write, names, shown }] : [];
  });
});

test('a write knows every property that the GET of its path shows', () => {
  assert.ok(writes.some(({ write }) => write.id === 'retentionConfigs.set'));
  for (const { write, names, shown } of writes) {
    const known = new Set([...names, ...Object.keys(propertiesOf(write.record))]);
    const unknown = shown.filter((name) => !known.has(name));
    assert.deepEqual(unknown, [], `${write.id} has no \`record\` that names these`);
  }
});
