import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnKeys, sortOf, sortText, viewSearch } from './list-address.ts';

test('the order of rows is written and read', () => {
  assert.deepEqual(sortOf('-priority'), { key: 'priority', descending: true });
  assert.deepEqual(sortOf('name'), { key: 'name', descending: false });
  for (const nothing of [undefined, '', '-']) assert.equal(sortOf(nothing), null);
  for (const text of ['name', '-name']) assert.equal(sortText(sortOf(text)), text);
  assert.equal(sortText(null), undefined);
});

test('of the columns that are asked for, those that the list has are shown once, behind the first', () => {
  const known = ['name', 'status', 'priority'];
  assert.deepEqual(columnKeys(known, ['priority', 'status']), ['name', 'priority', 'status']);
  assert.deepEqual(columnKeys(known, ['status', 'name']), ['name', 'status']);
  assert.deepEqual(columnKeys(known, ['status', 'gone', 'status']), ['name', 'status']);
  assert.deepEqual(columnKeys(known, ['name']), ['name']);
});

test('a list whose columns are not known, or none of which is there any more, shows all of them', () => {
  const known = ['name', 'status'];
  for (const wanted of [null, [], ['gone', 'away']]) assert.deepEqual(columnKeys(known, wanted), known);
});

test('a view holds filters, columns and order, and nothing of where somebody looks', () => {
  const view = viewSearch('?status=active&peek=1&search=oat+milk&live=true&sort=-name', ['name', 'status']);
  assert.equal(view, '?search=oat+milk&sort=-name&status=active&columns=name%2Cstatus');
});

test('two addresses of the same view are written alike, and opening one leads to itself', () => {
  const one = viewSearch('?b=2&a=1', null);
  assert.equal(viewSearch('?a=1&b=2&row=7', null), one);
  assert.equal(viewSearch(one, null), one);
  assert.equal(viewSearch('', null), '?columns=all');
});

test('a filter that stands twice stays twice', () => {
  assert.equal(viewSearch('?status=a&status=b', null), '?status=a&status=b&columns=all');
});
