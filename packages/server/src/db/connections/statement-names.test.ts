import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStatementNames } from './statement-names.ts';

test('gives a text one name for all callers', () => {
  const names = createStatementNames();
  const [first, second] = [names('select 1'), names('select 2')];
  assert.ok(first !== undefined && second !== undefined && first !== second);
  assert.equal(names('select 1'), first);
  assert.ok(names('select count(*), 2 * $1::int from arbiter.deliveries') !== undefined);
});

test('statements whose plans a changed column would break have no name', () => {
  const names = createStatementNames();
  for (const text of [
    'select "email" from "t_0190a1b2c3d47e5f8a9b0190a1b2c3d4"."ds_people" where "id" = $1',
    'select * from arbiter.channels where tenant_id = $1',
    'insert into arbiter.offers (id) values ($1) RETURNING *',
    'select c.* from arbiter.channels c',
  ]) {
    assert.equal(names(text), undefined, text);
  }
});

test('names at most 200 texts, and keeps those names', () => {
  const names = createStatementNames();
  const first = names('select 0');
  for (let n = 1; n < 200; n++) assert.ok(names(`select ${n}`) !== undefined);
  assert.equal(names('select 200'), undefined);
  assert.equal(names('select 0'), first);
});
