import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnKeys, sortOf, sortText, viewSearch } from './list-address.ts';

test('writes and reads the order of rows', () => {
  assert.deepEqual(sortOf('-priority'), { key: 'priority', descending: true });
  assert.deepEqual(sortOf('name'), { key: 'name', descending: false });
  for (const nothing of [undefined, '', '-']) assert.equal(sortOf(nothing), null);
  for (const text of ['name', '-name']) assert.equal(sortText(sortOf(text)), text);
  assert.equal(sortText(null), undefined);
});

test('shows requested columns that exist, each once, after the first', () => {
  const known = ['name', 'status', 'priority'];
  assert.deepEqual(columnKeys(known, ['priority', 'status']), ['name', 'priority', 'status']);
  assert.deepEqual(columnKeys(known, ['status', 'name']), ['name', 'status']);
  assert.deepEqual(columnKeys(known, ['status', 'gone', 'status']), ['name', 'status']);
  assert.deepEqual(columnKeys(known, ['name']), ['name']);
});

test('shows all columns if none of the requested ones exist', () => {
  const known = ['name', 'status'];
  for (const wanted of [null, [], ['gone', 'away']]) assert.deepEqual(columnKeys(known, wanted), known);
});

test('a view has filters, columns and order, but no position in the list', () => {
  const view = viewSearch('?status=active&peek=1&search=oat+milk&live=true&sort=-name', ['name', 'status']);
  assert.equal(view, '?search=oat+milk&sort=-name&status=active&columns=name%2Cstatus');
});

test('writes equal views to equal addresses, and reads them back', () => {
  const one = viewSearch('?b=2&a=1', null);
  assert.equal(viewSearch('?a=1&b=2&row=7', null), one);
  assert.equal(viewSearch(one, null), one);
  assert.equal(viewSearch('', null), '?columns=all');
});

test('keeps a repeated filter', () => {
  assert.equal(viewSearch('?status=a&status=b', null), '?status=a&status=b&columns=all');
});
