import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../platform/app-error.ts';
import { createStreamPlaces } from './stream-places.ts';

const isCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test('a tenant has a fixed number of slots; returning one twice frees it once', () => {
  const places = createStreamPlaces({ perTenant: 2, total: 10 });
  const [first] = [places.take('a'), places.take('a')];
  assert.throws(() => places.take('a'), isCode('rate_limited'));
  places.take('b');
  first();
  first();
  places.take('a');
  assert.throws(() => places.take('a'), isCode('rate_limited'));
});

test('the process has a fixed number of slots for all tenants', () => {
  const places = createStreamPlaces({ perTenant: 2, total: 3 });
  const leave = places.take('a');
  places.take('b');
  places.take('c');
  assert.throws(() => places.take('d'), isCode('overloaded'));
  leave();
  places.take('d');
});
