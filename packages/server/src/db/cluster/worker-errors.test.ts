import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError, translateError } from '../errors.ts';

const translated = (message: string, facts: object): DatabaseError => {
  const error = translateError(Object.assign(new Error(message), { severity: 'ERROR', code: '23505', ...facts }));
  assert.ok(error instanceof DatabaseError);
  return error;
};

test('names the broken constraint of a single database', () => {
  const { kind, constraint } = translated('duplicate key', { constraint: 'offers_name' });
  assert.deepEqual([kind, constraint], ['unique', 'offers_name']);
});

test('names the broken constraint of a shard, from a worker or through the coordinator', () => {
  const text = 'duplicate key value violates unique constraint "offers_name_102401"';
  assert.equal(translated(text, { constraint: 'offers_name_102401' }).constraint, 'offers_name');
  assert.equal(translated(text, {}).constraint, 'offers_name');
});

test('returns no constraint when none is broken', () => {
  assert.equal(translated('division by zero', { code: '22012' }).constraint, null);
});
