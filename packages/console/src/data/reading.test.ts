import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { type Operation, roles } from '@arbiter/contract/core/operation';
import { can } from './can.ts';
import { isOld, namedResources, oldAfter } from './invalidation.ts';
import { operationKey, resourceOf } from './operation-key.ts';
import { mayShowAtOnce, optimisticProperties } from './optimism.ts';

const all: readonly Operation[] = Object.values(operations);

test('builds the same query key for the same tenant, operation and input', () => {
  const list = { id: 'offers.list' };
  const one = operationKey('t', list, { query: { status: 'active', search: undefined, limit: 5 } });
  assert.deepEqual(one, operationKey('t', list, { query: { limit: 5, status: 'active' } }));
  assert.deepEqual(
    one,
    operationKey('t', list, { query: { limit: 5, status: 'active' }, signal: AbortSignal.timeout(9) }),
  );
  assert.notDeepEqual(one, operationKey('u', list, { query: { limit: 5, status: 'active' } }));
  assert.notDeepEqual(one, operationKey('t', list, { query: { limit: 6, status: 'active' } }));
  assert.notDeepEqual(one, operationKey('t', { id: 'creatives.list' }, { query: { limit: 5, status: 'active' } }));
  // Lists are in an order.
  assert.notDeepEqual(operationKey('t', list, { body: [1, 2] }), operationKey('t', list, { body: [2, 1] }));
});

test('allows operations of a role and below, and names the required role otherwise', () => {
  for (const operation of all) {
    for (const role of roles) {
      const { allowed } = can(operation, role);
      const needs = operation.role;
      const expected = operation.auth === 'none' || needs === null || roles.indexOf(role) >= roles.indexOf(needs);
      assert.equal(allowed, expected, `${role} ${operation.id}`);
    }
  }
  assert.deepEqual(can(operations['apiKeys.create'], 'editor'), { allowed: false, needs: 'admin' });
  assert.deepEqual(can(operations['offers.list'], null), { allowed: false, needs: 'viewer' });
});

test('invalidates the resource of a write, and only resources of the contract', () => {
  const known = new Set(all.map(({ id }) => resourceOf(id)));
  // What operations of later parts bring may be named before they come.
  const later = new Set(['seedDataset']);
  assert.deepEqual(
    namedResources.filter((name) => !known.has(name) && !later.has(name)),
    [],
  );
  for (const { id, method } of all) {
    const old = oldAfter(id, method !== 'GET');
    assert.equal(isOld(id, old), method !== 'GET', id);
  }
  assert.ok(isOld('creatives.list', oldAfter('offers.update', true)));
  assert.ok(!isOld('segments.list', oldAfter('offers.update', true)));
  assert.ok(isOld('segments.list', oldAfter('records.restore', true)));
});

test('allows optimistic updates of body properties only, in no operation of admins', () => {
  for (const [id, properties] of Object.entries(optimisticProperties)) {
    const operation = all.find((each) => each.id === id);
    assert.ok(operation, `${id} is an operation`);
    assert.notEqual(operation.role, 'admin', id);
    assert.notEqual(operation.method, 'GET', id);
    const known = Reflect.get(operation.body ?? {}, 'properties') as object | undefined;
    for (const property of properties) {
      if (property !== '*') assert.ok(known !== undefined && property in known, `${id} has ${property}`);
    }
  }
});

test('updates optimistically only if every property allows it', () => {
  assert.ok(mayShowAtOnce('offers.update', { id: 'a', rowVersion: 3, name: 'Latte' }));
  assert.ok(!mayShowAtOnce('offers.update', { id: 'a', rowVersion: 3, name: 'Latte', status: 'active' }));
  assert.ok(!mayShowAtOnce('offers.update', { id: 'a', rowVersion: 3 }));
  assert.ok(!mayShowAtOnce('contactPolicies.update', { id: 'a', name: 'Three a day' }));
});
