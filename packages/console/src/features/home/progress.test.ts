import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countDone, curlFor, doneOf } from './progress.ts';

test('derives completed steps from the data', () => {
  const nothing = doneOf([], []);
  assert.deepEqual(nothing, { decided: false, again: false, called: false });
  assert.deepEqual(countDone(nothing), { done: 0, all: 3 });
  assert.deepEqual(doneOf([{ customerId: 'a' }, { customerId: 'b' }], null), {
    decided: true,
    again: false,
    called: null,
  });
  const all = doneOf([{ customerId: 'a' }, { customerId: 'b' }, { customerId: 'a' }], [{ lastUsedAt: '2026-11-22' }]);
  assert.deepEqual(countDone(all), { done: 3, all: 3 });
  assert.equal(
    doneOf([{ customerId: null }, { customerId: null }], null).again,
    false,
    'erased ones are not one person',
  );
});

test('quotes the customer in the shell command, and calls below the base path', () => {
  const text = curlFor('https://example.com/desk/', { customerId: "O'Neil" });
  assert.match(text, /^curl 'https:\/\/example.com\/desk\/api\/v1\/recommend'/);
  assert.match(text, /-d '\{"customerId":"O'\\''Neil"\}'$/);
});
